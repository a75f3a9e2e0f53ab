"""Tests of the environments, with the checkers of Gymnasium and PettingZoo. `go test ./robotio/python` runs them."""

import contextlib
import os
import re
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import numpy as np

try:
    import gymnasium
    import pettingzoo
except ImportError as e:
    raise unittest.SkipTest(str(e))

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import parallel_api_test, parallel_seed_test

import omnipitch
from omnipitch.envs import SHIPPED
from omnipitch.parallel import parallel_env


class Checkers(unittest.TestCase):
    def test_gymnasium(self):
        for name, world in SHIPPED.items():
            with self.subTest(name):
                try:
                    env = gymnasium.make(f"omnipitch/{name}-v0", render_mode="rgb_array" if name == "Shoot" else None)
                except omnipitch.WorldError as e:
                    self.assertRegex(str(e), "agents: use gymnasium.make_vec")
                    self.assertIn(name, ("Pass", "TwoVersusTwo", "FiveVersusFive"))
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    with mock.patch("omnipitch.envs.Window") as window:
                        check_env(env.unwrapped, skip_render_check=name != "Shoot")
                    self.assertEqual(window.return_value.show.called, name == "Shoot")
                env.close()

    def test_pettingzoo(self):
        for world in SHIPPED.values():
            with self.subTest(world):
                env = parallel_env(world)
                parallel_api_test(env, num_cycles=20)
                env.close()
                parallel_seed_test(lambda: parallel_env(world), num_cycles=20)


class Documentation(unittest.TestCase):
    def test_examples(self):
        page = (Path(__file__).parents[3] / "docs" / "learning.md").read_text()
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "my-task.toml").write_text('include = ["task-reach"]\nname = "my-task"\n')
            before = os.getcwd()
            self.addCleanup(os.chdir, before)
            os.chdir(folder)
            for section, names in ("Gymnasium", ("env", "many", "own")), ("PettingZoo", ("env",)):
                text = re.search(f"\n## {section}\n(.*?)\n## ", page, re.DOTALL)[1]
                made = {}
                exec("\n".join(line[4:] for line in text.splitlines() if line.startswith("    ")), made)
                for name in names:
                    with contextlib.closing(made[name]) as env:
                        with mock.patch("omnipitch.envs.Window"):
                            env.reset()
            os.chdir(before)


class Vectors(unittest.TestCase):
    def play(self, mode, steps=200, **options):
        """Returns what two worlds of a short task give to random agents, and where episodes ended."""
        world = {"include": ["task-reach"], "name": "short", "task": {"limit_s": 2}}
        env = gymnasium.make_vec("omnipitch/Task-v0", num_envs=2, world=world, autoreset_mode=mode, **options)
        self.assertEqual(env.metadata["autoreset_mode"], mode)
        seen, _ = env.reset(seed=4)
        draw, all_seen, ends = np.random.default_rng(0), [seen], []
        for i in range(steps):
            seen, rewards, terminated, truncated, infos = env.step(draw.uniform(-1, 1, env.action_space.shape))
            self.assertEqual((seen.shape, rewards.dtype), (env.observation_space.shape, np.float64))
            done = terminated | truncated
            if done.any():
                ends.append(i)
                if mode is AutoresetMode.SAME_STEP:
                    self.assertEqual(infos["_final_obs"].tolist(), done.tolist())
                    self.assertFalse(np.array_equal(infos["final_obs"][np.flatnonzero(done)[0]], seen[done][0]))
                if mode is AutoresetMode.DISABLED:
                    with self.assertRaisesRegex(omnipitch.WorldError, "have ended: reset them"):
                        env.step(env.action_space.sample())
                    fresh, _ = env.reset(options={"reset_mask": done})
                    self.assertTrue(np.array_equal(fresh[~done], seen[~done]))
                    seen = fresh
            all_seen.append(seen)
        env.close()
        return all_seen, ends

    def test_autoreset(self):
        same, ends = self.play(AutoresetMode.SAME_STEP)
        off, off_ends = self.play(AutoresetMode.DISABLED)
        later, later_ends = self.play(AutoresetMode.NEXT_STEP)
        self.assertGreaterEqual(len(ends), 3)
        self.assertEqual((ends, ends[0]), (off_ends, later_ends[0]))
        self.assertTrue(all(map(np.array_equal, same, off)))
        self.assertEqual(later_ends[1], ends[1] + 1)  # a step for the reset

    def test_agents_are_environments(self):
        env = gymnasium.make_vec("omnipitch/TwoVersusTwo-v0", num_envs=8)
        seen, _ = env.reset(seed=1)
        self.assertEqual(seen.shape[0], 8)
        self.assertEqual(env.step(env.action_space.sample())[0].shape, seen.shape)
        env.close()
        with self.assertRaisesRegex(omnipitch.WorldError, "multiple of the 4 agents"):
            gymnasium.make_vec("omnipitch/TwoVersusTwo-v0", num_envs=6)

    def test_images(self):
        env = gymnasium.make_vec("omnipitch/FindBall-v0", num_envs=2, render_mode="rgb_array")
        seen, _ = env.reset(seed=1)
        self.assertEqual((seen.shape, seen.dtype), ((2, 64, 64, 3), np.uint8))
        self.assertGreater(seen[0].std(), 5)
        first = env.render()[0]
        self.assertGreater(first.std(), 5)
        for _ in range(10):
            env.step(np.ones(env.action_space.shape))
        self.assertFalse(np.array_equal(env.render()[0], first))
        env.close()


if __name__ == "__main__":
    unittest.main()
