"""The geometry of cameras."""

from __future__ import annotations

import os
from typing import Any

import numpy as np


class Camera:
    """The rays of a camera's pixels.

    `directions`, height × width × 3, are unit vectors in the optical frame (x right, y down, z forward); 0 where the
    optics image nothing. `origins`, of the same shape, are the points in m where the rays leave a mirror without a single
    viewpoint; None for other cameras. Pixel (0, 0) is the centre of the top left one.
    """

    def __init__(self, directions: np.ndarray, origins: np.ndarray | None) -> None:
        self.directions, self.origins = directions, origins

    def floor(self, seen: Any, u: Any, v: Any, z: float = 0.0) -> np.ndarray:
        """Returns the points at height z above the floor that pixels show, in the robot's frame.

        Args:
            seen: The observation whose pixels they are: it has the camera's pose.
            u, v: Columns and rows: numbers, or arrays of the same shape.

        Returns:
            Points, … × 3, in m. They are NaN for pixels that show nothing at this height.
        """
        u, v = np.broadcast_arrays(np.asarray(u, float), np.asarray(v, float))
        rotation, position = np.asarray(seen.pose_bc_rot), np.asarray(seen.pose_bc_pos)
        direction = _rotate(rotation, self._at(self.directions, u, v))
        start = position + (0 if self.origins is None else _rotate(rotation, self._at(self.origins, u, v)))
        with np.errstate(divide="ignore", invalid="ignore"):
            along = ((z - start[..., 2]) / direction[..., 2])[..., None]
            return np.where(along > 0, start + along * direction, np.nan)

    @staticmethod
    def _at(rays: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Interpolates between the four pixels around each point."""
        height, width, _ = rays.shape
        u, v = np.clip(u, 0, width - 1), np.clip(v, 0, height - 1)
        x, y = np.minimum(u.astype(int), width - 2), np.minimum(v.astype(int), height - 2)
        s, t = (u - x)[..., None], (v - y)[..., None]
        return ((rays[y, x] * (1 - s) + rays[y, x + 1] * s) * (1 - t)
                + (rays[y + 1, x] * (1 - s) + rays[y + 1, x + 1] * s) * t)


class Picture:
    """A picture for people, as a PNG file. A notebook shows it."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file."""
        with open(path, "wb") as file:
            file.write(self.png)


def _rotate(q: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Rotates vectors by a quaternion w, x, y, z."""
    axis = q[1:]
    cross = np.cross(axis, vectors)
    return vectors + 2 * (q[0] * cross + np.cross(axis, cross))
