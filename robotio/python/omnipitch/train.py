"""Learns a task with PPO of Stable-Baselines3: python -m omnipitch.train task-shoot --minutes 15 --out shoot.zip"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from ._task import Tasks
from .envs import spaces_of


class Worlds(VecEnv):
    """The agents of many worlds as the environments of Stable-Baselines3."""

    render_mode = None

    def __init__(self, world: Any, worlds: int, seed: int = 0, **options: Any) -> None:
        self.tasks = Tasks(world, range(seed, seed + worlds), **options)
        self.agents = len(self.tasks.agents)
        super().__init__(worlds * self.agents, *spaces_of(self.tasks))

    def reset(self) -> np.ndarray:
        return self._flat(self.tasks.reset())

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions.reshape(self.tasks.actions.shape)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        t = self.tasks
        seen, rewards = self._flat(t.step(self._actions)), self._flat(t.rewards)
        done = t.terminated | t.truncated
        infos: list[dict[str, Any]] = [{} for _ in rewards]
        for i in np.flatnonzero(np.repeat(done, self.agents)):
            world = i // self.agents
            infos[i] = {"terminal_observation": seen[i].copy(), "is_success": bool(t.success[world]),
                        "TimeLimit.truncated": bool(t.truncated[world])}
        if done.any():
            seen = self._flat(t.reset(which=done))
        return seen, rewards, np.repeat(done, self.agents), infos

    def _flat(self, block: np.ndarray) -> np.ndarray:
        return block.reshape(self.num_envs, *block.shape[2:]).copy()

    def close(self) -> None:
        self.tasks.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        return [getattr(self, method_name)(*args, **kwargs)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


def successes(model: PPO, world: Any, worlds: int = 32, episodes: int = 200, **options: Any) -> float:
    """Returns the share of episodes that end as a success."""
    env, ended = Worlds(world, worlds, seed=1_000_000, **options), []
    seen = env.reset()
    while len(ended) < episodes:
        seen, _, done, infos = env.step(model.predict(seen, deterministic=True)[0])
        ended += [info["is_success"] for info in infos if info]
    env.close()
    return float(np.mean(ended))


def main() -> None:
    parser = argparse.ArgumentParser(description="Learns a task with PPO.")
    parser.add_argument("world")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--worlds", type=int, default=32)
    parser.add_argument("--out", default="policy.zip")
    args = parser.parse_args()
    env = VecMonitor(Worlds(args.world, args.worlds))
    policy = "CnnPolicy" if env.observation_space.dtype == np.uint8 else "MlpPolicy"
    model = PPO(policy, env, n_steps=256, batch_size=1024, n_epochs=8, gamma=0.99, ent_coef=0.002, verbose=1, seed=1,
                device="cpu", policy_kwargs={"log_std_init": -0.5})
    end = time.monotonic() + 60 * args.minutes
    model.learn(1 << 40, callback=lambda *_: time.monotonic() < end)
    model.save(args.out)
    env.close()
    print(f"{100 * successes(model, args.world):.0f} % of 200 new episodes succeed")


if __name__ == "__main__":
    torch.set_num_threads(2)
    main()
