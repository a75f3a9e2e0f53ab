"""Learns a task with PPO of Stable-Baselines3: python -m omnipitch.train task-shoot --minutes 15 --out shoot.zip"""

import argparse
import time

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv, VecMonitor
from torch import nn

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


class SmallImages(BaseFeaturesExtractor):
    """A convolutional network for images of about 64 × 64 pixels, with a seventh of the operations of NatureCNN."""

    def __init__(self, space, features=128):
        super().__init__(space, features)
        self.net = nn.Sequential(nn.Conv2d(3, 16, 8, 4), nn.ReLU(), nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.Flatten(),
                                 nn.LazyLinear(features), nn.ReLU())
        self.net(torch.zeros(1, *space.shape))

    def forward(self, images):
        return self.net(images)


def learn(world, minutes=float("inf"), decisions=1 << 40, verbose=1, **options):
    """Returns a policy that PPO has learned in a number of minutes, or of decisions. Options are those of Tasks."""
    env, end = VecMonitor(Worlds(world, 32, **options)), time.monotonic() + 60 * minutes
    policy = {"log_std_init": -0.5}
    common = {"ent_coef": 0.001, "policy_kwargs": policy, "seed": 1, "device": "cpu", "verbose": verbose}
    if env.observation_space.dtype == np.uint8:
        policy["features_extractor_class"] = SmallImages
        model = PPO("CnnPolicy", env, n_steps=64, batch_size=256, n_epochs=4, gamma=0.97, learning_rate=5e-4, **common)
    else:
        model = PPO("MlpPolicy", env, n_steps=128, batch_size=512, **common)
    model.learn(decisions, callback=lambda *_: time.monotonic() < end)
    env.close()
    return model


def successes(model, world, worlds=20, episodes=10, **options):
    """Returns the share of successes in the first episodes of some worlds that it has not learned from."""
    env, ended = Worlds(world, worlds, seed=1_000_000, **options), []
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
    model = learn(args.world, args.minutes)
    model.save(args.out)
    print(f"{100 * successes(model, args.world):.0f} % of 200 new episodes succeed")
