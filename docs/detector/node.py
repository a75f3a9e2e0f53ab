#!/usr/bin/python3
"""Finds the ball in a robot's front images by the detector in the file that DETECTOR names. Publishes vision/ball, the centre of the surest ball in base_link, for each image that shows one.

It takes front/image_raw one at a time, and acknowledges each, as order = "all" of [[time.wait_for]] asks for. Whose robot it is, ROS_NAMESPACE says.
"""
import math
import os
import time

import numpy as np
import rospy
from geometry_msgs.msg import PointStamped
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header

from detector import Camera, Detector

FORWARD, HEIGHT, PITCH = 0.26, 0.5, math.radians(15)  # how the front camera is mounted: m, m, rad
detector, more = Detector.load(os.environ['DETECTOR'])
camera, sent = None, 0


def know(info):
    global camera
    camera = Camera(info.K[0], info.K[2], info.K[5], HEIGHT, PITCH)


def see(m):
    global sent
    while camera is None:  # it comes with the first image
        time.sleep(0.01)
    image = np.frombuffer(m.data, np.uint8).reshape(m.height, m.step)[:, :3 * m.width].reshape(m.height, m.width, 3)
    if m.encoding == 'rgb8':
        image = image[..., ::-1]
    windows, score = detector.find(np.ascontiguousarray(image), camera)
    if len(score) and score[0] >= more['threshold']:
        ball = PointStamped(header=m.header)
        ball.header.frame_id = 'base_link'
        ball.point.x, ball.point.y, ball.point.z = camera.place(windows[0]) + (FORWARD, 0, 0)
        balls.publish(ball)
        sent += 1
    acks.publish(sent, rospy.Time(), images)


rospy.init_node('detector')
images = rospy.resolve_name('front/image_raw')
balls = rospy.Publisher('vision/ball', PointStamped, queue_size=10)
acks = rospy.Publisher('ack', Header, queue_size=10)
rospy.Subscriber('front/camera_info', CameraInfo, know)
while not all(p.get_num_connections() for p in (balls, acks)):
    time.sleep(0.01)  # what is published before goes nowhere
rospy.Subscriber(images, Image, see, buff_size=1 << 22)
for topic in images, '':
    acks.publish(0, rospy.Time(), topic)
rospy.spin()
