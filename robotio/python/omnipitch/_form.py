"""What the simulator tells of its simulations, apart from their shared memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


def _dtype(of: Any) -> np.dtype:
    if isinstance(of, str):
        return np.dtype(of)
    formats = [(f[0], tuple(f[1])) if isinstance(f, list) else f for f in of["formats"]]
    return np.dtype({"names": of["names"], "formats": formats, "offsets": of["offsets"], "itemsize": of["itemsize"]})


class Array:
    """One array of a form: its name, its type and its shape."""

    __slots__ = ("name", "dtype", "shape", "image", "size")

    def __init__(self, of: dict[str, Any]) -> None:
        self.name, self.dtype, self.shape, self.image = of["name"], _dtype(of["dtype"]), tuple(of["shape"]), of["image"]
        elements = 1 if self.image else int(np.prod(self.shape, dtype=int))
        self.size = self.dtype.itemsize * elements  # of one element of the list


class Form:
    """Which arrays an observation has.

    places has the array of each name, and the field in it if it is a record.
    """

    __slots__ = ("level", "fault", "arrays", "places")

    def __init__(self, of: dict[str, Any]) -> None:
        self.level, self.fault = of["level"], of["fault"]
        self.arrays = [Array(a) for a in of["arrays"] or []]
        self.places: dict[str, tuple[int, str | None]] = {}
        for i, array in enumerate(self.arrays):
            for name in [array.name] if array.name else array.dtype.names:
                self.places[name] = (i, None if array.name else name)


@dataclass(frozen=True)
class Verdict:
    """The verdict on an `[[expect]]` of the world."""

    name: str
    outcome: str  # passed, failed or undecided
    at_s: float
    expected: str
    was: str
