"""Tests of sensors in Python, and of the geometry of cameras."""

import unittest

import numpy as np

import omnipitch

WORLD = """
name = "seen"
include = ["nubot-attack"]
[[robot]]
name = "cyan1"
sensor = [{ name = "omni", level = "ideal", ground_truth = true }, { name = "front", level = "ideal", ground_truth = true }]
"""


def in_robot(sim, robot, pos_w):
    pose = sim.truth.robots[sim.robots.index(robot)]
    w, _, _, z = pose["pose_wb_rot"]
    heading = 2 * np.arctan2(z, w)
    d = pos_w - pose["pose_wb_pos"]
    return np.array([np.cos(heading) * d[0] + np.sin(heading) * d[1], np.cos(heading) * d[1] - np.sin(heading) * d[0], d[2]])


class Geometry(unittest.TestCase):
    def test_pixels_show_the_floor(self):
        with omnipitch.Sim(WORLD, sensors="cyan1.*") as sim:
            observations = sim.step(100)
            for name in "cyan1.omni", "cyan1.front":
                seen, camera = observations[name], sim.camera(name)
                v, u = np.nonzero(seen.true_labels == 2)  # the floor
                points = camera.floor(seen, u, v)
                self.assertEqual(points.shape, (len(u), 3))
                along = np.linalg.norm(points - seen.pose_bc_pos, axis=1)
                np.testing.assert_allclose(along, seen.true_range[v, u], atol=1e-3)
                np.testing.assert_allclose(points[:, 2], 0, atol=1e-9)
                v, u = np.nonzero(seen.true_labels == 13)  # the ball
                self.assertGreater(len(u), 100)
                at = camera.floor(seen, u.mean(), v.mean(), z=sim.truth.ball_pos_w[2])
                np.testing.assert_allclose(at[:2], in_robot(sim, "cyan1", sim.truth.ball_pos_w)[:2], atol=0.02)
            front, camera = observations["cyan1.front"], sim.camera("cyan1.front")
            self.assertTrue(np.isnan(camera.floor(front, 320, 0)).all())  # above the horizon
            with self.assertRaisesRegex(omnipitch.WorldError, "is no camera"):
                sim.camera("cyan1.odometry")


class OwnSensors(unittest.TestCase):
    def test_beside_the_others(self):
        with omnipitch.Sim("nubot-attack", sensors="cyan1.front", levels={"cyan1.front": "raw"}) as sim:
            calls = []

            @sim.sensor("cyan1.mean", of="cyan1.front", level="mine", latency_ms=20)
            def mean(seen, camera):
                calls.append(seen.stamp)
                self.assertEqual(camera.directions.shape, seen.image.shape)
                return {"mean": seen.image.mean(), "first": seen.image[0, 0]} if seen.frame != 2 else None

            @sim.sensor("cyan1.doubled", of="cyan1.mean")
            def doubled(seen, camera):
                return {"value": 2 * seen.mean}

            self.assertIsNone(sim["cyan1.mean"])
            observations = sim.step(185)
            self.assertEqual(list(observations), ["cyan1.front", "cyan1.mean", "cyan1.doubled"])
            self.assertEqual(len(calls), 5)  # one for each image, though there was only one call of step
            seen = observations["cyan1.mean"]
            self.assertEqual((seen.level, seen.keys(), seen.first.shape), ("mine", ["mean", "first"], (3,)))
            self.assertEqual(observations["cyan1.doubled"].value, 2 * seen.mean)
            self.assertLess(seen.stamp, observations["cyan1.front"].stamp)  # because of its latency
            with self.assertRaises(ValueError):
                seen.first[0] = 0
            with self.assertRaisesRegex(AttributeError, "cyan1.mean has no image, but mean, first"):
                seen.image
            frames = set()
            for _ in range(40):
                frames.add(sim.step(5)["cyan1.mean"].frame)
            self.assertEqual(len(frames), 6)

    def test_runs_repeat(self):
        with omnipitch.Sim("planar", seed=3, sensors="cyan1.odometry") as sim:
            @sim.sensor("cyan1.noisy", of="truth", latency_ms=15)
            def noisy(seen, camera):
                noise = np.random.default_rng((sim.seed, seen.frame)).normal(size=3)
                return {"ball": seen.ball_pos_w + noise}

            def run():
                return [(sim.step(33) and sim["cyan1.noisy"].ball.tolist(), sim["cyan1.noisy"].stamp) for _ in range(10)]

            sim.reset()
            self.assertIsNone(sim["cyan1.noisy"])
            first = run()
            state = sim.save()
            then = run()
            self.assertNotEqual(first, then)
            sim.step(500)
            sim.restore(state)
            self.assertEqual(run(), then)
            sim.reset()
            self.assertEqual(run(), first)

    def test_wrong_input(self):
        with omnipitch.Sim("planar", sensors="cyan1.odometry") as sim:
            for name, of, latency in (("cyan1.odometry", "truth", 0), ("x", "nothing", 0), ("x", "truth", -1)):
                with self.assertRaises(omnipitch.WorldError):
                    sim.sensor(name, of=of, latency_ms=latency)
            sim.sensor("x", of="truth")(lambda seen, camera: 5)
            with self.assertRaisesRegex(omnipitch.WorldError, "x: returned a int: must be a dict"):
                sim.step(5)
        with omnipitch.Batch("planar", [1]) as batch, self.assertRaises(omnipitch.WorldError):
            batch[0].sensor("x", of="truth")
