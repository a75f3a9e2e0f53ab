"""Learns a task with PPO of Stable-Baselines3: python -m omnipitch.train task-shoot --minutes 15 --out shoot.zip"""

import argparse
import time

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from ._task import Tasks
from .envs import spaces_of


class Worlds(VecEnv):
    """The agents of many worlds as the environments of Stable-Baselines3."""

    render_mode = None

    def __init__(self, world, worlds, seed=0, **options):
        self.tasks = Tasks(world, range(seed, seed + worlds), **options)
        self.agents = len(self.tasks.agents)
        super().__init__(worlds * self.agents, *spaces_of(self.tasks))

    def reset(self):
        return self._flat(self.tasks.reset())

    def step_async(self, actions):
        self._actions = actions.reshape(self.tasks.actions.shape)

    def step_wait(self):
        t = self.tasks
        seen, rewards = self._flat(t.step(self._actions)), self._flat(t.rewards)
        ended = t.terminated | t.truncated
        done, infos = np.repeat(ended, self.agents), [{} for _ in rewards]
        for i in np.flatnonzero(done):
            world = i // self.agents
            infos[i] = {"terminal_observation": seen[i].copy(), "is_success": bool(t.success[world]),
                        "TimeLimit.truncated": bool(t.truncated[world])}
        if ended.any():
            seen = self._flat(t.reset(which=ended))
        return seen, rewards, done, infos

    def _flat(self, block):
        return block.reshape(self.num_envs, *block.shape[2:]).copy()

    def close(self):
        self.tasks.close()

    def get_attr(self, attr_name, indices=None):
        return [getattr(self, attr_name)] * self.num_envs

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * self.num_envs

    set_attr = env_method = None  # the worlds have one owner, which needs neither


def successes(model, world, worlds=20, episodes=10):
    """Returns the share of successes in the first episodes of some worlds that it has not learned from."""
    env, ended = Worlds(world, worlds, seed=1_000_000), []
    seen, left = env.reset(), np.full(env.num_envs, episodes)
    while left.any():
        seen, _, _, infos = env.step(model.predict(seen, deterministic=True)[0])
        for i, info in enumerate(infos):
            if info and left[i]:
                left[i] -= 1
                ended.append(info["is_success"])
    env.close()
    return np.mean(ended)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Learns a task with PPO.")
    parser.add_argument("world")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--out", default="policy.zip")
    args = parser.parse_args()
    torch.set_num_threads(2)
    env = VecMonitor(Worlds(args.world, 32))
    model = PPO("CnnPolicy" if env.observation_space.dtype == np.uint8 else "MlpPolicy", env, n_steps=128, batch_size=512,
                ent_coef=0.001, policy_kwargs={"log_std_init": -0.5}, seed=1, device="cpu", verbose=1)
    end = time.monotonic() + 60 * args.minutes
    model.learn(1 << 40, callback=lambda *_: time.monotonic() < end)
    model.save(args.out)
    env.close()
    print(f"{100 * successes(model, args.world):.0f} % of 200 new episodes succeed")
