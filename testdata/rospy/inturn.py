"""Gets its messages one at a time, in the order in which the simulation made them, and acknowledges each: order = "all".

    inturn.py ROBOT TOPIC...    drives by all that it has got on TOPICs so far, and in which order
"""
import random
import sys
import time
import zlib

import rospy
from geometry_msgs.msg import Twist
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header


class InTurn:
    """Subscribers and publishers whose messages the simulation's next step waits for."""

    def __init__(self, robot):
        self.acks = rospy.Publisher('/%s/ack' % robot, Header, queue_size=100)
        self.topics, self.sent = [], 0

    def subscribe(self, topic, kind, callback):
        def handle(m):
            callback(m)
            self.acks.publish(self.sent, rospy.Time(), topic)  # the next message, or the next step
        self.topics.append(topic)
        rospy.Subscriber(topic, kind, handle)

    def publish(self, publisher, m):
        self.sent += 1
        publisher.publish(m)

    def ready(self):
        while self.acks.get_num_connections() == 0 and not rospy.is_shutdown():
            time.sleep(0.01)  # what is published before goes nowhere
        for topic in self.topics + ['']:
            self.acks.publish(0, rospy.Time(), topic)


def main(robot, *topics):
    rospy.init_node(robot + '_program')
    commands = rospy.Publisher('/%s/cmd_vel' % robot, Twist, queue_size=10)
    turn, seen = InTurn(robot), [0]

    def got(m):
        time.sleep(random.uniform(0, 0.003))  # it thinks
        content = str(m.clock).encode() if isinstance(m, Clock) else m._buff
        seen[0] = zlib.crc32(content, seen[0])
        if seen[0] % 3 == 0:
            command = Twist()
            command.linear.x, command.angular.z = seen[0] / 2.0 ** 32, seen[0] / 2.0 ** 31 - 1
            turn.publish(commands, command)

    while commands.get_num_connections() == 0 and not rospy.is_shutdown():
        time.sleep(0.01)
    for topic in topics:
        turn.subscribe(topic, Clock if topic == '/clock' else rospy.AnyMsg, got)
    turn.ready()
    rospy.spin()


if __name__ == '__main__':
    main(*sys.argv[1:])
