"""Reads what omnipitch dataset writes, for a detector of balls."""
import json
import os
from dataclasses import dataclass

import cv2
import numpy as np

from detector import RADIUS, Camera

FARTHEST = 5  # m: balls nearer than this, of which at least HALF is seen, are to be found
HALF = 0.5


@dataclass
class Frame:
    path: str
    part: str
    camera: Camera
    balls: np.ndarray  # windows of balls: column and row of the centre, diameter, pixels; those that are beside the field too
    due: np.ndarray  # which of them are to be found
    distance: np.ndarray  # m, from the camera
    seen: np.ndarray  # share of each ball that the image shows

    def image(self):
        return cv2.imread(self.path)


def inside(window, width, height):
    """Share of a ball's disc that is inside the image."""
    y, x = (np.mgrid[:32, :32] + 0.5) / 32 - 0.5
    disc = np.hypot(x, y) <= 0.5
    u, v, d = window
    x, y = u + x * d, v + y * d
    return np.mean(((x >= -0.5) & (x < width - 0.5) & (y >= -0.5) & (y < height - 0.5))[disc])


def camera_of(f):
    """The camera of a line of frames.jsonl. Robots stand upright: rows are level."""
    w, x, y, z = f["camera_pose"]["orientation_wxyz"]
    down = 2 * (y * y + x * x) - 1  # how far down the optical axis points: its z in the world is 1 - 2 (x² + y²)
    c = f["camera"]
    return Camera(c["fx_px"], c["cx_px"], c["cy_px"], f["camera_pose"]["position_m"][2], np.arcsin(down))


def read(folder):
    """The frames of a data set."""
    out = []
    with open(os.path.join(folder, "frames.jsonl")) as lines:
        for line in lines:
            f = json.loads(line)
            camera = camera_of(f)
            balls, due, distances, shares = [], [], [], []
            for o in f["objects"]:
                if o["category"] not in ("ball", "ball_beside"):
                    continue
                x, y, z = o["pose_c"]["position_m"]
                window = camera.cx + camera.f * x / z, camera.cy + camera.f * y / z, camera.f * 2 * RADIUS / z
                distance = np.sqrt(x * x + y * y + z * z)
                share = o["visible"] * inside(window, f["width_px"], f["height_px"])
                balls.append(window)
                due.append(o["category"] == "ball" and distance <= FARTHEST and share >= HALF)
                distances.append(distance)
                shares.append(share)
            out.append(Frame(os.path.join(folder, f["file"]), f["part"], camera, np.array(balls).reshape(-1, 3), np.array(due, bool),
                             np.array(distances), np.array(shares)))
    return out
