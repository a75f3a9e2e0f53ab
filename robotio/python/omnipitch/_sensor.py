"""Sensors that a Python program adds to a simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._process import WorldError


class OwnObservation:
    """An output of a sensor in Python. Its arrays are attributes, as of Observation, but stay as they are."""

    def __init__(self, name: str, level: str, seen: Any, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise WorldError(f"{name}: returned a {type(values).__name__}: must be a dict of arrays, or None")
        self.name, self.level, self.fault, self.frame, self.stamp = name, level, "", seen.frame, seen.stamp
        self._values = {str(k): np.array(v) for k, v in values.items()}
        for value in self._values.values():
            value.flags.writeable = False

    def keys(self) -> list[str]:
        """Returns the names of the values."""
        return list(self._values)

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            has = ", ".join(self.__dict__.get("_values", ()))
            raise AttributeError(f"{self.__dict__.get('name')} has no {name}, but {has}") from None

    def __repr__(self) -> str:
        return f"<{self.name} at level {self.level}, {self.stamp:.3f} s: {', '.join(self._values)}>"


class OwnSensor:
    """A sensor in Python: see Sim.sensor."""

    def __init__(self, name: str, of: str, level: str, latency_s: float, function: Callable[..., Any]) -> None:
        self.name, self.of, self.level, self.latency_s, self.function = name, of, level, latency_s, function
        self.clear()

    def clear(self) -> None:
        self.state: tuple[Any, ...] = (None, None, ())  # newest observation, source's newest frame, what is on its way

    def look(self, sim: Any) -> None:
        """Observes what has come since the last step."""
        newest, before, waiting = self.state
        seen = sim.truth if self.of == "truth" else sim[self.of]
        if seen is not None and (seen.frame, seen.stamp) != before:
            before = seen.frame, seen.stamp
            values = self.function(seen, sim.camera(self.of) if hasattr(seen, "image") else None)
            if values is not None:
                due = sim.time_s + self.latency_s
                waiting = *waiting, (due, OwnObservation(self.name, self.level, seen, values))
        while waiting and waiting[0][0] < sim.time_s + sim.step_s / 2:
            (_, newest), *waiting = waiting
        self.state = newest, before, tuple(waiting)
