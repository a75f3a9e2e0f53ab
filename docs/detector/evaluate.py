#!/usr/bin/python3
"""Judges a detector of balls on data sets: evaluate.py DETECTOR.npz DATA... [--least SHARE] [--most FALSE] [--sheet PICTURE]."""
import argparse
import multiprocessing
import os
import sys
from dataclasses import dataclass

import cv2
import numpy as np

import frames
from detector import Detector, overlap

HIT, SAME = 0.5, 0.3  # overlap with a ball's square from which on it is found, and from which on what is found is not false


@dataclass
class Judgement:
    """What a detector says of frames, at every threshold."""
    balls: np.ndarray  # of each ball that is to be found: what the detector says of it, -inf: nothing
    distances: np.ndarray  # m
    wrong: np.ndarray  # what it says of each thing that is no ball
    frames: int

    def found(self, threshold):
        return np.mean(self.balls >= threshold) if len(self.balls) else np.nan

    def false(self, threshold):
        return np.sum(self.wrong >= threshold) / max(self.frames, 1)

    def threshold(self, false):
        """The lowest with at most so many false balls a frame."""
        most = int(false * self.frames)
        return float(np.nextafter(np.sort(self.wrong)[::-1][most], np.inf)) if len(self.wrong) > most else -9.0

    def near(self, least, most):
        k = (self.distances > least) & (self.distances <= most)
        return Judgement(self.balls[k], self.distances[k], self.wrong, self.frames)

    @staticmethod
    def of(all_):
        return Judgement(*(np.concatenate([np.zeros(0), *(getattr(j, k) for j in all_)]) for k in ("balls", "distances", "wrong")), sum(j.frames for j in all_))


def judge(frame, windows, score):
    """Each ball is found by the surest window that overlaps it enough and has found none; another window is false, unless it is on a ball that need not be found."""
    iou = overlap(windows, frame.balls)
    balls, wrong = np.full(len(frame.balls), -np.inf), []
    for k in np.argsort(-score, kind="stable"):
        free = np.where(frame.due & np.isneginf(balls), iou[k], 0)
        if len(free) and free.max() >= HIT:
            balls[free.argmax()] = score[k]
        elif not np.any(iou[k][~frame.due] >= SAME):
            wrong.append(score[k])
    return Judgement(balls[frame.due], frame.distance[frame.due], np.array(wrong, float), 1)


def parallel(task, items, jobs):
    """What task returns of each item, in the order of the items."""
    global work
    work = task  # processes that are forked know it
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.map(do, items, chunksize=8)


def do(item):
    return work(item)


def judged(detector, data, jobs):
    return Judgement.of(parallel(lambda n: judge(data[n], *detector.find(data[n].image(), data[n].camera)), range(len(data)), jobs))


def sheet(detector, data, threshold, path, rows=4, columns=4):
    """A picture of the worst: balls that are not found in white, the surest of what is no ball in red, each with what is around it."""
    bad = []
    for f in data:
        windows, score = detector.find(f.image(), f.camera)
        j = judge(f, windows, score)
        bad += [(threshold - s, f, w, (255, 255, 255)) for s, w in zip(j.balls, f.balls[f.due]) if s < threshold]
        bad += [(s - threshold, f, windows[np.argmin(abs(score - s))], (0, 0, 255)) for s in j.wrong if s >= threshold]
    bad.sort(key=lambda b: -b[0])
    picture = np.zeros((rows * 160, columns * 160, 3), np.uint8)
    for k, (_, f, (u, v, d), color) in enumerate(bad[:rows * columns]):
        image, side = f.image(), max(3 * d, 60)
        scale = 160 / side
        tile = cv2.warpAffine(image, np.array([[scale, 0, 80 - scale * u], [0, scale, 80 - scale * v]]), (160, 160), flags=cv2.INTER_AREA)
        half = round(d * scale / 2)
        cv2.rectangle(tile, (80 - half, 80 - half), (80 + half, 80 + half), color)
        picture[k // columns * 160:, k % columns * 160:][:160, :160] = tile
    cv2.imwrite(path, picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("detector")
    parser.add_argument("data", nargs="+")
    parser.add_argument("--least", type=float, default=0, help="share of balls that has to be found")
    parser.add_argument("--most", type=float, default=np.inf, help="false balls a frame that there may be")
    parser.add_argument("--sheet", help="a picture of the worst")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    cv2.setNumThreads(1)
    detector, more = Detector.load(options.detector)
    threshold = more["threshold"]
    rows, everything = [], []
    for folder in options.data:
        data = frames.read(folder)
        everything += data
        rows.append((os.path.basename(os.path.normpath(folder)), judged(detector, data, options.jobs)))
    whole = Judgement.of([j for _, j in rows])
    print(f"{'data set':12} frames  balls  found  false a frame | found with 0.01   0.03   0.1    0.3    1 false a frame")
    for name, j in [*rows, ("all", whole)]:
        print(f"{name:12} {j.frames:6} {len(j.balls):6}  {j.found(threshold):6.1%} {j.false(threshold):8.3f}      |            "
              + " ".join(f"{j.found(j.threshold(f)):6.1%}" for f in (0.01, 0.03, 0.1, 0.3, 1)))
    print("found by distance: " + ", ".join(f"{m}-{m + 1} m {whole.near(m, m + 1).found(threshold):.1%}" for m in range(5)))
    if options.sheet:
        sheet(detector, everything, threshold, options.sheet)
    if not whole.found(threshold) >= options.least or not whole.false(threshold) <= options.most:
        sys.exit(f"evaluate.py: found = {whole.found(threshold):.3f}, false = {whole.false(threshold):.3f}: must be at least {options.least} and at most {options.most}")


if __name__ == "__main__":
    main()
