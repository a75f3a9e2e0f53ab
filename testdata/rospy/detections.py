"""A team's program that takes what vision finds from vision_msgs and from the humanoid league's messages, on rospy, without their packages.

    detections.py DEFS ROBOT CAMERA PIXELS

DEFS is the folder of the folders std and humanoid of message definitions, CAMERA a camera at objects, PIXELS one at features. It looks the names of
classes up where VisionInfo says. When it has seen a ball by each message it prints what it knows, and ends:

    3d CLASS X Y Z SIGMA | 2d CLASS U V WIDTH | humanoid U V DIAMETER | points N | game STATE MOVE | team IDS | joints NAMES
"""
import math
import sys
import threading

import rospy
from sensor_msgs import point_cloud2
from sensor_msgs.msg import JointState, PointCloud2

from definitions import Definitions

defs, robot, camera, pixels = sys.argv[1:]
types = Definitions(defs + '/std', defs + '/humanoid')
rospy.init_node('detections')
done = {}
changed = threading.Condition()


def once(what, line):
    with changed:
        if what not in done:
            done[what] = True
            print(what, line, flush=True)
            changed.notify()


def subscribe(topic, name, md5, take):
    kind = name if isinstance(name, type) else types.message(name, md5)
    rospy.Subscriber('/%s/%s' % (robot, topic), kind, take)


info = rospy.wait_for_message('/%s/vision_info' % robot, types.message('vision_msgs/VisionInfo', 'eee36f8dc558754ceb4ef619179d8b34'))
classes = rospy.get_param(info.database_location)


def found3d(m):
    for d in m.detections:
        best = max(d.results, key=lambda r: r.score)
        p, c = best.pose.pose.position, best.pose.covariance
        if classes[best.id] == 'ball':
            once('3d', '%s %.3f %.3f %.3f %.4f' % (classes[best.id], p.x, p.y, p.z, math.sqrt(c[0] + c[7])))


frames = {}


def of_frame(stamp, what, line):
    """Prints what both messages say of one image."""
    with changed:
        frame = frames.setdefault(stamp, {})
        frame[what] = line
        both = len(frame) == 2
    if both:
        for what, line in frame.items():
            once(what, line)


def found2d(m):
    for d in m.detections:
        best = max(d.results, key=lambda r: r.score)
        if classes[best.id] == 'ball':
            of_frame(m.header.stamp, '2d', '%s %.1f %.1f %.1f' % (classes[best.id], d.bbox.center.x, d.bbox.center.y, d.bbox.size_x))


def humanoid(m):
    if m.confidence > 0:
        of_frame(m.header.stamp, 'humanoid', '%.1f %.1f %.1f' % (m.center.x, m.center.y, m.diameter))


subscribe(camera + '/detections_3d', 'vision_msgs/Detection3DArray', '05c51d9aea1fb4cfdc8effb94f197b6f', found3d)
subscribe(pixels + '/detections', 'vision_msgs/Detection2DArray', '402071f61477de256df9f1aa45e6e4c8', found2d)
subscribe(pixels + '/ball_in_image', 'humanoid_league_msgs/BallInImage', 'c3775125953fa948c8ca5a04d3bd36eb', humanoid)
subscribe(pixels + '/line_points_in_image', PointCloud2, None,
          lambda m: once('points', '%d' % len([p for p in point_cloud2.read_points(m) if p[2] == 0])))
subscribe('gamestate', 'humanoid_league_msgs/GameState', '2bc5e50260adc2013b416b415e6ef100',
          lambda m: once('game', '%d %s' % (m.gameState, m.allowedToMove)))
subscribe('team_data', 'humanoid_league_msgs/TeamData', '3c1658268445f044e3a6e26e5ab92357',
          lambda m: once('team', ' '.join(str(i) for i in bytearray(m.robot_ids))))
subscribe('joint_states', JointState, None, lambda m: once('joints', ' '.join(m.name)))

with changed:
    if not changed.wait_for(lambda: len(done) == 7, 30):
        print('missing', sorted(done), file=sys.stderr)
rospy.signal_shutdown('done')
