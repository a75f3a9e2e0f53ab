"""Two robots that tell each other by radio what only one of them knows, beside omnipitch run team-radio.

    radio.py cyan1    sees the ball, tells cyan2 of it, and stays beside cyan2
    radio.py cyan2    has no eyes: it drives to where the ball is said to be, and tells cyan1 where it is itself
"""
import os
import struct
import sys
import time

import rospy
from geometry_msgs.msg import PointStamped, Twist
from nav_msgs.msg import Odometry

from definitions import Definitions
from inturn import InTurn

DEFINITIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../robotio/msg/defs')
types = Definitions(*(os.path.join(DEFINITIONS, folder) for folder in ('std', 'nubot')))
Radio = types.message('omnipitch_msgs/Radio')
OmniVision = types.message('nubot_common/OminiVisionInfo')


class Robot:
    """A program's publishers, and what it gets in turn."""

    def __init__(self, name):
        rospy.init_node(name + '_program')
        self.name, self.turn, self.publishers = name, InTurn(name), {}

    def publish(self, topic, m):
        self.turn.publish(self.publishers[topic], m)

    def run(self, publishes, subscribes):
        self.publishers = {topic: rospy.Publisher('/%s/%s' % (self.name, topic), kind, queue_size=10) for topic, kind in publishes.items()}
        while any(p.get_num_connections() == 0 for p in self.publishers.values()) and not rospy.is_shutdown():
            time.sleep(0.01)  # what is published before goes nowhere
        for topic, (kind, callback) in subscribes.items():
            self.turn.subscribe('/%s/%s' % (self.name, topic), kind, callback)
        self.turn.ready()
        rospy.spin()

    def drive(self, vx, vy):
        m = Twist()
        m.linear.x, m.linear.y = (max(-2.0, min(2.0, v)) for v in (vx, vy))
        self.publish('cmd_vel', m)


def eyes(me):
    own = [0.0]

    def seen(m):
        own[0] = m.robotinfo[0].pos.y / 100 if m.robotinfo else own[0]
        if m.ballinfo.pos_known:
            ball = PointStamped()
            ball.header.stamp = m.header.stamp
            ball.point.x, ball.point.y = m.ballinfo.pos.x / 100, m.ballinfo.pos.y / 100  # NuBot's units are cm
            me.publish('ball', ball)

    def told(m):
        _, y = struct.unpack('<2d', m.data)
        me.drive(0.0, y + 4 - own[0])

    me.run({'cmd_vel': Twist, 'ball': PointStamped}, {'omnivision/OmniVisionInfo': (OmniVision, seen), 'radio/received': (Radio, told)})


def hands(me):
    ball = [None]

    def told(m):
        ball[0] = m.point

    def moved(m):
        p = m.pose.pose.position  # it looks along x, as the field does
        me.publish('radio/send', Radio(data=struct.pack('<2d', p.x, p.y)))
        if ball[0]:
            me.drive(2 * (ball[0].x - 0.4 - p.x), 2 * (ball[0].y - p.y))

    me.run({'cmd_vel': Twist, 'radio/send': Radio}, {'radio/cyan1/ball': (PointStamped, told), 'ground_truth/odom': (Odometry, moved)})


def main(robot):
    (eyes if robot == 'cyan1' else hands)(Robot(robot))


if __name__ == '__main__':
    main(sys.argv[1])
