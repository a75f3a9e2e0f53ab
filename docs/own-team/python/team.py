#!/usr/bin/python3
"""A field player: each message about what the robot sees is answered by one command. Whose robot it is, ROS_NAMESPACE says.
Places are complex numbers x + yi, in m from the middle of the field: x towards the opponents' goal, y to the left.
"""
import cmath
import math

import rospy
from omnipitch_msgs.msg import Perception, RobotCommand


def clamp(v, limit):
    return max(-limit, min(limit, v))


def wrap(angle):
    return math.remainder(angle, 2 * math.pi)


def nearest(places, to, otherwise):
    """The place that is nearest to another, or the last argument if there is none."""
    return min(places, key=lambda p: abs(p - to), default=otherwise)


class Player:
    def __init__(self):
        self.ball = 0j  # where it was seen last
        self.numbers = {}  # where the other field players were seen last, by their numbers
        self.waits = False  # a set piece has not been taken yet
        self.spot = 0j  # where the ball lies for it
        self.since = 0  # s, when play was not yet started
        self.job = None  # 'taker' or 'receiver', at an own set piece, until another robot than the taker has the ball
        self.took, self.corner = None, 0j  # where it took the ball that it has; at which side of the goal it shoots
        self.v = 0j  # m/s, as commanded

    def decide(self, m):
        """Returns the command that answers a message."""
        self.look(m)
        self.follow(m)
        if not m.self_known or m.phase in ('stopped', 'parked'):
            self.v = 0j
            return RobotCommand()  # it stands still
        if self.waits and (m.phase == 'set_piece' or self.job != 'taker'):  # m from the ball: the rules' 1, 2 and 3, and what vision may err
            receives = self.job == 'receiver' and m.set_piece != 'penalty'
            return self.wait(m, 1 if self.job == 'taker' else 2.4 if receives else 1.4 if m.set_piece == 'drop_ball' else 3.4)
        if m.holding:
            return self.attack(m)
        keepers = self.goal.real - self.ball.real < 1.3 and abs(self.ball.imag) < 2.3  # ball, as it is near the goal
        goes = not keepers and (self.job == 'receiver' or self.first and self.job != 'taker')
        return self.fetch(m) if self.waits or goes else self.wait(m, 3)

    def look(self, m):
        """Takes from a message where everybody is."""
        self.me, self.goal = complex(m.x, m.y), complex(m.field_length / 2)
        if m.holding:
            self.ball = self.me + cmath.rect(0.35, m.heading)  # it may be too near to be seen
        elif m.phase == 'set_piece' and m.set_piece == 'kickoff':
            self.ball = 0j
        elif m.ball_seen:
            self.ball += 0.5 * (complex(m.ball_x, m.ball_y) - self.ball)  # vision errs
        if abs(self.ball - self.me) > 0.6:
            self.took = None
        self.numbers.update({o.number: complex(o.x, o.y) for o in m.others if o.team == m.team and o.number > 1})
        self.mates = list(self.numbers.values())
        self.rivals = [complex(o.x, o.y) for o in m.others if o.team not in (m.team, m.UNKNOWN)]
        # The field player nearest to the ball goes for it; of two that are as near, the one with the lower number.
        self.first = all(abs(self.me - self.ball) + 0.2 * m.number < abs(at - self.ball) + 0.2 * n for n, at in self.numbers.items())

    def follow(self, m):
        """Remembers what a set piece asks of this robot."""
        now = m.header.stamp.to_sec()

        def taken(by):
            return abs(nearest(by, self.ball, self.goal) - self.ball) < 0.36

        if m.phase != 'playing':
            self.waits, self.since = m.phase == 'set_piece', now
            self.job = None if not self.waits or m.set_piece_team != m.team else 'taker' if self.first else 'receiver'
        elif self.waits:
            moved = now - self.since > 0.5 and abs(self.ball - self.spot) > 0.5
            self.waits = not moved and m.set_piece != 'drop_ball' and now - self.since < 10.5
        elif taken(self.rivals) or (taken(self.mates) if self.job == 'taker' else m.holding):
            self.job = None
        if now - self.since < 0.5:
            self.spot = self.ball  # the referee may have put it back
        self.passes = self.job == 'taker' and m.set_piece != 'penalty'

    def wait(self, m, room):
        """Keeps so far from the ball, on the way to the own half, each number at an angle of its own."""
        way = cmath.phase(complex(-m.field_length / 4) - self.ball)
        return self.go(m, self.ball + cmath.rect(room, way + 0.7 * (m.number - 2)), self.ball, around=[self.ball])

    def target(self):
        """Where the ball is to go: from our set piece to a mate, else into the goal."""
        return nearest(self.mates, self.ball, self.goal) if self.passes else self.goal + self.corner

    def fetch(self, m):
        """Gets behind the ball, as seen from its target, and takes it."""
        way = cmath.phase(self.ball - self.me)
        off = wrap(cmath.phase(self.target() - self.ball) - way)  # how far it has to drive round the ball
        hurry = self.job == 'receiver' or not self.waits and abs(nearest(self.rivals, self.ball, self.goal) - self.ball) < 1.5
        if abs(off) < 0.5 or abs(self.ball - self.me) < 0.5 or hurry:
            return self.go(m, self.ball + 0.4 * complex(m.ball_vx, m.ball_vy) + cmath.rect(0.2, way), self.ball)
        return self.go(m, self.ball - cmath.rect(0.8, way + clamp(off, 0.8)), self.ball)

    def attack(self, m):
        """Turns the ball to its target, carries it nearer, and kicks it."""
        near = abs(self.goal - self.me) < 4.5
        if self.took is None or not near:  # it chooses the corner that the keeper is farther from, and stays with it
            keeper = nearest(self.rivals, self.goal, self.goal)
            self.corner = -0.75j if ((keeper - self.me) / (self.goal - self.me)).imag > 0 else 0.75j
        if self.took is None:
            self.took = self.me
        at, carried = self.target(), abs(self.me - self.took)
        far, off = abs(at - self.me), abs(wrap(cmath.phase(at - self.me) - m.heading))
        carries = not near and not self.passes and off < 0.8 and carried < 1.7
        c = self.go(m, at if carries else self.me + cmath.rect(0.1, m.heading), at, speed=2, turn=1.5)
        # The rules let it carry the ball for 3 m: before that it kicks, well aimed or not; far from the goal only a little ahead.
        aimed = off < (0.1 if self.passes else 0.04 if near else 0)
        c.kick = aimed or carried > 1.7 and off < 0.3 or carried > 2.2
        c.kick_speed = 2 + far / 2 if self.passes else 12 if near else 0.8
        return c

    def go(self, m, at, face, speed=2.5, turn=3, around=()):
        """Drives to a place, round other robots and what else is in the way, and turns to another place."""
        far = abs(at - self.me)
        to = (at - self.me) * min(2, speed / max(far, 1e-3))  # m/s
        for o in [*around, *self.mates, *self.rivals]:
            room, aside = abs(o - self.me), wrap(cmath.phase(to) - cmath.phase(o - self.me))
            if abs(aside) < 1 and room < max(0.7, min(1.1, far)):  # it is in the way; nobody is pushed
                to = 0j if room < 0.7 else cmath.rect(abs(to), cmath.phase(o - self.me) + math.copysign(1.3, aside))
        self.v += (to - self.v) * min(1, 0.12 / max(abs(to - self.v), 1e-3))  # 3.6 m/s^2 at 30 Hz: wheels slip with more
        forward = self.v * cmath.rect(1, -m.heading)
        omega = clamp(3 * wrap(cmath.phase(face - self.me) - m.heading), turn)
        return RobotCommand(vx=forward.real, vy=forward.imag, omega=omega, dribble=True)


rospy.init_node('team')
player = Player()
commands = rospy.Publisher('command', RobotCommand, queue_size=1, tcp_nodelay=True)
rospy.Subscriber('perception', Perception, lambda m: commands.publish(player.decide(m)), queue_size=1, tcp_nodelay=True)
rospy.spin()
