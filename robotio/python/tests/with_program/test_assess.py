"""Tests of assessments and pictures, which need the whole program omnipitch."""

import json
import tempfile
import unittest
from pathlib import Path

import cv2
import numpy as np

import omnipitch

LEVELS = {"cyan1.omni": "truth"}


def truth(seen, camera):
    """A vision that reports what level truth says."""
    of = seen.detections
    ball = of[of["kind"] == "ball"]["pos_b"]
    others = of[(of["kind"] == "robot") | (of["kind"] == "obstacle")]["pos_b"]
    w, _, _, z = seen.self_rot
    return {"ball": ball[0], "obstacles": others, "self": (*seen.self_pos[:2], 2 * np.arctan2(z, w))} if len(ball) else {}


def kinds(result):
    return {c["kind"]: c for c in result["channels"]}


class Assessing(unittest.TestCase):
    def test_truth_has_no_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            result = omnipitch.assess(truth, "nubot-attack", robot="cyan1", reports=("ball", "obstacles", "self"), for_s=4,
                                      levels=LEVELS, out=f"{folder}/out")
            self.assertEqual((result["verdict"], result["sensor"], result["tour"]), ("passed", "omni", "drive"))
            of = kinds(result)
            self.assertEqual(set(of), {"ball", "obstacles", "self"})
            for kind, channel in of.items():
                self.assertGreater(channel["position_m"]["n"], 50, kind)
                self.assertLess(channel["position_m"]["p95"], 0.01, kind)
                self.assertEqual((channel["missed"], channel["false"]), (0, 0), kind)
            written = json.loads(Path(folder, "out/summary.json").read_text())
            self.assertEqual(written, result)
            self.assertTrue(Path(folder, "out/page.html").exists())
            with self.assertRaisesRegex(omnipitch.WorldError, "out"):
                omnipitch.assess(truth, "nubot-attack", robot="cyan1", out=f"{folder}/out")

    def test_errors_are_measured(self):
        def wrong(seen, camera):
            found = truth(seen, camera)
            return {"ball": found["ball"] * 1.05} if found and seen.frame % 4 else {}

        result = omnipitch.assess(wrong, "nubot-attack", robot="cyan1", for_s=4, levels=LEVELS)
        ball = kinds(result)["ball"]
        self.assertAlmostEqual(ball["miss_rate"], 0.25, delta=0.05)
        near = next(b for x in ball["over"] if x["name"] == "distance" for b in x["bins"] if b["position_m"]["n"] > 5)
        middle = (near["from"] + near["to"]) / 2
        self.assertAlmostEqual(near["along_m"]["median"], 0.05 * middle, delta=0.03)

    def test_limits_of_the_world(self):
        world = Path(__file__).with_name("limit.toml")
        for gain, verdict in ((1, "passed"), (1.2, "failed")):
            result = omnipitch.assess(lambda seen, camera: {"ball": gain * truth(seen, camera)["ball"]}, world, for_s=2,
                                      tour="none")
            self.assertEqual(result["verdict"], verdict)

    def test_wrong_input(self):
        for arguments, rule in (({"robot": "x"}, "no such robot"), ({"robot": None}, "2 robots: robot names"),
                                ({"sensor": "x"}, "no such camera"), ({"reports": "goal"}, "self, ball or obstacles"),
                                ({"reports": ()}, "0 topics"), ({"for_s": 0}, "for_s = 0"), ({"tour": "x"}, "tour = "),
                                ({"visible": 2}, "visible = 2"), ({"fit": "x"}, "fit = "), ({"for_s": float("nan")}, "NaN")):
            with self.assertRaisesRegex(omnipitch.WorldError, rule):
                omnipitch.assess(truth, **{"world": "nubot-attack", "robot": "cyan1", "levels": LEVELS} | arguments)
        for found, rule in ((5, "must be a dict"), ({"goal": 1}, "report of .*goal"), ({"ball": "x"}, "report of .*ball"),
                            ({"ball": float("nan")}, "NaN")):
            with self.assertRaisesRegex(omnipitch.WorldError, rule):
                omnipitch.assess(lambda seen, camera: found, "nubot-attack", robot="cyan1", levels=LEVELS)

    def test_a_vision_that_never_reports(self):
        result = omnipitch.assess(lambda seen, camera: {}, "nubot-attack", robot="cyan1", levels=LEVELS)
        self.assertEqual(result["verdict"], "never started")


class Showing(unittest.TestCase):
    def test_pictures(self):
        with omnipitch.Sim("nubot-attack", seed=1, levels={"cyan1.front": "raw"}, sensors="cyan1.front") as sim, \
                omnipitch.Sim("nubot-attack", seed=1, levels={"cyan1.front": "raw"}, sensors="cyan1.front") as other:
            sim.step(200)
            above = cv2.imdecode(np.frombuffer(sim.show()._repr_png_(), np.uint8), cv2.IMREAD_COLOR)
            self.assertEqual(above.shape[1], 960)
            self.assertGreater(above.std(), 10)
            front = cv2.imdecode(np.frombuffer(sim.show("cyan1.front").png, np.uint8), cv2.IMREAD_COLOR)
            self.assertEqual(front.shape, sim["cyan1.front"].image.shape)
            self.assertLess(np.abs(front[..., ::-1].astype(int) - sim["cyan1.front"].image).mean(), 10)
            with self.assertRaisesRegex(omnipitch.WorldError, "is no camera"):
                sim.show("cyan1.x")
            other.step(200)  # pictures do not change the run
            for one in sim, other:
                one.step(200)
            np.testing.assert_array_equal(sim["cyan1.front"].image, other["cyan1.front"].image)
            self.assertEqual(sim.truth.robots.tobytes(), other.truth.robots.tobytes())
