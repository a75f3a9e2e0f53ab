"""Assesses a vision in Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._camera import Camera
from ._process import WorldError, encode
from ._sim import Observation, Sim, world_request


def assess(vision: Callable[[Observation, Camera], Mapping[str, Any]], world: str | os.PathLike[str] | Mapping[str, Any],
           *, robot: str | None = None, sensor: str | None = None, reports: str | Sequence[str] = "ball",
           for_s: float = 60, tour: str = "drive", seed: int | None = None, levels: Mapping[str, str] | None = None,
           range_m: float | None = None, visible: float = 0.5, gate_m: float = 0.5,
           out: str | os.PathLike[str] | None = None, overwrite: bool = False, fit: str | os.PathLike[str] | None = None,
           renderer: str = "auto", program: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Measures a vision, as `omnipitch assess` does over ROS, and returns the summary that `--json` prints.

    The vision is called with each observation of the camera and with the camera. It returns a dict of what it has found:

        "ball": (x, y, z)                 the ball's centre, in m, in the robot's frame (x forward, y left)
        "obstacles": [(x, y), …]          robots and obstacles, likewise; leaving it out means none
        "self": (x, y, heading)           its own pose in the map, m and rad

    Args:
        vision: The function.
        world: As of Sim.
        robot, sensor: The robot, and its camera. None: the only robot, and its omni camera or first camera.
        reports: What the vision reports: "ball", "obstacles", "self", or several.
        for_s: Sim time of the judgement, s. It begins with the vision's first report of each kind.
        tour: "drive" or "place" moves the robot through many scenes; "none" leaves the world as it is.
        seed, levels, renderer, program: As of Sim.
        range_m, visible, gate_m: What must be reported, and how reports are matched: see docs/assess.md.
        out: Folder for page.html, samples.csv and summary.json. With overwrite, files of an earlier assessment go.
        fit: File for an error model of level objects with the errors of the vision.
    """
    options = {"robot": robot, "sensor": sensor, "reports": [reports] if isinstance(reports, str) else list(reports),
               "for_s": for_s, "tour": tour, "range_m": range_m, "visible": visible, "gate_m": gate_m, "out": out,
               "overwrite": overwrite, "fit": fit}
    sim = Sim.__new__(Sim)
    sim._start({"seed": seed, "assess": options, **world_request(world)}, levels, (), renderer, program)
    with sim:
        name, = sim.sensors
        camera, stamp, done = sim.camera(name), None, False
        for _ in range(round((for_s + 60) / sim.step_s)):  # more than it can take
            if done:
                break
            seen = sim.step(sim.step_s * 1000)[name]
            if seen is None or seen.stamp == stamp:
                continue
            stamp = seen.stamp
            found = vision(seen, camera)
            if not isinstance(found, Mapping):
                raise WorldError(f"the vision returned a {type(found).__name__}: must be a dict of what it has found")
            body = f'"for_ns":{round(stamp * 1e9)},"options":{encode("reports of the vision", found)},'
            done = sim._process.call("report", body + sim._request)["result"]
        return sim._process.call("finish", sim._request)["result"]
