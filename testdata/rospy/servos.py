"""What a humanoid reports about its servos and its motion, in the messages of Bestmann's thesis, on rospy without their package.

    servos.py DEFS ROBOT

DEFS is the folder of the folders std and humanoid of message definitions. It lets the robot speak, waits for one message of each topic, and prints:

    servos NUMBER HOTTEST VOLTAGE | odometry FRAME VARIANCE | compass HEADING CONFIDENCE | state STATE
"""
import sys
import threading

import rospy

from definitions import Definitions

defs, robot = sys.argv[1], sys.argv[2]
types = Definitions(defs + '/std', defs + '/humanoid')
rospy.init_node('servos')
newest = {}
changed = threading.Condition()


def hear(topic, name):
    def take(m):
        with changed:
            newest[topic] = m
            changed.notify()
    rospy.Subscriber('/%s/%s' % (robot, topic), types.message(name), take)


hear('servo_data', 'humanoid_league_msgs/AdditionalServoData')
hear('visual_odom', 'nav_msgs/Odometry')
hear('vc_rotation', 'humanoid_league_msgs/VisualCompassRotation')
hear('robot_state', 'humanoid_league_msgs/RobotControlState')
Speak = types.message('humanoid_league_msgs/Speak')
speaker = rospy.Publisher('/%s/speak' % robot, Speak, queue_size=1, latch=True)
speaker.publish(Speak(text='I check my servos', priority=Speak.HIGH_PRIORITY))
with changed:
    if not changed.wait_for(lambda: len(newest) == 4, 60):
        sys.exit('it hears only %s' % sorted(newest))
    servos, odometry, compass, state = (newest[t] for t in ('servo_data', 'visual_odom', 'vc_rotation', 'robot_state'))
    print('servos %d %.1f %.1f' % (len(servos.temperature), max(t.temperature for t in servos.temperature), max(servos.voltage)))
    print('odometry %s %g' % (odometry.header.frame_id, odometry.pose.covariance[0]))
    print('compass %.3f %.3f' % (compass.orientation, compass.confidence))
    print('state %d' % state.state, flush=True)
rospy.signal_shutdown('done')
