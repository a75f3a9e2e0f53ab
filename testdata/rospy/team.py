"""A team's robots as programs of NuBot's match simulator have them: each knows its own OmniVisionInfo alone, and decides by the team in it.

    team.py ROBOT    NuBot2, of which 2 is the number: goes for the ball while it would be there first, else stands; number 1 keeps the goal

Who goes is decided as a world model decides it: each robot takes the same list, asks who of those that are valid is nearest, and grants those
that are under way to the ball some of what they have begun, so that two that are as near do not take turns. Who has the ball passes it to the
player who is farthest away.
"""
import math
import os
import sys

import rospy

from definitions import Definitions

DEFINITIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../robotio/msg/defs')
HEAD_START = 0.3  # s: what a velocity towards the ball counts for


def clamp(v, limit):
    return max(-limit, min(limit, v))


def toward(a, b):
    """Distance from a to b, m, and the direction on the field."""
    dx, dy = (b.x - a.x) / 100, (b.y - a.y) / 100
    return math.hypot(dx, dy), math.atan2(dy, dx)


def cost(robot, ball):
    """What the way to the ball costs a robot of the list, m."""
    distance, direction = toward(robot.pos, ball)
    speed = (robot.vtrans.x * math.cos(direction) + robot.vtrans.y * math.sin(direction)) / 100
    return distance - HEAD_START * clamp(speed, 2)


class Robot:
    def __init__(self, name):
        types = Definitions(*(os.path.join(DEFINITIONS, folder) for folder in ('std', 'nubot', 'simatch')))
        self.number = int(name[-1])
        self.reach = rospy.get_param('/general/dribble_distance_thres')
        self.mouth = math.radians(rospy.get_param('/general/dribble_angle_thres')) / 2
        self.VelCmd, self.ActionCmd = types.message('nubot_common/VelCmd'), types.message('nubot_common/ActionCmd')
        self.velocity = rospy.Publisher('/%s/nubotcontrol/velcmd' % name, self.VelCmd, queue_size=1)
        self.action = rospy.Publisher('/%s/nubotcontrol/actioncmd' % name, self.ActionCmd, queue_size=1)
        rospy.Subscriber('/%s/omnivision/OmniVisionInfo' % name, types.message('nubot_common/OminiVisionInfo'), self.see, queue_size=1)

    def see(self, info):
        players = [r for r in info.robotinfo if r.isvalid and r.AgentID != 1]
        nearest = min(players, key=lambda r: (cost(r, info.ballinfo.pos), r.AgentID), default=None)
        if nearest is None or nearest.AgentID != self.number:
            self.velocity.publish(self.VelCmd())
        elif self.reaches(info.ballinfo.real_pos):
            self.play(nearest, [r for r in players if r is not nearest])
        else:
            self.fetch(info.ballinfo.real_pos)

    def reaches(self, ball):
        return math.hypot(ball.radius / 100, 0.11) <= self.reach and abs(ball.angle) <= self.mouth

    def fetch(self, ball):
        """Drives to the ball and turns to it on the way; the last half metre only when it is ahead."""
        away = ball.radius / 100 - 0.3
        speed = clamp(2.5 * away, 3.0)
        if away < 0.5 and abs(ball.angle) > 0.2:
            speed = 0.1
        self.act(speed * math.cos(ball.angle), speed * math.sin(ball.angle), clamp(5 * ball.angle, 5))

    def play(self, me, others):
        """Turns to the player who is farthest away, and passes."""
        ways = [toward(me.pos, r.pos) for r in others] or [(5, me.heading.theta)]
        distance, direction = max(ways)
        off = math.remainder(direction - me.heading.theta, 2 * math.pi)
        strength = clamp(2.5 + 0.4 * distance, 8) if abs(off) < 0.04 else 0
        self.act(0.05, 0, clamp(5 * off, 3), strength)

    def act(self, vx, vy, omega, strength=0):
        self.action.publish(self.ActionCmd(handle_enable=1, strength=strength, shootPos=1))
        self.velocity.publish(self.VelCmd(100 * vx, 100 * vy, omega))


def main(name):
    rospy.init_node(name + '_program')
    robot = Robot(name)  # noqa: F841, its subscribers call it
    rospy.spin()


def send_off(prefix, *numbers):
    """Sends players of cyan off as auto_referee does: one publisher for the whole team, one message for each, said once."""
    rospy.init_node('referee', anonymous=True)
    types = Definitions(*(os.path.join(DEFINITIONS, folder) for folder in ('std', 'simatch')))
    SendingOff = types.message('nubot_common/SendingOff')
    red = rospy.Publisher('/%s/redcard/chatter' % prefix, SendingOff, queue_size=10)
    while red.get_num_connections() == 0 and not rospy.is_shutdown():
        rospy.rostime.wallsleep(0.01)
    for n in map(int, numbers):
        red.publish(SendingOff(TeamName=prefix + str(n), TeamInfo=False, PlayerNum=n, id_maxvel_isvalid=n))
    rospy.spin()


if __name__ == '__main__':
    main(*sys.argv[1:])
