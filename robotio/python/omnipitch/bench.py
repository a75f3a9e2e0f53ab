"""Measures the Python package: `omnipitch bench python` runs it, once for each round.

It prints a JSON list with the name of each quantity, its value and its unit. docs/benchmarks.md describes them.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

from . import Batch, Sim, Tasks

# One robot with a small camera. Its image has the natural look.
SMALL_IMAGES = """
name = "small-images"
physics.engine = "planar"

[[robot]]
name = "r"
model = "nubot"
pose.x_m = -2

[[robot.sensor]]
name = "front"
level = "raw"
image = { width_px = 64, height_px = 64, fov_deg = 66 }
"""


def seconds(f: Callable[[], object], repeats: int = 5) -> float:
    """Returns the median time of a call, s."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        f()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def measure_calls(rows: dict[str, float]) -> None:
    """Measures single calls."""
    steps = 1000
    with Sim("planar", sensors=[]) as sim:
        ms = sim.step_s * 1000
        sim.reset()
        one = seconds(lambda: [sim.step(ms) for _ in range(steps)]) / steps
        many = seconds(lambda: sim.step(ms * steps)) / steps
        rows["python_step_overhead"] = (one - many) * 1e6
        robot = sim.robots[0]
        drive = seconds(lambda: [sim.do("drive", robot=robot, vx_m_s=i * 1e-3) for i in range(100)])
        rows["python_do"] = drive * 1e4
        sim.step(ms)
        state = sim.save()
        rows["python_restore"] = seconds(lambda: [sim.restore(state) for _ in range(100)]) * 1e4
    with Sim("nubot-attack", levels={"cyan1.front": "raw"}, sensors="cyan1.front") as sim:
        sim.step(500)
        rows["python_read_image"] = seconds(lambda: [sim["cyan1.front"].image for _ in range(100)]) * 1e4


def per_second(sims: Sequence[Sim], step: Callable[[float], object], decisions: int) -> float:
    """Returns how many observations of the sensors there are per second, at 30 decisions per second of sim time."""

    def read() -> int:
        total = 0
        for sim in sims:
            for seen in sim.observations.values():
                assert seen is not None
                seen.detections if seen.level == "objects" else seen.image
                total += seen.frame
        return total

    step(200)  # until all sensors have observed
    frames, began = read(), time.perf_counter()
    for _ in range(decisions):
        step(100 / 3)
        last = read()
    return (last - frames) / (time.perf_counter() - began)


def measure_rates(rows: dict[str, float]) -> None:
    """Measures the rates of observations."""
    with Batch("planar", range(8), levels={"*": "objects"}, sensors="*.omni") as batch:
        rows["python_objects_of_robots"] = per_second(batch, batch.step, 100)
    with Tasks("task-5v5", range(8)) as tasks:
        actions = np.random.default_rng(0).uniform(-1, 1, (30, *tasks.actions.shape))
        tasks.reset()
        steps = seconds(lambda: [tasks.step(a) for a in actions])
        rows["python_observations_of_agents"] = actions.shape[0] * tasks.rewards.size / steps
    with Batch(SMALL_IMAGES, range(8), sensors="r.front") as batch:
        rows["python_images_64x64"] = per_second(batch, batch.step, 50)
    with Sim("ten-robots", levels={"*.omni": "raw"}, sensors="*.omni") as sim:
        for robot in sim.robots:
            sim.do("drive", robot=robot, vx_m_s=0.5, omega_deg_s=86)
        rows["python_ten_omni_cameras_raw"] = per_second([sim], sim.step, 30)


def main() -> None:
    calls: dict[str, float] = {}
    measure_calls(calls)
    rates: dict[str, float] = {}
    measure_rates(rates)
    print(json.dumps([{"name": k, "value": v, "unit": unit} for rows, unit in ((calls, "us"), (rates, "1/s"))
                      for k, v in rows.items()]))


if __name__ == "__main__":
    main()
