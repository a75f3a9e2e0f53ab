"""Recorded runs as numpy arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ._process import WorldError, encode
from ._sim import Observation, Observations, Sim


class Recording(Sim):
    """A recorded run, which `omnipitch run --record` has written. It begins at its first state.

    It is a Sim whose actions come from the recording: `step`, `truth`, `verdicts` and the sensors' observations are as
    they were in the run. Images are drawn again. `do`, `reset`, `save` and `restore` are errors. `time_s` counts from the
    beginning of the run, over all restarts; stamps of observations count from the last restart.

    Args:
        path: The file, FILE.mcap.
        levels: Other levels than the recorded ones, by pattern, as of `omnipitch replay --sensor`.
        sensors: Pattern or patterns of the sensors to observe. Name what you need: images take long.
        renderer: Name of the renderer, as of `omnipitch replay --renderer`.
        program: Path of the program omnipitch.
    """

    def __init__(self, path: str | os.PathLike[str], *, levels: Mapping[str, str] | None = None,
                 sensors: str | Sequence[str] = "*", renderer: str = "auto",
                 program: str | os.PathLike[str] | None = None) -> None:
        self._start({"replay": os.fspath(path)}, levels, sensors, renderer, program)
        self.begin_s, self.end_s = self._span  # the part of the run that there is

    def seek(self, time_s: float) -> Observations:
        """Goes to a time of the run. Observations before that time are not available any more."""
        try:
            at = round(float(time_s) * 1e9)
        except (TypeError, ValueError, OverflowError):
            raise WorldError(f"seek: {time_s!r} s: must be a time in s") from None
        self.verdicts.clear()
        self._process.call("seek", f'"for_ns":{at},' + self._request)
        for own in self._own.values():
            own.clear()
        return self.observations

    def each(self, sensor: str = "truth", *, start_s: float | None = None,
             end_s: float | None = None) -> Iterator[Observation]:
        """Yields every observation of a sensor from start_s up to end_s, or the true state after each step.

        The next one overwrites its arrays: use copy() on what you keep.
        """
        self.seek(self.begin_s if start_s is None else start_s)
        end = self.end_s if end_s is None else min(end_s, self.end_s)
        before = None
        while True:
            seen = self.truth if sensor == "truth" else self[sensor]
            if seen is not None and (seen.frame, seen.stamp) != before:
                before = seen.frame, seen.stamp
                yield seen
            if self.time_s + self.step_s / 2 > end:
                return
            self.step(self.step_s * 1000)

    def columns(self, sensor: str = "truth", array: str | None = None, *, start_s: float | None = None,
                end_s: float | None = None) -> dict[str, np.ndarray]:
        """Returns all observations of a sensor as columns, such as `pandas.DataFrame` takes.

            columns("cyan1.odometry")             # one row for each observation
            columns("cyan1.omni", "detections")   # one row for each detection
            columns()                             # one row for each step: the ball
            columns("truth", "robots")            # one row for each robot in each step

        The column `time_s` is the time in the run. Vectors have a column for each component: pos_b_x, pos_b_y, pos_b_z.
        In truth, robots, obstacles, the bodies of touches and events, and the kinds of events have names.
        """
        parts: list[dict[str, np.ndarray]] = []
        for seen in self.each(sensor, start_s=start_s, end_s=end_s):
            table = _values(seen) if array is None else _rows(seen, array)
            rows = len(next(iter(table.values())))
            if rows > 0 or not parts:  # columns without rows have types, too
                parts.append({"time_s": np.full(rows, self.time_s), "stamp_s": np.full(rows, seen.stamp), **table})
                if sensor == "truth" and array in ("robots", "obstacles"):
                    parts[-1]["name"] = np.array(getattr(self, array))
        names = dict.fromkeys(k for p in parts for k in p)
        columns: dict[str, np.ndarray] = {}
        for name in names:
            if missing := next((p for p in parts if name not in p), None):
                raise WorldError(f"{sensor}: has no {name} at {missing['time_s'][0]:.3f} s, because its level changes: "
                                 "ask for less time, or for another array")
            _split(name, np.concatenate([p[name] for p in parts]), columns)
        if sensor == "truth" and array in ("touches", "events") and columns:
            bodies = np.array([*self.bodies, "hall"])  # the last one is number -1
            columns["a"], columns["b"] = bodies[columns["a"]], bodies[columns["b"]]
            if "kind" in columns:
                columns["kind"] = np.array(self.event_kinds)[columns["kind"]]
        return columns


def _values(seen: Observation) -> dict[str, np.ndarray]:
    """Returns a row of the values that are not lists."""
    return {k: np.array(getattr(seen, k))[None] for k in seen.keys() if seen._form.places[k][1]}


def _rows(seen: Observation, array: str) -> dict[str, np.ndarray]:
    """Returns a row for each element of a list."""
    values = np.array(getattr(seen, array))
    index, field = seen._form.places[array]
    if field or seen._form.arrays[index].image:
        raise WorldError(f"{seen.name}: {array} is not a list with a row for each thing")
    return {k: values[k] for k in values.dtype.names} if values.dtype.names else {array: values}


def _split(name: str, values: np.ndarray, into: dict[str, np.ndarray]) -> None:
    """Adds a column, or the columns of the components of arrays."""
    if values.ndim == 1:
        into[name] = values
        return
    n = values.shape[1]
    parts = "wxyz" if n == 4 and "_rot" in name else "xyz"[:n] if n <= 3 else range(n)
    for i, part in enumerate(parts):
        _split(f"{name}_{part}", values[:, i], into)
