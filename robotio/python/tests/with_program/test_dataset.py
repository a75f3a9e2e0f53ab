"""Tests of data sets, which need the whole program omnipitch. `go test ./cmd/omnipitch -run Python` runs them."""

import json
import os
import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

import cv2
import numpy as np

import omnipitch

WORLD = """
name = "drawn"
look = "plain"
[ball]
x_m = { uniform = [1, 3] }
[[robot]]
name = "cyan1"
model = "nubot"
sensor = [{ name = "front", image = { width_px = 64, height_px = 48 } },
  { name = "kinect", kind = "kinect", mount = { x_m = 0.2, z_m = 0.6 }, image = { width_px = 40, height_px = 30 } },
  { name = "omni" }]
"""
ARGUMENTS = {"frames": 6, "per_scene": 2, "seed": 5, "labels": ["masks", "depth", "flow"]}


def millimetres(z):
    """Returns distances as their PNG files have them."""
    mm = np.where(np.isfinite(z), np.nan_to_num(z, posinf=0) * np.float32(1000) + np.float32(0.5), 0)
    return np.where((mm >= 1) & (mm < 65536), mm, 0).astype(np.uint16)


def same(a, b):
    return all(np.array_equal(x, b[k], equal_nan=x.dtype.kind == "f") if isinstance(x, np.ndarray) else x == b[k]
               for k, x in a.items()) and a.keys() == b.keys()


class Drawing(unittest.TestCase):
    def test_images_are_those_of_the_files(self):
        for sensors in (["cyan1.kinect"], ["cyan1.front", "cyan1.omni"]):
            with tempfile.TemporaryDirectory() as folder:
                world = Path(folder, "drawn.toml")
                world.write_text(WORLD)
                subprocess.run([os.environ["OMNIPITCH"], "dataset", world, "--frames", "6", "--per-scene", "2", "--seed",
                                "5", "--out", f"{folder}/set", "--format", "coco,masks,depth,flow",
                                *(a for s in sensors for a in ("--sensor", s))], check=True, capture_output=True)
                lines = [json.loads(line) for line in Path(folder, "set/frames.jsonl").read_text().splitlines()]
                dataset = omnipitch.Dataset(world, sensors, **ARGUMENTS)
                self.assertEqual(len(dataset), len(lines))
                for i in (0, 5, 3, 2, 1, -2):
                    image, labels = dataset[i]
                    line = lines[i]
                    with self.subTest(sensors=sensors, i=i):
                        written = {name.split("/")[0]: cv2.imread(f"{folder}/set/{name}", cv2.IMREAD_UNCHANGED)
                                   for name in [line["file"], *line["beside"]]}
                        np.testing.assert_array_equal(image, written["images"][..., ::-1])
                        for name in "classes", "instances":
                            np.testing.assert_array_equal(labels[name], written[name])
                        for name in written.keys() & {"depth", "range", "measured"}:
                            np.testing.assert_array_equal(millimetres(labels[name]), written[name])
                        known = written["flow"][..., 0] == 1
                        np.testing.assert_array_equal(known, ~np.isnan(labels["flow"][..., 0]))
                        u = written["flow"][..., 2][known] / 64 - 512
                        np.testing.assert_allclose(labels["flow"][..., 0][known], u, atol=1 / 128 + 1e-6)
                        self.assertEqual({k: v for k, v in labels["frame"].items() if k != "file"},
                                         {k: v for k, v in line.items() if k not in ("file", "beside")})
                        self.assertGreater(len(labels["boxes"]), 0)
                        for box, label, o in zip(labels["boxes"], labels["labels"], line["objects"]):
                            x, y, w, h = o["box_px"]
                            self.assertEqual((box.tolist(), label), ([x, y, x + w, y + h], dataset.categories[o["category"]]))
                dataset.close()

    def test_each_process_draws_the_same(self):
        dataset = omnipitch.Dataset(WORLD, "cyan1.front", **ARGUMENTS)
        image, labels = dataset[3]
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:  # as a worker of torch's DataLoader
            try:
                os.write(write, dataset[3][0].tobytes())
                os._exit(0)
            finally:
                os._exit(1)
        os.close(write)
        with open(read, "rb") as pipe:
            self.assertEqual(pipe.read(), image.tobytes())
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        with self.subTest("still open here"):
            self.assertTrue(same(dataset[3][1], labels))
        copy = pickle.loads(pickle.dumps(dataset))  # as workers that are spawned get it
        self.assertTrue(same(copy[3][1], labels))
        copy.close()
        dataset.close()
        self.assertTrue(same(dataset[3][1], labels))
        dataset.close()

    def test_batches_prepare_each_scene_once(self):
        dataset = omnipitch.Dataset(WORLD, "cyan1.front", frames=1000, per_scene=7)
        for workers in 1, 3:
            batches = dataset.batches(8, workers=workers, seed=2)
            self.assertEqual(batches, dataset.batches(8, workers=workers, seed=2))
            self.assertNotEqual(batches, dataset.batches(8, workers=workers, seed=3))
            self.assertEqual(sorted(i for b in batches for i in b), list(range(1000)))
            for w in range(workers):
                kept, prepared = {}, []  # scenes and their newest moments, the scene used last at the end
                for i in (i for b in batches[w::workers][:30] for i in b):
                    moment = kept.pop(i // 7, None)
                    if moment is None or moment > i % 7:
                        prepared.append(i // 7)
                    kept[i // 7] = i % 7
                    kept = dict(list(kept.items())[-4:])
                self.assertEqual(len(prepared), len(set(prepared)), (workers, w))
        dataset.close()

    def test_transform(self):
        dataset = omnipitch.Dataset(WORLD, "cyan1.front", transform=lambda image, labels: (image.shape, len(labels)))
        self.assertEqual(dataset[0], ((48, 64, 3), 4))
        with self.assertRaises(IndexError):
            dataset[1000]
        dataset.close()

    def test_wrong_input(self):
        for arguments, rule in (({"sensor": "cyan1.x"}, "sensor cyan1.x: is no camera"), ({"frames": 0}, "^frames = 0: must"),
                                ({"per_scene": 0}, "^per_scene = 0: must"), ({"level": "objects"}, "^level = .*raw or ideal"),
                                ({"labels": "mask"}, "^labels = .*must be one of"), ({"frames": "x"}, "frames"),
                                ({"world": "corridor", "sensor": "cyan1.front"}, "nothing in it is random")):
            with self.assertRaisesRegex(omnipitch.WorldError, rule):
                omnipitch.Dataset(**{"world": WORLD, "sensor": "cyan1.front"} | arguments)
        dataset = omnipitch.Dataset(WORLD, "cyan1.front")
        for arguments in {"size": 0}, {"size": 1, "workers": 0}, {"size": 1, "mix": 5}:
            with self.assertRaisesRegex(omnipitch.WorldError, "batches: "):
                dataset.batches(**arguments)
        dataset.close()
