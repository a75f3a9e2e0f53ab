"""Starts rospy programs as fast as a machine can: each is a new process with a node of its own, but rospy is imported once.

    start MASTER_URI SECONDS PROGRAM ARGUMENT...    a new process, which begins after so many seconds: drive, inturn (see inturn.py),
                                                    radio (see radio.py), team or sendoff (see team.py)
    end                                             kills all; answers "ended"

lines on stdin. drive ROBOT clock MS answers /clock every MS milliseconds of sim time, drive ROBOT odom each odometry message; neither
waits for anything to be connected.
"""
import math
import os
import random
import signal
import sys
import time

import rospy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock

import inturn
import radio
import team


def drive(robot, answers, period='0'):
    rospy.init_node(robot + '_program')
    commands = rospy.Publisher('/%s/cmd_vel' % robot, Twist, queue_size=10)

    def answer(vx, turn):
        time.sleep(random.uniform(0, 0.002))  # it thinks
        m = Twist()
        m.linear.x, m.angular.z = vx, turn
        commands.publish(m)

    def odom(m):
        answer(0.8, math.cos(m.pose.pose.position.x))

    def clock(m):
        ms = m.clock.to_nsec() // 1000000
        if ms % int(period) == 0:
            answer(0.5, math.sin(ms / 300.0))

    if answers == 'odom':
        rospy.Subscriber('/%s/odom' % robot, Odometry, odom)
    else:
        rospy.Subscriber('/clock', Clock, clock)
    rospy.spin()


def begin(uri, seconds, program, *arguments):
    os.environ['ROS_MASTER_URI'] = uri
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)  # stdout is for answers
    random.seed()
    time.sleep(float(seconds))
    {'drive': drive, 'inturn': inturn.main, 'radio': radio.main, 'team': team.main, 'sendoff': team.send_off}[program](*arguments)


children = []
for line in sys.stdin:
    words = line.split()
    if words[0] == 'start':
        child = os.fork()
        if child == 0:
            try:
                begin(*words[1:])
            finally:
                os._exit(1)
        children.append(child)
    else:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        children = []
        print('ended', flush=True)
