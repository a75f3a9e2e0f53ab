"""Tests of tasks against the running program. `go test ./robotio/python` runs them."""

import contextlib
import hashlib
import io
import os
import re
import textwrap
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import omnipitch
from omnipitch import Tasks

WORLD = """
name = "small"
seed = 3
[physics]
engine = "planar"
[ball]
x_m = { uniform = [1, 3] }
y_m = 0.5
[[robot]]
name = "a"
model = "nubot"
pose = { x_m = -1, heading_deg = 10 }
sensor = [{ name = "omni", level = "truth", latency_ms = 0 }]
[[robot]]
name = "b"
model = "nubot"
team = "magenta"
pose = { x_m = 4, y_m = 1 }
sensor = [{ name = "omni", level = "truth", latency_ms = 0 }]
[task]
agents = ["a", "b"]
actions = ["drive"]
limit_s = 2
failure = { near = { name = "a", of = "ball", within_m = 0.5 } }
[task.observe]
objects = { sensor = "omni", ball = 1, opponents = 2 }
pose = "truth"
places = ["opponent_goal"]
velocity = "truth"
[[task.reward]]
name = "closer"
agents = ["a"]
closer = { name = "a", to = "ball", per_m = 2 }
[[task.reward]]
name = "fast"
agents = ["b"]
when = { speed = { name = "b", over_m_s = 0.5 } }
amount = 7
[[task.reward]]
name = "time"
per_s = -1
"""


SHORT = {"include": ["task-shoot"], "name": "short", "task": {"limit_s": 2}}


TASKS = sorted(path.stem for path in (Path(__file__).parents[3] / "worlds").glob("task-*.toml"))


def hashes_of(world, n, steps, threads=2):
    """Returns hashes of what the first two of n worlds observe and are paid while agents act at random."""
    hashes = [hashlib.sha256() for _ in range(min(n, 2))]
    with mock.patch.dict(os.environ, GOMAXPROCS=str(threads)), Tasks(world, range(5, 5 + n)) as t:
        draws = [np.random.default_rng(i) for i in range(n)]
        t.reset()
        for _ in range(steps):
            t.step([d.uniform(-1, 1, t.actions.shape[1:]) for d in draws], restart=t.terminated | t.truncated)
            for i, h in enumerate(hashes):
                h.update(b"".join(x[i].tobytes() for x in (t.observations, t.states, t.rewards, t.terminated)))
    return [h.hexdigest() for h in hashes]


class Judging(unittest.TestCase):
    def test_rewards(self):
        with Tasks(WORLD, [1, 2]) as t:
            t.reset()
            truth = t.sims[1].truth

            def distance():
                return np.hypot(*(t.sims[1].truth.robots["pose_wb_pos"][0] - truth.ball_pos_w)[:2])

            self.assertEqual(t.sims[0].seed + 1, t.sims[1].seed)
            paid, at, times = np.zeros(2), distance(), [t.sims[1].time_s]
            for _ in range(12):
                t.step([[[0.2, 0, 0], [0, 0.4, 0]]] * 2)
                paid += t.rewards[1]
                times.append(t.sims[1].time_s)
            np.testing.assert_allclose(np.diff(times).mean(), 1 / 30, atol=1e-3)
            time = times[-1] - times[0]
            np.testing.assert_allclose(paid, [2 * (at - distance()) - time, 7 - time], atol=1e-6)

    def test_episodes_end(self):
        with Tasks(WORLD, [1, 2]) as t:
            t.reset()
            for _ in range(70):
                t.step([[[0.4, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]], which=~(t.terminated | t.truncated))
            self.assertEqual(t.terminated.tolist(), [True, False])
            self.assertEqual(t.truncated.tolist(), [False, True])
            self.assertEqual(t.success.tolist(), [False, False])
            self.assertLess(t.sims[0].time_s, 2)
            self.assertAlmostEqual(t.sims[1].time_s, 2, places=6)
            other = t.sims[1].truth.ball_pos_w[0]
            t.reset([7, None], which=np.array([True, False]))
            self.assertEqual((t.sims[0].time_s < 0.1, t.terminated[0], t.truncated[1]), (True, False, True))
            t.reset(which=np.array([False, True]))
            self.assertNotEqual(t.sims[1].truth.ball_pos_w[0], other)
            self.assertEqual(t.rewards.tolist(), [[0, 0], [0, 0]])


class Observing(unittest.TestCase):
    def test_columns(self):
        with Tasks(WORLD, [1]) as t:
            t.reset()
            for _ in range(3):
                t.step([[[0.2, 0.1, 0.1], [0.1, 0, 0]]])
            truth = t.sims[0].truth
            for k, sign in enumerate((1, -1)):  # magenta attacks towards -x
                seen = dict(zip(t.columns, t.observations[0, k]))
                robot, other = truth.robots[k], truth.robots[1 - k]
                w, _, _, z = robot["pose_wb_rot"]
                heading, at = 2 * np.arctan2(z, w), robot["pose_wb_pos"][:2]

                def check(name, to):
                    d, bearing = to - at, np.arctan2(*(to - at)[::-1]) - heading
                    np.testing.assert_allclose([seen[f"{name}.{c}"] for c in ("distance", "cos", "sin")],
                                               [np.hypot(*d) / 10, np.cos(bearing), np.sin(bearing)], atol=0.02)

                check("ball", truth.ball_pos_w[:2])
                check("opponent1", other["pose_wb_pos"][:2])
                check("opponent_goal", np.array([sign * 9.25, 0]))
                np.testing.assert_allclose([seen["pose.x"], seen["pose.y"], seen["pose.cos"]],
                                           [sign * at[0] / 10, sign * at[1] / 10, sign * np.cos(heading)], atol=1e-6)
                self.assertEqual((seen["ball.present"], seen["opponent1.present"], seen["opponent2.present"]), (1, 1, 0))
                self.assertGreater(seen["velocity.vx"], 0.01)
            state = dict(zip(t.state_columns, t.states[0]))
            self.assertAlmostEqual(state["b.x"], truth.robots["pose_wb_pos"][1][0] / 10, places=6)

    def test_python_replaces_parts(self):
        def observe(sim, agent, seen):
            return np.array([sim.time_s, len(agent), len(seen)])

        with Tasks(WORLD, [1], reward=lambda sim, agent, paid: paid + 100, observe=observe,
                   act=lambda sim, agent, forward: [forward, 0, 0]) as t:
            t.reset()
            t.step([[1.0, -1.0]])
            self.assertEqual(t.observations.shape, (1, 2, 3))
            self.assertEqual(t.observations[0, 0, 1:].tolist(), [1, len(t.columns)])
            self.assertTrue((t.rewards > 90).all())
            self.assertGreater(t.sims[0].truth.robots["twist_wb_in_w_lin"][0, 0], 0)


class Repeating(unittest.TestCase):
    def test_worlds_and_threads_give_the_same_bytes(self):
        steps = int(os.environ.get("OMNIPITCH_TASK_STEPS", 45))  # episodes of SHORT last 20 decisions
        self.assertIn("task-5v5", TASKS)
        for world in (SHORT, *TASKS):
            with self.subTest(world):
                one = hashes_of(world, 1, steps)
                many = hashes_of(world, int(os.environ.get("OMNIPITCH_TASK_WORLDS", 3)), steps, threads=8)
                self.assertEqual(one[0], many[0])
                self.assertNotEqual(many[0], many[1])
                self.assertEqual(hashes_of(world, 2, steps, threads=1), many)

    def test_restored_tasks_continue(self):
        def play(t, decisions):
            draw, seen = np.random.default_rng(1), []
            for _ in range(decisions):
                t.step(draw.uniform(-1, 1, t.actions.shape), restart=t.terminated | t.truncated)
                seen.append([x.tobytes() for x in (t.observations, t.states, t.rewards, t.terminated, t.truncated)])
            return seen

        for world in (WORLD, *TASKS):
            decisions = 45 if world == WORLD else 20  # episodes of WORLD last 20 decisions
            with self.subTest(world), Tasks(world, [1, 2]) as t:
                t.reset()
                play(t, decisions)
                saved, at = [s.save() for s in t.sims], t.observations.tobytes()
                expected = play(t, decisions)
                for _ in range(2):
                    t.reset()
                    for sim, state in zip(t.sims, saved):
                        sim.restore(state)
                    self.assertEqual(t.observations.tobytes(), at)
                    self.assertEqual(play(t, decisions), expected)


class Documentation(unittest.TestCase):
    def test_examples(self):
        page = (Path(__file__).parents[3] / "docs" / "learning.md").read_text()
        examples = re.findall("```python\n(.*?)```", page, re.DOTALL)
        self.assertGreater(len(examples), 0)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec("\n".join(examples), {})
        self.assertRegex(out.getvalue(), r"ball\.present")


class Failing(unittest.TestCase):
    def test_wrong_input(self):
        with self.assertRaisesRegex(omnipitch.WorldError, r"has no \[task\]"):
            Tasks("planar", [1])
        with Tasks(WORLD, [1]) as t:
            t.reset()
            before = t.sims[0].time_s
            for actions, rule in (([[[0, 0, np.nan], [0, 0, 0]]], "actions of a: a number is NaN"), ([[[0, 0]]], "shape")):
                with self.assertRaisesRegex(ValueError, rule):
                    t.step(actions)
            t.step([[[np.inf, 0, 0], [0, 0, 0]]])
            self.assertGreater(t.sims[0].time_s, before)
        with self.assertRaisesRegex(omnipitch.SimulationError, "closed"):
            t.step()

    def test_wrong_tasks(self):
        for old, new, rule in (
                ('agents = ["a", "b"]', 'agents = ["a", "c"]', r'task: agents\[1\] = "c": there is no such robot'),
                ('actions = ["drive"]', 'actions = ["fly"]', "drive"),
                ('places = ["opponent_goal"]', 'places = ["heaven"]', "there is no such area"),
                ('pose = "truth"\nplaces', "places", "places.*needs pose"),
                ('to = "ball"', 'to = "x"', "is neither ball, robot, obstacle nor area"),
                ('to = "ball"', 'to = "robot"', "is neither ball, robot, obstacle nor area"),  # a kind is many bodies
                ('name = "a", to', 'name = "robot", to', "is neither ball, robot nor obstacle"),
                ('to = "ball"', 'to = "a"', "must be another body"),
                ('agents = ["b"]', 'agents = ["z"]', "is no agent"),
                ('velocity = "truth"', 'image = "omni"', "must be at"),
                ('sensor = "omni", ball', 'sensor = "imu", ball', "must be a camera"),
                ("when = { speed = { name = \"b\", over_m_s = 0.5 } }", "", "amount.*needs when")):
            self.assertIn(old, WORLD)
            with self.subTest(new), self.assertRaisesRegex(omnipitch.WorldError, rule):
                omnipitch.Sim(textwrap.dedent(WORLD.replace(old, new)), sensors=[])


if __name__ == "__main__":
    unittest.main()
