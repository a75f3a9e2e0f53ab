#!/usr/bin/env python3
"""A convolutional detector of balls and obstacles, for cameras of robots.

  convolution.py train DATA... --out NET.pt [--begin NET.pt] [--only FILE]   DATA: data sets, or folders of photographs
  convolution.py find NET.pt PHOTOGRAPHS --out DIR                           writes what it finds, for omnipitch assess
"""
import argparse
import glob
import json
import os
import random

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional

CLASSES = {"ball": 0, "ball_beside": 0, "robot_cyan": 1, "robot_magenta": 1, "obstacle": 1}  # 0 ball, 1 obstacle
# Sizes are in pixels of halved images. A cell of the output has STRIDE of them. CROP is the side of a training crop.
HALF, STRIDE, CROP = 2, 4, 128
SMALLEST, LARGEST = 5, 110  # longer side of objects that the net finds, pixels; larger ones are found in reduced images
HIDDEN = 0.3  # visible share below which an object counts neither way
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def block(inputs, outputs, stride=1):
    convolution = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class Net(nn.Module):
    """Maps images (N, 3, rows, columns) to (N, 6, rows/4, columns/4): logits of an object's centre for each class, the
    box's centre relative to the cell's, as fractions of its width and height, and their logarithms in cells."""

    def __init__(self, widths=(16, 32, 48, 64), top=32):
        super().__init__()
        last, stages = 3, []
        for depth, width in enumerate(widths):
            more = (block(width, width) for _ in range((0, 1, 2, 2)[depth]))
            stages.append(nn.Sequential(block(last, width, 2), *more))
            last = width
        self.stages = nn.ModuleList(stages)
        self.across = nn.ModuleList(nn.Conv2d(width, top, 1) for width in widths[1:])
        self.merge = nn.ModuleList(block(top + 2 * (k == 0), top) for k in range(len(widths) - 2))
        self.head = nn.Conv2d(top, 6, 1)
        nn.init.constant_(self.head.bias[:2], -4)  # centres are rare

    def forward(self, x, where):
        """where (N, 2, rows/4, columns/4) has each cell's row relative to the horizon, and the scale's logarithm."""
        steps = []
        for stage in self.stages:
            x = stage(x)
            steps.append(x)
        x = self.across[-1](steps[-1])
        for k in range(len(self.merge) - 1, -1, -1):
            side = self.across[k](steps[k + 1])
            x = side + functional.interpolate(x, size=side.shape[2:], mode="nearest")
            x = self.merge[k](x if k else torch.cat((x, where), 1))
        return self.head(x)


def loaded(path):
    """Returns an image, and the halved image."""
    image = cv2.imread(path)
    return image, cv2.resize(image, (image.shape[1] // HALF, image.shape[0] // HALF), interpolation=cv2.INTER_AREA)


def read(folder, most, only=None):
    """Returns images, each with the halved one, and the objects of each as an array whose rows are class (-1: counts
    neither way), column and row of the centre, width, height."""
    images, objects = [], []
    if os.path.exists(os.path.join(folder, "frames.jsonl")):
        for line in list(open(os.path.join(folder, "frames.jsonl")))[:most]:
            f, rows = json.loads(line), []
            for o in f["objects"]:
                if o["category"] in CLASSES:
                    x, y, w, h = (v / HALF for v in o["box_px"])
                    rows.append((CLASSES[o["category"]] if o["visible"] >= HIDDEN else -1, x + w / 2, y + h / 2, w, h))
            images.append(loaded(os.path.join(folder, f["file"])))
            objects.append(np.array(rows, np.float32).reshape(-1, 5))
        return images, objects
    for path in photographs(folder)[:most]:
        if only is None or os.path.basename(path) in only:
            images.append(loaded(path))
            rows, columns = images[-1][1].shape[:2]
            scale = np.array([1, columns, rows, columns, rows], np.float32)
            labels = open(os.path.splitext(path)[0] + ".txt").read().split()
            labels = np.array(labels, np.float32).reshape(-1, 5) * scale
            objects.append(labels[labels[:, 0] < 2])
    return images, objects


def photographs(folder):
    return sorted(p for p in glob.glob(os.path.join(folder, "*")) if p.endswith((".jpg", ".png")))


def crop(image, objects):
    """A square of an image at a random scale, mirrored or not, mostly near an object, and the objects in it."""
    rows, columns = image[1].shape[:2]
    x, y, scale = random.uniform(0, columns), random.uniform(0.2, 1) * rows, np.exp(random.uniform(-0.7, 0.4))
    some = objects[objects[:, 0] == random.choice((0, 1))]
    if len(some) and random.random() < 0.75:
        o = random.choice(some)
        scale = np.exp(random.uniform(np.log(SMALLEST + 1), np.log(LARGEST))) / max(o[3:])
        scale = min(max(scale, 0.4), 2.5)
        x, y = o[1:3] + np.random.uniform(-0.4, 0.4, 2) * CROP / scale
    mirror = random.choice((-1, 1))
    source, by = (image[0], scale / HALF) if scale > 1 else (image[1], scale)
    move = np.array([[mirror * by, 0, CROP / 2 - mirror * scale * x], [0, by, CROP / 2 - scale * y]])
    out = cv2.warpAffine(source, move, (CROP, CROP))
    objects = objects.copy()
    objects[:, 1] = mirror * scale * (objects[:, 1] - x) + CROP / 2
    objects[:, 2] = scale * (objects[:, 2] - y) + CROP / 2
    objects[:, 3:] *= scale
    return spoil(out), objects, (rows / 2 - y + CROP / 2 / scale, scale)


def spoil(image):
    """Returns an image as another camera would take it in another light: blurred, brighter, noisier, compressed."""
    if random.random() < 0.3:
        image = cv2.GaussianBlur(image, (0, 0), random.uniform(0.4, 1.2))
    gains = np.exp(np.random.normal(0, 0.12, 3) + random.gauss(0, 0.3))
    levels = np.linspace(0, 1, 256)[:, None] ** np.exp(random.gauss(0, 0.25)) * gains
    x = cv2.LUT(image, (255 * levels).astype(np.float32).reshape(256, 1, 3))
    saturation = random.uniform(0.6, 1.6)
    x = cv2.transform(x, saturation * np.eye(3) + (1 - saturation) / 3)
    if random.random() < 0.6:
        x += cv2.randn(np.empty_like(x), 0, random.uniform(0, 8))
    image = x.clip(0, 255).astype(np.uint8)
    if random.random() < 0.3:
        jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, random.randint(40, 90)])[1]
        image = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
    return image


def targets(objects):
    """Returns the heat of each class (1 at centres, less around them), what of it counts, the place and size of
    objects, and where those are known."""
    n = CROP // STRIDE
    heat, counts = np.zeros((2, n, n), np.float32), np.ones((2, n, n), np.float32)
    box, at = np.zeros((4, n, n), np.float32), np.zeros((n, n), bool)
    v, u = np.mgrid[:n, :n]
    for c, x, y, w, h in objects[np.argsort(-objects[:, 3] * objects[:, 4])]:  # small ones last, so that they prevail
        x, y, w, h = x / STRIDE, y / STRIDE, w / STRIDE, h / STRIDE
        if c < 0 or max(w, h) * STRIDE < SMALLEST:
            top, left = max(0, int(y - h / 2)), max(0, int(x - w / 2))
            counts[:, top:max(0, int(y + h / 2) + 1), left:max(0, int(x + w / 2) + 1)] = 0
            continue
        if not (0 <= x < n and 0 <= y < n) or max(w, h) * STRIDE > LARGEST:
            continue
        i, j = int(y), int(x)
        bell = np.exp(-0.5 * (((u - j) / max(w / 6, 0.6)) ** 2 + ((v - i) / max(h / 6, 0.6)) ** 2))
        heat[int(c)] = np.maximum(heat[int(c)], bell)
        near = bell >= 0.5
        at |= near
        box[0][near], box[1][near] = ((x - u - 0.5) / w)[near], ((y - v - 0.5) / h)[near]
        box[2][near], box[3][near] = np.log(w), np.log(h)
    return heat, counts, box, at


def inputs(images, places):
    """Returns the inputs of the net for images of one size, each with the row of the horizon before it was scaled, and
    its scale. A robot's camera looks level, so the horizon is in the middle, and a thing on the floor has a size that
    depends on its row."""
    x = torch.from_numpy(np.stack(images)).to(DEVICE)
    x = x.permute(0, 3, 1, 2).float() / 255 - 0.4  # its channels stay last in memory
    n, _, rows, columns = x.shape
    v = (torch.arange(rows // STRIDE) + 0.5) * STRIDE
    where = [torch.stack(((v / scale - row) / 100, torch.full_like(v, np.log(scale)))) for row, scale in places]
    return x, torch.stack(where)[..., None].expand(n, 2, -1, columns // STRIDE).to(DEVICE)


def train(options):
    random.seed(options.seed), np.random.seed(options.seed), torch.manual_seed(options.seed)
    only = set(open(options.only).read().split()) if options.only else None
    images, objects = [], []
    for folder in options.data:
        for into, of in zip((images, objects), read(folder, options.frames, only)):
            into += of
    net = Net().to(DEVICE, memory_format=torch.channels_last)
    if options.begin:
        net.load_state_dict(torch.load(options.begin, map_location=DEVICE))
    print(f"{len(images)} images, {sum(p.numel() for p in net.parameters())} weights", flush=True)
    optimizer = torch.optim.AdamW(net.parameters(), lr=options.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.rate, options.steps)
    for step in range(options.steps):
        batch = [crop(images[k], objects[k]) for k in random.choices(range(len(images)), k=options.batch)]
        heat, counts, box, at = (torch.from_numpy(np.stack(t)).to(DEVICE)
                                 for t in zip(*(targets(o) for _, o, _ in batch)))
        with torch.autocast(DEVICE, torch.bfloat16):  # three times as fast where processors have it
            out = net(*inputs([image for image, _, _ in batch], [place for _, _, place in batch])).float()
        p = torch.sigmoid(out[:, :2]).clamp(1e-4, 1 - 1e-4)
        centre = (heat == 1).float()
        loss = -(centre * (1 - p) ** 2 * p.log() + (1 - centre) * (1 - heat) ** 4 * p ** 2 * (1 - p).log()) * counts
        loss = loss.sum() / max(centre.sum(), 1)
        off = (out[:, 2:] - box).abs() * at[:, None]
        total = loss + 0.5 * off.sum() / max(at.sum(), 1)
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        schedule.step()
        if step % 50 == 49:
            mean = off.sum().item() / max(at.sum().item(), 1)
            print(f"step {step + 1}: loss {loss.item():.3f}, off {mean:.3f}", flush=True)
    torch.save({k: (v.half() if v.is_floating_point() else v).cpu() for k, v in net.state_dict().items()}, options.out)


@torch.no_grad()
def detect(net, image):
    """Returns what is in an image: rows of class, x, y, width, height in pixels of the halved one, and confidence."""
    found = []
    for scale in (2, 1, 0.5):  # of the halved image
        x = cv2.resize(image, None, fx=scale / HALF, fy=scale / HALF, interpolation=cv2.INTER_AREA)
        x = np.pad(x, ((0, -x.shape[0] % 16), (0, -x.shape[1] % 16), (0, 0)))
        out = net(*inputs([x], [(image.shape[0] / HALF / 2, scale)]))[0].cpu()
        p = torch.sigmoid(out[:2])
        peak = p * (functional.max_pool2d(p, 3, 1, 1) == p)
        for c, i, j in (peak > 0.2).nonzero().tolist():
            dx, dy, w, h = out[2:, i, j].tolist()
            w, h = np.exp(min(w, 4)), np.exp(min(h, 4))
            box = STRIDE / scale * np.array([j + 0.5 + dx * w, i + 0.5 + dy * h, w, h])
            found.append([c, *box, p[c, i, j].item()])
    best = []
    for f in sorted(found, key=lambda f: -f[5]):
        if not any(b[0] == f[0] and overlap(f, b) > 0.4 for b in best):
            best.append(f)
    return best


def overlap(a, b):
    w, h = (min(a[k] + a[k + 2] / 2, b[k] + b[k + 2] / 2) - max(a[k] - a[k + 2] / 2, b[k] - b[k + 2] / 2)
            for k in (1, 2))
    return max(w, 0) * max(h, 0) / (a[3] * a[4] + b[3] * b[4] - max(w, 0) * max(h, 0))


def find(options):
    net = Net().to(DEVICE)
    net.load_state_dict(torch.load(options.net, map_location=DEVICE))
    net.eval()
    os.makedirs(options.out, exist_ok=True)
    for path in photographs(options.photographs):
        image = cv2.imread(path)
        rows, columns = (n / HALF for n in image.shape[:2])
        with open(os.path.join(options.out, os.path.splitext(os.path.basename(path))[0] + ".txt"), "w") as out:
            for c, x, y, w, h, s in detect(net, image):
                w, h = min(w / columns, 2), min(h / rows, 2)
                print(f"{c:.0f} {x / columns:.5f} {y / rows:.5f} {w:.5f} {h:.5f} {s:.4f}", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    t = commands.add_parser("train")
    t.set_defaults(run=train)
    t.add_argument("data", nargs="+")
    t.add_argument("--begin", help="begin with this net instead of a random one")
    t.add_argument("--only", help="a file with the names of the photographs to train with")
    t.add_argument("--frames", type=int, default=10000, help="the most images of each folder")
    t.add_argument("--steps", type=int, default=1000)
    t.add_argument("--batch", type=int, default=32)
    t.add_argument("--rate", type=float, default=4e-3)
    t.add_argument("--seed", type=int, default=1)
    f = commands.add_parser("find")
    f.set_defaults(run=find)
    f.add_argument("net")
    f.add_argument("photographs")
    for command in (t, f):
        command.add_argument("--out", required=True)
        command.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    options.run(options)


if __name__ == "__main__":
    main()
