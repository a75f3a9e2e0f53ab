#!/usr/bin/python3
"""Trains a detector of balls on a data set of omnipitch dataset: train.py DATA OUT.npz [--frames N] [--jobs N].

First a linear classifier on windows at random, then on those that it takes for balls by mistake; then a network with one hidden layer on the windows that the linear
classifier keeps, and twice again with the network's own mistakes. Scenes of part val choose the threshold: as many false balls a frame as FALSE.
"""
import argparse
import os
import tempfile
import time

import cv2
import numpy as np

import frames
from detector import CELLS, CHANNELS, FEATURES, ORIENTATIONS, Detector, Level, Net, levels, overlap, possible, with_place
from evaluate import judged, parallel

FALSE = 0.05  # false balls a frame that the threshold lets through in the scenes of part val
BALL, NO_BALL = 0.65, 0.3  # overlaps from which on, and below which, a window is an example; between them it is none
REACH = 6  # m: farther balls are no examples
HIDDEN = 48


def fit(x, y, hidden, seed, epochs, decay):
    """A network by Adam; x has a row for each example, y is 1 for balls and 0 for others. hidden = 0: a linear classifier."""
    numbers = np.random.default_rng(seed)
    mean, scale = x.mean(0), 1 / (x.std(0) + 1e-3)
    x = (x - mean) * scale
    sizes = [x.shape[1], *([hidden] if hidden else []), 1]
    p = [a.astype(np.float32) for n, m in zip(sizes, sizes[1:]) for a in (numbers.normal(0, np.sqrt(2 / n), (n, m)) if hidden else np.zeros((n, m)), np.zeros(m))]
    m, v, t = [np.zeros_like(a) for a in p], [np.zeros_like(a) for a in p], 0
    steps = epochs * -(-len(x) // 256)
    for _ in range(epochs):
        order = numbers.permutation(len(x))
        for start in range(0, len(x), 256):
            k = order[start:start + 256]
            values = [x[k]]
            for i in range(0, len(p), 2):
                if i:  # half of what the hidden layer says is left out
                    values[-1] = np.maximum(values[-1], 0) * (2 * (numbers.random(values[-1].shape) < 0.5)).astype(np.float32)
                values.append(values[-1] @ p[i] + p[i + 1])
            back = ((1 / (1 + np.exp(-np.clip(values[-1], -30, 30))) - y[k, None]) / len(k)).astype(np.float32)
            slopes = []
            for i in range(len(p) - 2, -1, -2):
                slopes = [values[i // 2].T @ back + decay * p[i], back.sum(0), *slopes]
                if i:
                    back = (back @ p[i].T) * 2 * (values[i // 2] > 0)
            t += 1
            rate = 2e-3 * (1 - t / (steps + 1))
            for i, g in enumerate(slopes):
                m[i] += 0.1 * (g - m[i])
                v[i] += 0.001 * (g * g - v[i])
                p[i] -= rate * m[i] / (1 - 0.9 ** t) / (np.sqrt(v[i] / (1 - 0.999 ** t)) + 1e-8)
    return Net(mean.astype(np.float32), scale.astype(np.float32), [(p[i], p[i + 1]) for i in range(0, len(p), 2)])


def mirrored(x):
    """Features of windows seen in a mirror."""
    w = x[:, :FEATURES].reshape(-1, CHANNELS, CELLS, CELLS)[..., ::-1]
    order = [(-k) % ORIENTATIONS for k in range(ORIENTATIONS)] + list(range(ORIENTATIONS, CHANNELS))
    return np.column_stack([w[:, order].reshape(len(x), FEATURES), x[:, FEATURES:]])


class Examples:
    """What is taken of the frames. Levels are kept in a folder: they cost five times as much as what is done with them."""

    def __init__(self, data, scratch):
        self.frames, self.scratch = data, scratch

    def levels(self, n):
        path = os.path.join(self.scratch, f"{n}.npz")
        if os.path.exists(path):
            a = np.load(path)
            return [Level(a[f"c{k}"].astype(np.float32), *row) for k, row in enumerate(a["where"])]
        all_ = list(levels(self.frames[n].image(), self.frames[n].camera))
        np.savez(path, where=[(v.diameter, v.left, v.top, v.step) for v in all_], **{f"c{k}": v.cells.astype(np.float16) for k, v in enumerate(all_)})
        return all_

    def is_ball(self, n, windows):
        """Overlap with the nearest ball that is an example, and with any ball."""
        f = self.frames[n]
        iou = overlap(windows, f.balls)
        good = (f.seen >= frames.HALF) & (f.distance <= REACH)
        return iou[:, good], iou.max(1, initial=0)

    def at_random(self, n):
        """Windows of balls, with the ball's number, and windows at random."""
        numbers = np.random.default_rng((n, 1))
        f, balls, others = self.frames[n], [], []
        for v in self.levels(n):
            i, j = np.mgrid[:v.cells.shape[0] - CELLS + 1, :v.cells.shape[1] - CELLS + 1].reshape(2, -1)
            windows = v.windows(i, j)
            iou, any_ = self.is_ball(n, windows)
            ok = possible(windows, f.camera)
            for b in range(iou.shape[1]):
                k = np.nonzero(ok & (iou[:, b] >= BALL))[0]
                k = k[np.argsort(-iou[k, b])][:6]
                balls.append((with_place(v.features(i[k], j[k]), windows[k], f.camera), np.full(len(k), 100 * n + b)))
            k = np.nonzero(ok & (any_ < NO_BALL))[0]
            k = numbers.choice(k, min(1, len(k)), replace=False)
            others.append(with_place(v.features(i[k], j[k]), windows[k], f.camera))
        empty = np.zeros((0, FEATURES + 2), np.float32)
        return (np.concatenate([empty, *(x for x, _ in balls)]), np.concatenate([np.zeros(0, int), *(b for _, b in balls)]), np.concatenate([empty, *others]))

    def mistakes(self, n):
        """Windows that the detector takes for balls though they are none, the surest, and some of those that its linear classifier keeps."""
        numbers = np.random.default_rng((n, 2))
        camera = self.frames[n].camera
        windows, x, score = self.detector.candidates(self.levels(n), camera)
        if not len(windows):
            return np.zeros((0, FEATURES + 2), np.float32)
        x = with_place(x, windows, camera)
        if self.detector.second:
            score = self.detector.second(x)
        none = np.nonzero(self.is_ball(n, windows)[1] < NO_BALL)[0]
        sure = none[np.argsort(-score[none])][:10]
        if self.detector.second:
            return x[sure[score[sure] > -3]]
        return x[np.union1d(sure, numbers.choice(none, min(8, len(none)), replace=False))]


def each(method, numbers):
    return parallel(method, numbers, options.jobs)


def say(*text):
    print(f"{time.time() - begun:5.0f} s:", *text, flush=True)


def train(data, scratch):
    ex = Examples(data, scratch)
    train_ = [n for n, f in enumerate(data) if f.part == "train"]
    balls, numbers, others = (np.concatenate(a) for a in zip(*each(ex.at_random, train_)))
    say(f"{len(train_)} images, {len(np.unique(numbers))} balls in {len(balls)} windows, {len(others)} windows without")
    balls = np.concatenate([balls, mirrored(balls)])

    def fitted(hidden, seed, **more):
        x = np.concatenate([balls, others])
        y = np.repeat([1.0, 0.0], [len(balls), len(others)]).astype(np.float32)
        return fit(x if hidden else x[:, :FEATURES], y, hidden, seed, **more)

    ex.detector = Detector(fitted(0, 1, epochs=6, decay=1e-3), keep=0.0)
    others = np.concatenate([others, *each(ex.mistakes, train_[::2])])
    say(f"linear classifier on {len(others)} windows without a ball")
    first = fitted(0, 2, epochs=8, decay=1e-3)
    score = first(balls[:len(numbers), :FEATURES])
    best = [score[numbers == b].max() for b in np.unique(numbers)]
    ex.detector = Detector(first, keep=float(np.quantile(best, 0.003)) - 1)
    say(f"linear classifier keeps what it gives {ex.detector.keep:.2f}")
    others = np.concatenate([others[::2], *each(ex.mistakes, train_)])
    for round_ in range(3):
        if round_:
            others = np.concatenate([others, *each(ex.mistakes, train_)])
        say(f"network on {len(others)} windows without a ball")
        ex.detector = Detector(first, fitted(HIDDEN, 3 + round_, epochs=12, decay=1e-4), ex.detector.keep)
    return ex.detector


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("--frames", type=int, default=None, help="the first of the data set; default: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    begun = time.time()
    cv2.setNumThreads(1)
    data = frames.read(options.data)[:options.frames]
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(options.out))) as scratch:
        detector = train(data, scratch)
    result = judged(detector, [f for f in data if f.part == "val"], options.jobs)
    threshold = result.threshold(FALSE)
    detector.save(options.out, threshold=threshold)
    say(f"threshold {threshold:.2f}: in part val {result.found(threshold):.1%} of {len(result.balls)} balls, {result.false(threshold):.3f} false a frame")
