"""Tests of the package omnipitch against the running program. `go test ./robotio/python` runs them."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import numpy as np

import omnipitch


def content(sim):
    """Returns the bytes of the true state and of all observations."""
    everything = [sim.truth, *(o for o in sim.observations.values() if o is not None)]
    return [(o.name, o.level, o.frame, o.stamp, {k: np.asarray(getattr(o, k)).tobytes() for k in o.keys()})
            for o in everything]


class Observing(unittest.TestCase):
    def test_objects_at_truth_are_the_true_state(self):
        with omnipitch.Sim("nubot-attack", levels={"*": "truth"}, sensors="cyan1.omni") as sim:
            seen = sim.step(100)["cyan1.omni"]
            ball = seen.detections[seen.detections["kind"] == "ball"]
            self.assertEqual(len(ball), 1)
            self.assertEqual(seen.stamp, sim.time_s - sim.step_s * round((sim.time_s - seen.stamp) / sim.step_s))
            robot = sim.truth.robots[sim.robots.index("cyan1")]
            w, x, y, z = robot["pose_wb_rot"]
            heading = 2 * np.arctan2(z, w)
            d = sim.truth.ball_pos_w - robot["pose_wb_pos"]
            expected = [np.cos(heading) * d[0] + np.sin(heading) * d[1], -np.sin(heading) * d[0] + np.cos(heading) * d[1]]
            np.testing.assert_allclose(ball["pos_b"][0][:2], expected, atol=1e-3)

    def test_images_have_their_shape_and_change_level(self):
        with omnipitch.Sim("nubot-attack", levels={"magenta1.*": "raw"}, sensors="magenta1.kinect_left") as sim:
            kinect = sim.step(200)["magenta1.kinect_left"]
            self.assertEqual(kinect.image.shape, kinect.depth.shape + (3,))
            self.assertEqual((kinect.image.dtype, kinect.depth.dtype), (np.uint8, np.float32))
            self.assertGreater(kinect.image.std(), 5)
            self.assertGreater((np.isfinite(kinect.depth) & (kinect.depth > 0.3)).mean(), 0.05)
            with self.assertRaises(ValueError):
                kinect.image[0, 0] = 0
            sim.do("set_level", robot="magenta1", sensor="kinect_left", level="features")
            after = sim.step(200)[kinect.name]
            self.assertEqual(after.level, "features")
            self.assertEqual(after.obstacles.dtype["max_u"], np.float64)
            with self.assertRaisesRegex(AttributeError, "has no image, but .*obstacles"):
                after.image

    def test_laser(self):
        with omnipitch.Sim("sensors", sensors="cyan1.laser") as sim:
            laser = sim.step(200)["cyan1.laser"]
            self.assertAlmostEqual(laser.first + laser.step * (len(laser.ranges) - 1), laser.last, places=6)
            self.assertGreater(np.isfinite(laser.ranges).sum(), 10)

    def test_every_reading_has_numbers(self):
        with omnipitch.Sim("sensors", levels={"*": "truth"}) as sim:
            for name, o in sim.step(1000).items():
                self.assertIsNotNone(o, name)
                self.assertTrue(o.keys(), name)
                for key in o.keys():
                    value = np.asarray(getattr(o, key))
                    if value.dtype.kind == "f" and not key.startswith("range"):
                        self.assertTrue(np.isfinite(value).all(), f"{name} {key} {value}")

    def test_names_are_whole(self):
        long = "a-box-with-a-name-that-is-longer-than-any-other"
        world = {"name": "named", "robot": [{"name": "a", "model": "nubot"}],
                 "box": [{"name": long, "size_m": [0.5, 0.5, 0.5], "pose": {"x_m": 2}}]}
        with omnipitch.Sim(world, levels={"*": "truth"}, sensors="a.omni") as sim:
            names = set(sim.step(100)["a.omni"].detections["name"])
        self.assertLessEqual({long, "ball", "post_minus_left", "post_plus_right"}, names)

    def test_observed_sensors(self):
        with omnipitch.Sim("planar", sensors=["*.odometry"]) as sim:
            self.assertTrue(sim.sensors and all(s.endswith(".odometry") for s in sim.sensors), sim.sensors)
            with self.assertRaisesRegex(omnipitch.WorldError, "is no observed sensor"):
                sim["cyan1.nothing"]


class Repeating(unittest.TestCase):
    def run_of(self, sim):
        sim.do("drive", robot=sim.robots[0], vx_m_s=0.5, vy_m_s=0, omega_deg_s=10)
        all_content = []
        for _ in range(5):
            sim.step(33)
            all_content.append(content(sim))
        return all_content

    def test_runs_repeat(self):
        with omnipitch.Sim("nubot-attack", seed=7, levels={"*": "objects"}) as sim:
            sim.reset()
            first = self.run_of(sim)
            sim.reset(seed=8)
            other = self.run_of(sim)
            self.assertEqual(sim.seed, 8)
            sim.reset(seed=7)
            self.assertEqual(self.run_of(sim), first)
        self.assertNotEqual(other, first)
        with omnipitch.Batch("nubot-attack", [7, 8], levels={"*": "objects"}) as batch:
            batch.reset()
            for sim in batch:
                sim.do("drive", robot="cyan1", vx_m_s=0.5, vy_m_s=0, omega_deg_s=10)
            got = [[], []]
            for _ in range(5):
                batch.step(33)
                for g, sim in zip(got, batch):
                    g.append(content(sim))
            self.assertEqual(got, [first, other])

    def test_restored_states_continue(self):
        for world, levels in (("nubot-attack", {"*": "objects", "cyan1.front": "raw"}), ("planar", {"*": "objects"})):
            with omnipitch.Sim(world, seed=7, levels=levels) as sim:
                sim.reset()
                self.run_of(sim)
                sim.do("dribble", robot=sim.robots[0], enable=True)
                with self.assertRaisesRegex(omnipitch.WorldError, "step first"):
                    sim.save()
                sim.step(100)
                state, at = sim.save(), content(sim)
                expected = self.run_of(sim)
                sim.step(500)
                for _ in range(2):
                    sim.restore(state)
                    self.assertEqual(content(sim), at, world)
                    self.assertEqual(self.run_of(sim), expected, world)
        with omnipitch.Batch("planar", [3, 3, 4]) as batch:
            batch[0].step(200)
            state, at = batch[0].save(), content(batch[0])
            expected = self.run_of(batch[0])
            batch[1].restore(state)
            self.assertEqual(content(batch[1]), at)
            self.assertEqual(self.run_of(batch[1]), expected)
            with self.assertRaisesRegex(omnipitch.Error, "another world or seed"):
                batch[2].restore(state)
            with omnipitch.Sim("planar") as other, self.assertRaisesRegex(omnipitch.WorldError, "another Sim or batch"):
                other.restore(state)

    def test_verdicts(self):
        text = textwrap.dedent("""
            name = "drive"
            [[robot]]
            name = "r"
            model = "nubot"
            [[expect]]
            name = "drives"
            eventually = { speed = { name = "r", over_m_s = 0.3 } }
            within_s = 2
            """)
        with omnipitch.Sim(text, sensors=[]) as sim:
            sim.do("drive", robot="r", vx_m_s=0.5)
            sim.step(2500)
            self.assertEqual([(v.name, v.outcome) for v in sim.verdicts], [("drives", "passed")])
            self.assertTrue(0 < sim.verdicts[0].at_s < 2)
            sim.reset()
            self.assertEqual(sim.verdicts, [])
            sim.step(2500)
            self.assertEqual([v.outcome for v in sim.verdicts], ["failed"])

    def test_world_as_dict(self):
        world = {"name": "two", "robot": [{"name": "a", "model": "nubot"},
                                          {"name": "b", "model": "nubot", "pose": {"x_m": np.float64(2), "y_m": 1}}]}
        with omnipitch.Sim(world, sensors="b.*") as sim:
            self.assertEqual((sim.name, sim.robots), ("two", ["a", "b"]))
            np.testing.assert_allclose(sim.truth.robots["pose_wb_pos"][1][:2], [2, 1], atol=1e-6)


class Failing(unittest.TestCase):
    def test_wrong_input(self):
        for world, rule in (("no-such-world", "is no world that ships"), ({"name": "x"}, "needs at least one"),
                            ({"robot": [{"name": "a", "model": "nubot", "pose": {"x_m": float("nan")}}]}, "NaN"),
                            ({"robot": object()}, "has no place in a world")):
            with self.assertRaisesRegex(omnipitch.WorldError, rule):
                omnipitch.Sim(world)
        with self.assertRaisesRegex(omnipitch.WorldError, "levels: .*did you mean objects"):
            omnipitch.Sim("planar", levels={"*": "object"})
        with self.assertRaisesRegex(omnipitch.WorldError, "sensors: "):
            omnipitch.Sim("planar", sensors="nobody.*")
        with self.assertRaisesRegex(omnipitch.SimulationError, "is no program"):
            omnipitch.Sim("planar", program="/no/such/program")
        with omnipitch.Sim("planar", sensors=[]) as sim:
            before = content(sim)
            for action, fields, rule in (("drive", {"robot": "nobody"}, "nobody"), ("fly", {}, "fly"),
                                         ("drive", {"robot": sim.robots[0], "vx_m_s": float("inf")}, "infinite"),
                                         ("place", {"name": "ball", "x_m": 1e9}, "x_m")):
                with self.assertRaisesRegex(omnipitch.WorldError, rule):
                    sim.do(action, **fields)
            for ms in (0, -1, 1e12, float("nan"), "x"):
                with self.assertRaises(omnipitch.WorldError):
                    sim.step(ms)
            self.assertEqual(content(sim), before)
            sim.step(5)
        sim.close()
        with self.assertRaisesRegex(omnipitch.SimulationError, "closed"):
            sim.step(5)

    def test_interrupt_ends_the_steps(self):
        with omnipitch.Sim("planar", sensors=[]) as sim:
            timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                sim.step(80_000_000)
            timer.join()
            at = sim.time_s
            self.assertLess(at, 80_000)
            sim.step(10)
            self.assertAlmostEqual(sim.time_s, at + 0.01, places=6)

    def test_killed_simulator(self):
        sim = omnipitch.Sim("planar", sensors=[])
        sim._process._program.kill()
        with self.assertRaisesRegex(omnipitch.SimulationError, "has ended"):
            sim.step(5)
        with self.assertRaisesRegex(omnipitch.SimulationError, "closed"):
            sim.step(5)

    def test_dead_program_leaves_no_simulator(self):
        code = """
            import os, omnipitch
            sim = omnipitch.Sim("planar", sensors=[])
            print(sim._process._program.pid, flush=True)
            {}
            """
        for end in ("os._exit(1)", "os.kill(os.getpid(), 9)", "sim.step(80_000_000)"):
            child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code.format(end))], stdout=subprocess.PIPE)
            pid = int(child.stdout.readline())
            if "step" in end:
                child.kill()
            child.wait()
            child.stdout.close()
            deadline = time.monotonic() + 30
            while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertFalse(os.path.exists(f"/proc/{pid}"), end)

    def test_forked_program_is_refused(self):
        with omnipitch.Sim("planar", sensors=[]) as sim:
            pid = os.fork()
            if pid == 0:
                try:
                    sim.step(5)
                except omnipitch.SimulationError as e:
                    os._exit(0 if "open one in each process" in str(e) else 1)
                os._exit(2)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
            sim.step(5)


if __name__ == "__main__":
    unittest.main()
