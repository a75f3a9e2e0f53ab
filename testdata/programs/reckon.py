"""Drives a circle, and publishes where the robot is, as its odometry has it: reckon.py X Y HEADING_DEG, at the beginning."""
import math
import sys
import time

import rospy
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry
from std_msgs.msg import Header

x, y, heading = float(sys.argv[1]), float(sys.argv[2]), math.radians(float(sys.argv[3]))
rospy.init_node('reckon')
odom, sent = rospy.resolve_name('odom'), 0
estimates = rospy.Publisher('estimate', PoseStamped, queue_size=10)
commands = rospy.Publisher('cmd_vel', Twist, queue_size=10)
acks = rospy.Publisher('ack', Header, queue_size=10)
drive = Twist()
drive.linear.x, drive.angular.z = 1, -0.6


def publish(publisher, message):
    global sent
    publisher.publish(message)
    sent += 1


def reckon(odometry):
    p, q = odometry.pose.pose.position, odometry.pose.pose.orientation
    m = PoseStamped(header=odometry.header)
    m.header.frame_id = 'map'
    m.pose.position.x = x + p.x * math.cos(heading) - p.y * math.sin(heading)
    m.pose.position.y = y + p.x * math.sin(heading) + p.y * math.cos(heading)
    turned = heading + 2 * math.atan2(q.z, q.w)
    m.pose.orientation.z, m.pose.orientation.w = math.sin(turned / 2), math.cos(turned / 2)
    publish(estimates, m)
    publish(commands, drive)
    acks.publish(sent, rospy.Time(), odom)  # done with this message; the next step begins when all that was sent has arrived


while not all(p.get_num_connections() for p in (estimates, commands, acks)):
    time.sleep(0.01)  # what is published before goes nowhere
rospy.Subscriber(odom, Odometry, reckon)
for topic in odom, '':
    acks.publish(0, rospy.Time(), topic)  # every message of odom is to be waited for, and that is all
rospy.spin()
