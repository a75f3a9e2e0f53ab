"""A robot's program that thinks for as long as it likes, up to 5 ms at random, before each command.

    lockstep.py ROBOT odom       answers every odometry message
    lockstep.py ROBOT clock MS   answers /clock every MS milliseconds of sim time
    lockstep.py ROBOT omni       answers what its omni camera's vision reports
"""
import math
import os
import random
import sys
import time

import rospy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock

from definitions import Definitions

DEFINITIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../robotio/msg/defs')
robot, answers = sys.argv[1:3]
rospy.init_node(robot + '_program')
commands = rospy.Publisher('/%s/cmd_vel' % robot, Twist, queue_size=10)
while commands.get_num_connections() == 0 and not rospy.is_shutdown():
    time.sleep(0.01)  # what is published before goes nowhere


def answer(vx, vy, turn):
    time.sleep(random.uniform(0, 0.005))
    m = Twist()
    m.linear.x, m.linear.y, m.angular.z = vx, vy, turn
    commands.publish(m)


def odom(m):
    p = m.pose.pose.position
    answer(0.8, math.sin(3 * p.x), 0.5 * math.cos(p.y))


def clock(m):
    ms = m.clock.to_nsec() // 1000000
    if ms % int(sys.argv[3]) == 0:
        answer(0.5, 0, math.sin(ms / 300.0))


def omni(m):
    answer(0.7, 0, m.ballinfo.real_pos.angle)


if answers == 'odom':
    rospy.Subscriber('/%s/odom' % robot, Odometry, odom)
elif answers == 'omni':
    types = Definitions(*(os.path.join(DEFINITIONS, folder) for folder in ('std', 'nubot')))
    rospy.Subscriber('/%s/omnivision/OmniVisionInfo' % robot, types.message('nubot_common/OminiVisionInfo'), omni)
else:
    rospy.Subscriber('/clock', Clock, clock)
rospy.spin()
