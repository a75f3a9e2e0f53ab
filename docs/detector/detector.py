"""Finds balls in images of a camera that is mounted level: a cascade of a linear classifier and a small network over HOG and colour channels.

An image is looked at in levels, each for balls of one diameter. Where a ball of a diameter may be, the floor says: a window whose ball would be deep in the
floor, or above 1.4 m, is not looked at. Arrays of windows have one row each: column and row of the ball's centre and its diameter, in pixels.
"""
import json
from dataclasses import dataclass

import cv2
import numpy as np

RADIUS = 0.11  # m, of the ball
CELL, CELLS = 4, 9  # pixels of a cell's side in a level, cells of a window's side
BALL = 20  # pixels of a ball's diameter in a level; the window is 9/5 of it
DIAMETERS = 21 * 2 ** (np.arange(12) / 3)  # pixels in the image, of the levels: 21 is a ball 5.6 m away at 532 pixels of focal length
ORIENTATIONS = 6
HIGHEST = 1.4  # m, of a ball's centre
CHANNELS = ORIENTATIONS + 3
FEATURES = CHANNELS * CELLS * CELLS


@dataclass
class Camera:
    """A pinhole camera whose rows are level: focal length and principal point in pixels, height above the floor in m, pitch in rad, downwards positive."""
    f: float
    cx: float
    cy: float
    height: float
    pitch: float

    def depth(self, diameter):
        """Z of a ball with this diameter in the image, m."""
        return self.f * 2 * RADIUS / diameter

    def slope(self, v):
        """By how much the ray of a row falls for each m along the axis."""
        return (v - self.cy) / self.f * np.cos(self.pitch) + np.sin(self.pitch)

    def elevation(self, windows):
        """Height of each window's ball above the floor, of its centre, by its size, m."""
        return self.height - self.depth(windows[:, 2]) * self.slope(windows[:, 1])

    def place(self, window):
        """The ball's centre in a frame below the camera, x forward, y left, z up, m: on the floor, unless its size says that it is far from there."""
        u, v, d = window
        z, slope = self.depth(d), self.slope(v)
        if slope > 1e-3:
            floor = (self.height - RADIUS) / slope
            if abs(np.log(floor / z)) < 0.25:
                z = floor
        forward = np.cos(self.pitch) - (v - self.cy) / self.f * np.sin(self.pitch)
        return np.array([z * forward, -z * (u - self.cx) / self.f, self.height - z * slope])


def channels(image):
    """Cells of a level, rows × columns × CHANNELS: gradients by orientation as shares of what is around them, how strong they are, and colours as against the
    carpet's. The image is float32, in logarithms of blue, green and red less those of the carpet."""
    gx, gy = cv2.Sobel(image, -1, 1, 0, ksize=1), cv2.Sobel(image, -1, 0, 1, ksize=1)
    # By the sums over colours a ball as bright as the carpet has an outline. Of twice the angle, so that dark on bright is bright on dark.
    xx, yy, xy = (cv2.transform(a, np.ones((1, 3), np.float32)) for a in (gx * gx, gy * gy, gx * gy))
    power = xx + yy
    c, s = (xx - yy) / (power + 1e-9), 2 * xy / (power + 1e-9)
    strength = np.sqrt(power)
    share = strength / (cv2.blur(strength, (BALL, BALL)) + 0.05)
    angles = 2 * np.pi * np.arange(ORIENTATIONS) / ORIENTATIONS
    out = [share * np.maximum(c * np.cos(a) + s * np.sin(a), 0) ** 2 for a in angles]
    light = cv2.transform(image, np.full((1, 3), 1 / 3, np.float32))
    color = image - light[..., None]
    out += [share, light, np.sqrt(cv2.transform(color * color, np.ones((1, 3), np.float32)))]
    size = (image.shape[1] // CELL, image.shape[0] // CELL)
    return np.dstack([cv2.resize(a, size, interpolation=cv2.INTER_AREA) for a in out])


@dataclass
class Level:
    """Cells for balls of one diameter; window (i, j) begins at cell row i and column j."""
    cells: np.ndarray
    diameter: float
    left: float  # column and row, in the image, of the middle of the window (0, 0)'s ball
    top: float
    step: float  # pixels of the image from a window to the next

    def windows(self, i, j):
        return np.stack([self.left + self.step * j, self.top + self.step * i, np.full(len(i), self.diameter)], 1)

    def features(self, i, j):
        view = np.lib.stride_tricks.sliding_window_view(self.cells, (CELLS, CELLS), (0, 1))
        return view[i, j].reshape(len(i), FEATURES)


def levels(image, camera):
    """The levels of an image (uint8, blue, green, red)."""
    below = image[max(0, int(camera.cy - camera.f * np.tan(camera.pitch))) + 40:]
    carpet = np.median(below[::8, ::8].reshape(-1, 3).astype(np.float32), 0)
    table = (np.log(np.arange(256) + 12.0)[:, None] - np.log(carpet + 12)).astype(np.float32)
    half = CELLS * CELL / 2
    for diameter in DIAMETERS:
        scale = BALL / diameter
        z = camera.depth(diameter)
        rows = [camera.cy + camera.f * np.tan(np.arctan2(camera.height - h, z) - camera.pitch) for h in (HIGHEST, 0.0)]
        reach = half / scale
        low, high = int(max(0, rows[0] - reach)), int(min(image.shape[0], rows[1] + 0.15 * diameter + reach))
        if high - low < 2 * reach and high < image.shape[0]:
            continue
        size = (round(image.shape[1] * scale), round((high - low) * scale))
        small = cv2.resize(image[low:high], size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        border = int(half) - CELL  # balls that are cut by the image's border
        small = cv2.copyMakeBorder(small, border if low == 0 else 0, border if high == image.shape[0] else 0, border, border, cv2.BORDER_REPLICATE)
        if min(small.shape[:2]) < CELLS * CELL:
            continue
        logs = np.dstack([table[:, k][small[..., k]] for k in range(3)])
        fx, fy = image.shape[1] / size[0], (high - low) / size[1]
        yield Level(channels(logs), diameter, (half - border) * fx - 0.5, low + (half - (border if low == 0 else 0)) * fy - 0.5, CELL * fx)


class Net:
    """Layers of weights with rectifiers between them: one number for each row of features, the logarithm of the odds that it is a ball."""

    def __init__(self, mean, scale, layers):
        self.mean, self.scale, self.layers = mean, scale, layers

    def __call__(self, x):
        x = (x - self.mean) * self.scale
        for k, (w, b) in enumerate(self.layers):
            x = (np.maximum(x, 0) if k else x) @ w + b
        return x[:, 0]


class Detector:
    def __init__(self, first, second=None, keep=-2.0):
        self.first, self.second, self.keep = first, second, keep  # keep: what the linear classifier must say at least
        self.kernel = (first.scale[:, None] * first.layers[0][0]).reshape(CHANNELS, CELLS, CELLS).astype(np.float32)
        self.offset = float(first.layers[0][1][0] - (first.mean * first.scale) @ first.layers[0][0][:, 0])

    def candidates(self, levels, camera, most=400):
        """Windows that the linear classifier keeps, the best ones, with their features and what it says."""
        out = []
        for level in levels:
            rows, columns = (n - CELLS + 1 for n in level.cells.shape[:2])
            score = sum(cv2.filter2D(level.cells[..., k], -1, self.kernel[k], anchor=(0, 0))[:rows, :columns] for k in range(CHANNELS)) + self.offset
            i, j = np.nonzero(score > self.keep)
            windows = level.windows(i, j)
            ok = possible(windows, camera)
            i, j = i[ok], j[ok]
            if len(i):
                out.append((windows[ok], level.features(i, j), score[i, j]))
        if not out:
            return np.zeros((0, 3)), np.zeros((0, FEATURES), np.float32), np.zeros(0)
        windows, features, score = (np.concatenate(a) for a in zip(*out))
        best = np.argsort(-score)[:most]
        return windows[best], features[best], score[best]

    def find(self, image, camera):
        """The balls: windows and the logarithm of the odds of each, the surest first."""
        windows, features, score = self.candidates(levels(image, camera), camera)
        if self.second and len(windows):
            score = self.second(with_place(features, windows, camera))
        return merged(windows, score)

    def save(self, path, **more):
        nets = [n for n in (self.first, self.second) if n]
        arrays = {f"{n}_{name}": a for n, net in enumerate(nets) for name, a in
                  [("mean", net.mean), ("scale", net.scale), *((f"{p}{k}", a) for k, layer in enumerate(net.layers) for p, a in zip("wb", layer))]}
        np.savez_compressed(path, keep=self.keep, more=json.dumps(more), **arrays)

    @staticmethod
    def load(path):
        """A detector, and what was kept beside it."""
        a = np.load(path)

        def net(n):
            if f"{n}_mean" not in a:
                return None
            count = sum(name.startswith(f"{n}_w") for name in a.files)
            return Net(a[f"{n}_mean"], a[f"{n}_scale"], [(a[f"{n}_w{k}"], a[f"{n}_b{k}"]) for k in range(count)])
        return Detector(net(0), net(1), float(a["keep"])), json.loads(str(a["more"]))


def possible(windows, camera):
    """Which windows' balls may be between floor and HIGHEST, if their diameters are 15 % off."""
    fall = camera.depth(windows[:, 2]) * camera.slope(windows[:, 1])
    a, b = camera.height - fall * 1.15, camera.height - fall / 1.15
    return (np.maximum(a, b) > RADIUS) & (np.minimum(a, b) < HIGHEST)


def with_place(features, windows, camera):
    """Features with how high the ball would be and how far away."""
    return np.column_stack([features, np.clip(camera.elevation(windows), -0.5, 1.5), np.log(camera.depth(windows[:, 2]))]).astype(np.float32)


def overlap(a, b):
    """Intersection over union of the squares around each of a and b."""
    low = np.maximum(a[:, None, :2] - a[:, None, 2:] / 2, b[None, :, :2] - b[None, :, 2:] / 2)
    high = np.minimum(a[:, None, :2] + a[:, None, 2:] / 2, b[None, :, :2] + b[None, :, 2:] / 2)
    common = np.prod(np.maximum(high - low, 0), 2)
    return common / (a[:, None, 2] ** 2 + b[None, :, 2] ** 2 - common)


def merged(windows, score):
    """One window for all that overlap with a surer one: their mean, weighted by the odds of each."""
    order = np.argsort(-score, kind="stable")
    windows, score = windows[order], score[order]
    free, found, scores = np.ones(len(windows), bool), [], []
    for k in range(len(windows)):
        if not free[k]:
            continue
        iou = overlap(windows[k:k + 1], windows)[0]
        inside = np.hypot(*(windows[:, :2] - windows[k, :2]).T) < 0.4 * np.maximum(windows[k, 2], windows[:, 2])
        near = free & ((iou > 0.25) | inside)
        close = near & (iou > 0.5)
        weight = np.exp(np.clip(score[close] - score[k], -20, 0))
        found.append((windows[close] * weight[:, None]).sum(0) / weight.sum())
        scores.append(score[k])
        free &= ~near
    return np.array(found).reshape(-1, 3), np.array(scores)
