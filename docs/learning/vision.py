"""A robot's own vision for task-shoot: the ball by its colour in raw images, and the pose by the wheels' odometry."""

import numpy as np

TILE = 20  # pixels
FAR, FAST = 10.0, 5.0  # what an observation gives as 1, m and m/s
GOAL = 9.25  # x of the middle of the opponent's goal, m


def find_ball(seen, camera):
    """Returns the ball's place in the robot's frame, x + iy in m, or None."""
    red, green, blue = (seen.image[..., i].astype(np.int16) for i in range(3))
    rows, columns = np.nonzero((red - blue > 60) & (green - blue > 40))
    if len(rows) < 8:
        return None
    tiles = rows // TILE * 1000 + columns // TILE  # the ball is where most yellow pixels are
    names, counts = np.unique(tiles, return_counts=True)
    v, u = divmod(names[counts.argmax()], 1000)
    near = np.hypot(rows - (v + 0.5) * TILE, columns - (u + 0.5) * TILE) < 2 * TILE
    x, y, _ = camera.floor(seen, columns[near].mean(), rows[near].mean(), z=0.11)
    return complex(x, y) if np.hypot(x, y) < 8 else None


class Vision:
    """The argument observe of Tasks: what the robot cyan1 knows by its camera `eyes` and its odometry.

    A robot knows where it starts, as at a kick-off. From there on, its pose is that of its odometry.
    """

    def __init__(self):
        self.robots = {}

    def __call__(self, sim, agent, seen):
        robot = self.robots.get(sim)
        if robot is None or sim.time_s < robot.time_s:  # an episode begins
            robot = self.robots[sim] = Robot(sim, agent)
        robot.time_s = sim.time_s
        return robot.observe(sim, seen)


class Robot:
    """What one robot remembers. Places on the floor are complex numbers, and so are directions."""

    def __init__(self, sim, name):
        self.eyes, self.wheels = f"{name}.eyes", f"{name}.odometry"
        truth, (at, ahead) = sim.truth.robots[0], self.odometry(sim)
        self.turn = heading(truth["pose_wb_rot"]) / ahead  # from the odometry's frame to the field's
        self.move = complex(*truth["pose_wb_pos"][:2]) - self.turn * at
        self.frame, self.found, self.ball, self.velocity = None, None, None, 0j

    def odometry(self, sim):
        seen = sim[self.wheels]
        return complex(*seen.pose_ob_pos[:2]), heading(seen.pose_ob_rot)

    def observe(self, sim, told):
        """Returns the numbers of the task, with those about ball and pose replaced."""
        at, ahead = self.odometry(sim)
        at, ahead = self.turn * at + self.move, self.turn * ahead
        image = sim[self.eyes]
        if image is not None and image.frame != self.frame:
            self.frame, self.found = image.frame, find_ball(image, sim.camera(self.eyes))
            self.follow(sim, image.stamp, at, ahead)
        row = np.zeros_like(told)
        row[14:] = told[14:]
        if self.found is not None:
            velocity = self.velocity / ahead / FAST
            row[:6] = 1, *direction(self.found), velocity.real, velocity.imag
        row[6:14] = 1, at.real / FAR, at.imag / FAR, ahead.real, ahead.imag, *direction((GOAL - at) / ahead)
        return np.clip(row, -3, 3)

    def follow(self, sim, stamp, at, ahead):
        """Estimates the ball's velocity over the ground by where two images showed it."""
        if self.found is None:
            return
        wheels, ago = sim[self.wheels], sim.time_s - stamp  # where the robot was when the camera saw this
        at = at - ahead * complex(wheels.twist_b_vx, wheels.twist_b_vy) * ago
        ball = at + ahead * np.exp(-1j * wheels.twist_b_omega * ago) * self.found
        if self.ball is not None:
            self.velocity += 0.5 * ((ball - self.ball) / max(stamp - self.stamp, 1e-3) - self.velocity)
        self.ball, self.stamp = ball, stamp


def heading(quaternion):
    return np.exp(2j * np.arctan2(quaternion[3], quaternion[0]))


def direction(to):
    """Returns distance, cosine and sine of an observation."""
    return abs(to) / FAR, to.real / abs(to), to.imag / abs(to)
