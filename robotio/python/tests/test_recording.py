"""Tests of recordings. `go test ./robotio/python` records recorded.toml: 1 s, a restart, and 1 s again."""

import os
import unittest
from pathlib import Path

import numpy as np

import omnipitch
from test_sim import content

WORLD = Path(__file__).parent / "recorded.toml"
EXACT, PLAIN = (os.path.join(os.environ["RECORDINGS"], f) for f in ("match.mcap", "plain.mcap"))


def but_times(of):
    """Returns what content returned, without the times of the true state."""
    return [(name, level, frame, values) if name == "truth" else (name, level, frame, stamp, values)
            for name, level, frame, stamp, values in of]


class Recorded(unittest.TestCase):
    def test_recordings_are_the_run(self):
        for path in EXACT, PLAIN:
            with omnipitch.Recording(path) as recording, omnipitch.Sim(WORLD) as sim:
                self.assertEqual((recording.begin_s, recording.end_s, recording.robots), (0, 2, ["cyan1", "magenta1"]))
                states = []
                for ms in (5, 100, 350, 205):
                    sim.step(ms)
                    recording.step(ms)
                    states.append(content(sim))
                    self.assertEqual(content(recording), states[-1], (path, sim.time_s))
                self.assertEqual([(v.name, v.outcome) for v in recording.verdicts], [("drives", "passed")])
                for time_s, state in ((1.66, states[3]), (0.455, states[2]), (1.455, states[2])):
                    recording.seek(time_s)
                    self.assertEqual(but_times(content(recording))[0], but_times(state)[0], (path, time_s))
                    self.assertAlmostEqual(recording.time_s, time_s, places=9)
                recording.step(205)  # by now, each sensor has an observation again
                self.assertEqual(but_times(content(recording)), but_times(states[3]), path)
                recording.step(10_000)
                self.assertEqual(recording.time_s, 2)

    def test_columns(self):
        with omnipitch.Recording(EXACT, sensors=["cyan1.odometry", "cyan1.omni"]) as recording:
            truth = recording.columns()
            np.testing.assert_allclose(truth["stamp_s"], truth["time_s"], atol=1e-9)
            self.assertEqual(truth["time"][-1], np.timedelta64(1, "s"))  # since the restart
            robots = recording.columns("truth", "robots", start_s=0.5, end_s=0.6)
            self.assertEqual(list(robots["name"]), ["cyan1", "magenta1"] * 21)
            np.testing.assert_allclose(robots["time_s"], np.repeat(np.arange(100, 121), 2) / 200, atol=1e-9)
            x = robots["pose_wb_pos_x"][robots["name"] == "cyan1"]
            self.assertTrue((np.diff(x) > 0).all(), x)
            self.assertIn("pose_wb_rot_w", robots)
            events = recording.columns("truth", "events", end_s=0.99)
            at = events["kind"].tolist().index("collision")
            self.assertEqual((events["a"][at], events["b"][at]), ("cyan1", "magenta1"))
            self.assertGreater(events["closing"][at], 0.5)
            none = recording.columns("truth", "events", end_s=0.1)
            self.assertEqual({k: len(v) for k, v in none.items()}, dict.fromkeys(events, 0))
            odometry = recording.columns("cyan1.odometry")
            self.assertTrue((odometry["stamp_s"] <= odometry["time_s"]).all())
            self.assertGreater(len(odometry["twist_b_vx"]), 90)
            seen = recording.columns("cyan1.omni", "detections", start_s=0.3, end_s=0.5)
            self.assertLessEqual({"time_s", "stamp_s", "kind", "pos_b_x", "pos_b_y", "vel_known"}, set(seen))
            self.assertLessEqual({"ball", "robot"}, set(seen["kind"]))
            for columns in truth, robots, events, none, odometry, seen:
                self.assertEqual(len({v.shape for v in columns.values()}), 1)
                self.assertEqual({v.ndim for v in columns.values()}, {1})

    def test_images_at_another_level(self):
        for path in EXACT, PLAIN:
            with omnipitch.Recording(path, sensors="cyan1.omni", levels={"cyan1.omni": "ideal"}) as recording, \
                    omnipitch.Sim(WORLD, sensors="cyan1.omni", levels={"cyan1.omni": "ideal"}) as sim:
                images = {o.stamp: o.image.copy() for o in recording.each("cyan1.omni", start_s=0, end_s=0.2)}
                self.assertEqual(len(images), 5)
                while sim.time_s < 0.2:
                    if seen := sim.step(5)["cyan1.omni"]:
                        np.testing.assert_array_equal(images[seen.stamp], seen.image)

    def test_own_sensors(self):
        with omnipitch.Recording(EXACT, sensors=[]) as recording:
            recording.sensor("late", of="truth", latency_ms=50)(lambda seen, camera: {"ball": seen.ball_pos_w})
            recording.step(500)
            self.assertAlmostEqual(recording["late"].stamp, 0.45, places=9)
            recording.seek(0.2)
            recording.step(5)
            self.assertIsNone(recording["late"])  # nothing of later times is on its way

    def test_wrong_input(self):
        with self.assertRaisesRegex(omnipitch.WorldError, "no such file"):
            omnipitch.Recording("nothing.mcap")
        with self.assertRaisesRegex(omnipitch.WorldError, "must be an MCAP file"):
            omnipitch.Recording(WORLD)
        with self.assertRaisesRegex(omnipitch.WorldError, "levels: "):
            omnipitch.Recording(EXACT, levels={"cyan1.omni": "x"})
        with omnipitch.Sim(WORLD) as sim, self.assertRaisesRegex(omnipitch.WorldError, "is no recording"):
            omnipitch.Recording.seek(sim, 0)
        with omnipitch.Recording(EXACT) as recording:
            for time_s in (-1, 2.1, float("nan"), "x"):
                with self.assertRaisesRegex(omnipitch.WorldError, "seek: "):
                    recording.seek(time_s)
            for call in (recording.reset, recording.save, lambda: recording.do("drive", robot="cyan1", vx_m_s=1)):
                with self.assertRaisesRegex(omnipitch.WorldError, "a recording is played"):
                    call()
            with self.assertRaisesRegex(omnipitch.WorldError, "image is not a list"):
                recording.columns("cyan1.front", "image")
            with self.assertRaisesRegex(AttributeError, "has no detections"):
                recording.columns("cyan1.odometry", "detections")
