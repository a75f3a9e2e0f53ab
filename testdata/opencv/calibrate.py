"""Calibrates a camera from pictures of a chessboard with OpenCV alone, as its users do.

usage: calibrate.py COLUMNS ROWS SQUARE_M PICTURE...    (inner corners)
prints: pictures used, rms pixel error, fx, fy, cx, cy, k1, k2, p1, p2
"""
import sys

import cv2
import numpy as np

columns, rows, square = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
board = np.zeros((columns * rows, 3), np.float32)
board[:, :2] = np.mgrid[0:columns, 0:rows].T.reshape(-1, 2) * square
points, corners = [], []
for name in sys.argv[4:]:
    picture = cv2.imread(name, cv2.IMREAD_GRAYSCALE)
    found, at = cv2.findChessboardCorners(picture, (columns, rows))
    if found:
        points.append(board)
        corners.append(cv2.cornerSubPix(picture, at, (5, 5), (-1, -1), (3, 100, 1e-4)))
rms, k, distortion, _, _ = cv2.calibrateCamera(points, corners, picture.shape[::-1], None, None)
print(len(points), rms, k[0, 0], k[1, 1], k[0, 2], k[1, 2], *distortion.ravel()[:4])
