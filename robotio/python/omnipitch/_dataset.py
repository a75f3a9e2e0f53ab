"""Labelled images for training."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._process import Process, WorldError, encode
from ._sim import world_request


class Dataset:
    """Labelled images of a world with random values, drawn when they are asked for.

    It is a map-style data set as of torch.utils.data: `len(dataset)` and `dataset[i]`, which returns an image and its
    labels. Image i is the image i that `omnipitch dataset` writes with the same arguments, and always the same. Each
    process that asks for images, such as the workers of a DataLoader, starts a program of its own.

    Args:
        world: As of Sim. It must have random values.
        sensor: Camera ROBOT.SENSOR, or several: then each moment has an image of each.
        frames: Number of images.
        per_scene: Moments in a scene. The images of a scene share light, colours, wear and cameras, whose preparation
            takes as long as ten images or more. `batches` has an order in which this is done once for each scene.
        seed: Seed of the first scene. None: the world's own.
        level: raw, with the faults of the cameras, or ideal.
        labels: Further labels in pixels: "masks", "depth" and "flow".
        transform: Called with image and labels; dataset[i] returns what it returns.
        renderer: As of Sim.
        program: As of Sim.
    """

    def __init__(self, world: str | os.PathLike[str] | Mapping[str, Any], sensor: str | Sequence[str], *,
                 frames: int = 1000, per_scene: int = 60, seed: int | None = None, level: str = "raw",
                 labels: Sequence[str] = (), transform: Callable[[np.ndarray, dict[str, Any]], Any] | None = None,
                 renderer: str = "auto", program: str | os.PathLike[str] | None = None) -> None:
        sensors = [sensor] if isinstance(sensor, str) else list(sensor)
        options = {"frames": frames, "per_scene": per_scene, "sensors": sensors, "level": level,
                   "formats": [labels] if isinstance(labels, str) else list(labels), "renderer": renderer}
        self._request = (f'"open":{encode("world", {"seed": seed, **world_request(world)})},'
                         f'"options":{encode("data set", options)}')
        self._frames, self._scene, self._program, self.transform = frames, per_scene * len(sensors), program, transform
        self._process: Process | None = None
        self._pid = 0
        described = self._open()  # so that errors come early
        self.categories: dict[str, int] = described["categories"]  # numbers of the kinds of objects
        self.classes: dict[int, str] = {int(k): v for k, v in described["classes"].items()}  # values of "classes"

    def _open(self) -> dict[str, Any]:
        self._process, self._pid = Process(self._program), os.getpid()
        try:
            return self._process.call("dataset", self._request)["result"]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the program, which the next image starts again."""
        if self._process is not None:
            self._process.close()
        self._process = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_process": None}

    def __len__(self) -> int:
        return self._frames

    def __getitem__(self, i: int) -> Any:
        """Draws an image. Returns it, height × width × 3, and a dict of its labels:

            boxes      float32, N × 4: left, upper, right and lower edge of each object's pixels
            labels     int64, N: numbers of `categories`
            visible    float32, N: visible fraction of each object
            frame      the line of frames.jsonl: camera, poses, key points, masks as run lengths, seeds
            classes, instances, depth, range, normals, measured, flow: height × width, if `labels` asks for them
        """
        if not -self._frames <= i < self._frames:
            raise IndexError(f"image {i}: must lie in [0, {self._frames})")
        if self._process is None or self._pid != os.getpid():
            self.close()
            self._open()
        reply = self._process.call("draw", f'"number":{int(i) % self._frames}')
        pixels = {p["name"]: np.ndarray(p["shape"], p["dtype"], self._process.memory, p["offset"]).copy()
                  for p in reply["pixels"]}
        objects = reply["result"]["objects"]
        boxes = np.array([o["box_px"] for o in objects], np.float32).reshape(-1, 4)
        boxes[:, 2:] += boxes[:, :2]
        image = pixels.pop("image")
        labels = {"boxes": boxes, "labels": np.array([self.categories[o["category"]] for o in objects], np.int64),
                  "visible": np.array([o["visible"] for o in objects], np.float32), "frame": reply["result"], **pixels}
        return (image, labels) if self.transform is None else self.transform(image, labels)

    def batches(self, size: int, *, workers: int = 1, seed: int = 0, mix: int = 4) -> list[list[int]]:
        """Returns all images in random order, as a DataLoader takes them: `batch_sampler=dataset.batches(16, workers=2)`.

        Each worker gets scenes of its own, and a batch has images of up to `mix` scenes, four at most, in the order of
        their moments: so each scene is prepared once. Let `seed` be the number of the epoch.
        """
        if size < 1 or workers < 1 or not 1 <= mix <= 4:
            raise WorldError(f"batches: size = {size}, workers = {workers}, mix = {mix}: must be at least 1, and mix at "
                             "most 4")
        random = np.random.default_rng(seed)
        scenes = random.permutation(-(-self._frames // self._scene))
        lanes = []
        for w in range(workers):
            order: list[int] = []
            for at in range(w, len(scenes), workers * mix):
                group = scenes[at:at + workers * mix:workers]
                images = {s: [*range(s * self._scene, min((s + 1) * self._scene, self._frames))][::-1] for s in group}
                turns = random.permutation(np.repeat(group, [len(images[s]) for s in group]))
                order += [int(images[s].pop()) for s in turns]
            lanes.append([order[k:k + size] for k in range(0, len(order), size)])
        return [lane[k] for k in range(max(map(len, lanes))) for lane in lanes if k < len(lane)]
