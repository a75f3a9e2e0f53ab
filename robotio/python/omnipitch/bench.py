"""Measures what Python costs: python -m omnipitch.bench"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from . import Batch, Sim


def seconds(f: Callable[[], object], repeats: int = 7) -> float:
    """Returns the median time of a call, s."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        f()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    steps = 2000
    with Sim("planar", sensors=[]) as sim:
        ms = sim.step_s * 1000
        sim.reset()
        one = seconds(lambda: [sim.step(ms) for _ in range(steps)]) / steps
        many = seconds(lambda: sim.step(ms * steps)) / steps
        state = sim.save()
        back = seconds(lambda: [sim.restore(state) for _ in range(100)]) / 100
    print(f"a call of step: {(one - many) * 1e6:.0f} us more than the step itself, {many * 1e6:.1f} us")
    print(f"a call of restore, planar: {back * 1e6:.0f} us")
    with Sim("msl-match", levels={"*": "objects"}, sensors="*.omni") as sim:
        sim.step(1000)
        reading = seconds(lambda: [o.detections["pos_b"] for o in sim.observations.values()])
        print(f"reading the objects of an omni camera: {reading / len(sim.sensors) * 1e6:.0f} us")
    with Sim("nubot-attack", levels={"cyan1.front": "raw"}, sensors="cyan1.front") as sim:
        sim.step(500)
        image = seconds(lambda: sim["cyan1.front"].image)
        height, width, _ = sim["cyan1.front"].image.shape
        print(f"reading an image of {width} x {height} pixels: {image * 1e6:.0f} us")
    with Batch("planar", range(8), levels={"*": "objects"}) as batch:
        batch.reset()
        robots = sum(len(sim.robots) for sim in batch)
        taken = seconds(lambda: [batch.step(33) for _ in range(100)], 3) / 100
        print(f"8 simulations in one process, decisions at 30 Hz: {robots / taken:.0f} observations of robots a second")


if __name__ == "__main__":
    main()
