"""A robot's program as a team writes it with rospy: it knows ROS and nothing of the simulator.

    attacker.py DEFS watch SECONDS TOPIC...  prints every image until SECONDS of sim time are covered; 0 is for ever
    attacker.py DEFS attack                  fetches the ball by what the omni vision reports, and shoots it past
                                             the goalkeeper

DEFS is a folder of nubot_common/*.msg and *.srv, which Debian does not package; genpy makes classes of them, and their
md5 sums must be those of team NuBot's sources. What it sees goes to stdout, one line each, for the test to judge:

    image TOPIC STAMP_NS NOW_NS ENCODING WIDTH HEIGHT STEP BYTES
"""
import math
import os
import sys
import threading

import rospy
from sensor_msgs.msg import Image

from definitions import Definitions

MD5 = {
    'VelCmd': '914217797e9c6227112d1ec2a4b462eb',
    'OminiVisionInfo': '71f66ce5416c122d9955b156151ea395',
    'BallHandle': 'f352f0080766880a151542e750a50ea8',
    'Shoot': '5f7b2fca861afe65dc92d3f6a153bbec',
}


def say(*words):
    print(*words, flush=True)


def show(topic, m):
    say('image', topic, m.header.stamp.to_nsec(), rospy.get_rostime().to_nsec(), m.encoding, m.width, m.height, m.step, len(m.data))


def watch(seconds, topics):
    seen, done = {}, threading.Event()

    def got(m, topic):
        show(topic, m)
        first, _ = seen.get(topic, (m.header.stamp, None))
        seen[topic] = (first, m.header.stamp)
        if seconds > 0 and len(seen) == len(topics):
            spans = list(seen.values())
            if (min(s[1] for s in spans) - max(s[0] for s in spans)).to_sec() >= seconds:
                done.set()

    for topic in topics:
        rospy.Subscriber(topic, Image, got, topic, buff_size=1 << 22)
    while not rospy.is_shutdown() and not done.wait(0.1):
        pass


def clamp(v, limit):
    return max(-limit, min(limit, v))


def wrap(angle):
    return math.remainder(angle, 2 * math.pi)


class Attacker:
    def __init__(self, folder):
        definitions = Definitions(os.path.join(os.path.dirname(folder), 'std'), folder)

        def message(name):
            return definitions.message('nubot_common/' + name, MD5[name])

        def service(name):
            return definitions.service('nubot_common/' + name, MD5[name])

        self.news, self.info = threading.Condition(), None
        self.VelCmd = message('VelCmd')
        rospy.Subscriber('/cyan1/omnivision/OmniVisionInfo', message('OminiVisionInfo'), self.see, tcp_nodelay=True)
        self.velocity = rospy.Publisher('/cyan1/nubotcontrol/velcmd', self.VelCmd, queue_size=1, tcp_nodelay=True)
        rospy.wait_for_service('/cyan1/BallHandle', 20)
        rospy.wait_for_service('/cyan1/Shoot', 20)
        self.handle = rospy.ServiceProxy('/cyan1/BallHandle', service('BallHandle'), persistent=True)
        self.shoot = rospy.ServiceProxy('/cyan1/Shoot', service('Shoot'), persistent=True)

    def see(self, info):
        with self.news:
            self.info = info
            self.news.notify()

    def next(self):
        """Returns the next report of the vision."""
        with self.news:
            self.info = None
            if not self.news.wait_for(lambda: self.info, 20):
                raise RuntimeError('no OmniVisionInfo for 20 s')
            return self.info

    def drive(self, vx, vy, omega):
        self.velocity.publish(self.VelCmd(100 * vx, 100 * vy, omega))

    def fetch(self):
        """Turns to the ball and drives there until it is held."""
        known = False
        while not self.handle(1).BallIsHolding:
            ball = self.next().ballinfo
            if ball.pos_known:
                known = True
                angle, radius = ball.real_pos.angle, ball.real_pos.radius / 100
                speed = clamp(1.5 * (radius - 0.4), 1.5) if abs(angle) < 0.5 else 0
                self.drive(max(speed, 0.4), 0, clamp(3 * angle, 1.5))
            elif known:
                self.drive(0.3, 0, 0)

    @staticmethod
    def gap(info):
        """Returns where the ball passes the opponent's goal line farthest from anybody near it, in m."""
        near = [p.y / 100 for p in info.obstacleinfo.pos if p.x > 750]
        return max((y / 10 for y in range(-7, 8)), key=lambda y: min((abs(y - n) for n in near), default=1 - abs(y)))

    def aim(self):
        still, y = 0, None
        while still < 3:
            info = self.next()
            me = info.robotinfo[0]
            y = self.gap(info) if y is None else y
            off = wrap(math.atan2(y - me.pos.y / 100, 9 - me.pos.x / 100) - me.heading.theta)
            still = still + 1 if abs(off) < 0.04 else 0
            self.drive(0, 0, clamp(2 * off, 1.2))
        say('aim', y)

    def play(self):
        self.fetch()
        say('held')
        self.aim()
        if self.shoot(strength=10, ShootPos=-1).ShootIsDone != 1:
            raise RuntimeError('not shot')
        say('shot')
        end = rospy.get_rostime() + rospy.Duration(1.5)
        while rospy.get_rostime() < end and not rospy.is_shutdown():
            self.next()
            self.drive(0, 0, 0)


def main(defs, mode, *args):
    rospy.init_node('attacker_py', anonymous=True, disable_signals=True)
    if mode == 'watch':
        watch(float(args[0]), args[1:])
    else:
        Attacker(defs).play()


main(*sys.argv[1:])
