"""Says what two robots believe, as NuBot's world model and as localisation, planners and vision do, twenty times a second.

    believes.py DEFS TEAM1 NUMBER1 TEAM2 NUMBER2

DEFS is the folder of the folders std and nubot of message definitions. Both say the same, each in its team's field frame: robot TEAM NUMBER as NuBot's
world model, in cm, that it stands at (-5, 2) m and looks along y, that the ball is at (1, 3), another robot at (2, -4), that it goes to (0, 0) at
1 m/s along x, and, as NuBot's control, that it is ACTIVE, turns to shoot, and dribbles. Of a second robot of each team, with the next number, a pose in
frame field, and a ball before it, in its own frame.
"""
import math
import sys
import time

import rospy

from definitions import Definitions

defs = Definitions(sys.argv[1] + '/std', sys.argv[1] + '/nubot')
WorldModelInfo = defs.message('nubot_common/WorldModelInfo')
StrategyInfo = defs.message('nubot_common/StrategyInfo')
RobotInfo = defs.message('nubot_common/RobotInfo')
BallInfo = defs.message('nubot_common/BallInfo')
Point2d = defs.message('nubot_common/Point2d')
PoseStamped = defs.message('geometry_msgs/PoseStamped')
PointStamped = defs.message('geometry_msgs/PointStamped')

rospy.init_node('believes')
robots = [(sys.argv[2], int(sys.argv[3])), (sys.argv[4], int(sys.argv[5]))]
models = [(n, rospy.Publisher('/%s%d/worldmodel/worldmodelinfo' % (team, n), WorldModelInfo, queue_size=1)) for team, n in robots]
strategies = [(n, rospy.Publisher('/%s%d/nubotcontrol/strategy' % (team, n), StrategyInfo, queue_size=1)) for team, n in robots]
poses = [rospy.Publisher('/%s%d/pose' % (team, n + 1), PoseStamped, queue_size=1) for team, n in robots]
balls = [rospy.Publisher('/%s%d/ball' % (team, n + 1), PointStamped, queue_size=1) for team, n in robots]


def place(cls, x, y):
    p = cls()
    p.x, p.y = x, y
    return p


while not rospy.is_shutdown():
    now = rospy.Time.now()
    for number, pub in models:
        m = WorldModelInfo()
        m.header.stamp = now
        for i in range(1, number + 1):
            r, b = RobotInfo(), BallInfo()
            r.AgentID, r.isvalid = i, True
            if i == number:
                r.pos.x, r.pos.y, r.heading.theta = -500, 200, math.pi / 2
                r.vtrans.x = 100
                b.pos.x, b.pos.y, b.pos_known = 100, 300, True
            m.robotinfo.append(r)
            m.ballinfo.append(b)
        m.obstacleinfo.pos.append(place(Point2d, 200, -400))
        pub.publish(m)
    for number, pub in strategies:
        m = StrategyInfo()
        m.AgentID, m.role, m.action, m.is_dribble = number, 1, 4, True
        pub.publish(m)
    for pub in poses:
        m = PoseStamped()
        m.header.stamp, m.header.frame_id = now, 'field'
        m.pose.position.x, m.pose.position.y, m.pose.orientation.w = -6, -3, 1
        pub.publish(m)
    for pub in balls:
        m = PointStamped()
        m.header.stamp, m.header.frame_id = now, 'base_link'
        m.point.x, m.point.y = 2, 1
        pub.publish(m)
    time.sleep(0.05)
