"""Learns Shoot at level objects without errors and with them, and judges both there and by images: docs/learning.md."""

import argparse
from pathlib import Path

import torch
from omnipitch.train import learn, successes

from vision import Vision

HERE = Path(__file__).parent
EXACT = {"world": "task-shoot", "levels": {"cyan1.omni": "truth"}}
ERRORS = {"world": HERE / "errors.toml"}


def images():
    return {"world": HERE / "images.toml", "sensors": ["cyan1.eyes", "cyan1.odometry"], "observe": Vision()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=1_000_000, help="of each training")
    parser.add_argument("--episodes", type=int, default=200, help="of each judgement, a multiple of 20")
    args = parser.parse_args()
    torch.set_num_threads(2)
    print("| learned | without errors | with errors | images |\n| --- | --- | --- | --- |", flush=True)
    for name, where in ("without errors", EXACT), ("with errors", ERRORS):
        model = learn(decisions=args.decisions, verbose=0, **where)
        cells = [f"{100 * successes(model, episodes=args.episodes // 20, **judged):.0f} %"
                 for judged in (EXACT, ERRORS, images())]
        print("| " + " | ".join([name, *cells]) + " |", flush=True)
