"""A robot's program and a referee's as simatch has them: they know its topics and services, and nothing of the simulator.

    simatch.py DEFS player ROBOT   fetches the ball and shoots it at the opponent's goal: by omnivision/OmniVisionInfo,
                                   ballisholding/BallIsHolding, nubotcontrol/actioncmd and nubotcontrol/velcmd
    simatch.py DEFS referee X Y    puts the ball at a place (m), tells who dribbles it and what touches it, waits for
                                   it to lie in a goal, sends rival3 off, and moves rival1 and nubot1 with the
                                   orientations that it has read, by topic and by service: kept is by how much they differ, rad

DEFS is the folder of the folders std, nubot and simatch of message definitions. What they see goes to stdout:

    holds | shoots | ball X Y | dribbles ID | touched NAME | goal X | off X Y | kept NAME DIFFERENCE
"""
import math
import sys
import threading

import rospy

from definitions import Definitions


def say(*words):
    print(*words, flush=True)


def clamp(v, limit):
    return max(-limit, min(limit, v))


class Player:
    def __init__(self, types, robot):
        self.news, self.info, self.holding = threading.Condition(), None, False
        self.number = int(robot[-1])  # as NuBot's nodes know theirs
        self.ActionCmd = types.message('nubot_common/ActionCmd', 'e204a5c5aa57094f9f1d312ee6cf39ca')
        self.VelCmd = types.message('nubot_common/VelCmd')
        rospy.Subscriber('/%s/omnivision/OmniVisionInfo' % robot, types.message('nubot_common/OminiVisionInfo'), self.see)
        rospy.Subscriber('/%s/ballisholding/BallIsHolding' % robot,
                         types.message('nubot_common/BallIsHolding', '54632c03708fe2af90615888ddba8d4e'), self.hold)
        self.action = rospy.Publisher('/%s/nubotcontrol/actioncmd' % robot, self.ActionCmd, queue_size=1)
        self.velocity = rospy.Publisher('/%s/nubotcontrol/velcmd' % robot, self.VelCmd, queue_size=1)

    def see(self, info):
        with self.news:
            self.info = info
            self.news.notify()

    def hold(self, m):
        self.holding = m.BallIsHolding == 1

    def next(self):
        with self.news:
            self.info = None
            if not self.news.wait_for(lambda: self.info, 20):
                raise RuntimeError('no OmniVisionInfo for 20 s')
            return self.info

    def act(self, vx, vy, omega, strength=0, pos=0):
        """What the high level and the hardware node would say together."""
        a = self.ActionCmd()
        a.handle_enable, a.strength, a.shootPos = 1, strength, pos
        self.action.publish(a)
        self.velocity.publish(self.VelCmd(100 * vx, 100 * vy, omega))

    def play(self):
        known = False
        while not self.holding:
            ball = self.next().ballinfo
            known = known or ball.pos_known
            if ball.pos_known:
                angle, radius = ball.real_pos.angle, ball.real_pos.radius / 100
                speed = clamp(1.5 * (radius - 0.4), 1.5) if abs(angle) < 0.5 else 0
                self.act(max(speed, 0.4), 0, clamp(3 * angle, 1.5))
            else:  # close by it is below the mirror's view; from afar a rod may hide it
                self.act(0.3 if known else 0, 0, 0 if known else 0.8)
        say('holds')
        still = 0
        while still < 3:
            me = next(r for r in self.next().robotinfo if r.AgentID == self.number)
            off = math.remainder(math.atan2(-me.pos.y / 100, 9 - me.pos.x / 100) - me.heading.theta, 2 * math.pi)
            still = still + 1 if abs(off) < 0.05 else 0
            self.act(0, 0, clamp(2 * off, 1.2))
        say('shoots')
        while self.holding:
            self.act(0, 0, 0, strength=8, pos=1)
            self.next()
        self.act(0, 0, 0)


class Referee:
    def __init__(self, types):
        self.models, self.poses, self.dribbler, self.touched = {}, {}, -1, set()
        rospy.Service('/DribbleId', types.service('nubot_common/DribbleId', 'b6b47c6e56fd60d8b47d92133446ffca'), self.dribbles)
        self.ModelState = types.message('gazebo_msgs/ModelState')
        self.SendingOff = types.message('nubot_common/SendingOff', '9191751af64414be11d66149d6cb5102')
        self.set = rospy.ServiceProxy('/gazebo/set_model_state', types.service('gazebo_msgs/SetModelState'))
        self.get = rospy.ServiceProxy('/gazebo/get_model_state', types.service(
            'gazebo_msgs/GetModelState', '4c515e936d3319c9610c559c60bfc3d4'))  # of gazebo_ros_pkgs since ROS Jade
        self.place = rospy.Publisher('/gazebo/set_model_state', self.ModelState, queue_size=10, latch=True)
        self.rival = rospy.get_param('/magenta/prefix')
        self.red = rospy.Publisher('/%s/redcard/chatter' % self.rival, self.SendingOff, queue_size=10, latch=True)
        self.ball = rospy.get_param('/football/name')
        rospy.Subscriber('/gazebo/model_states', types.message('gazebo_msgs/ModelStates'), self.see)
        rospy.Subscriber('/football/bumper_states', types.message('gazebo_msgs/ContactsState'), self.bump)

    def see(self, m):
        self.models = {n: p.position for n, p in zip(m.name, m.pose)}
        self.poses = dict(zip(m.name, m.pose))

    def bump(self, m):
        for s in m.states:
            name = s.collision2_name.split('::')[0]
            if name not in self.touched:
                self.touched.add(name)
                say('touched', name)

    def dribbles(self, request):
        if request.AgentId != self.dribbler:
            say('dribbles', request.AgentId)
        self.dribbler = request.AgentId
        return {}

    def until(self, what, ok):
        end = rospy.get_rostime() + rospy.Duration(60)
        while not ok():
            if rospy.is_shutdown() or rospy.get_rostime() > end:
                raise RuntimeError('waited for ' + what)
            rospy.rostime.wallsleep(0.01)

    def put(self, name, x, y):
        m = self.ModelState(model_name=name, reference_frame='world')
        m.pose.position.x, m.pose.position.y, m.pose.orientation.w = x, y, 1
        self.place.publish(m)
        self.until(name, lambda: math.hypot(self.models[name].x - x, self.models[name].y - y) < 0.05)

    def watch(self, x, y):
        self.until('the models', lambda: self.ball in self.models)
        for number, clear in ('1', 4), ('2', 5):  # out of the way of the shot
            self.put(self.rival + number, 6, clear)
        self.put(self.ball, x, y)
        say('ball', x, y)
        self.until('a goal', lambda: abs(self.models[self.ball].x) > 9.1)
        say('goal', self.models[self.ball].x)
        self.until('the net', lambda: self.touched)
        self.red.publish(self.SendingOff(TeamName='rival', TeamInfo=True, PlayerNum=3))
        self.until('rival3 to leave', lambda: self.models['rival3'].y < -8)
        say('off', self.models['rival3'].x, self.models['rival3'].y)
        for name in self.rival + '1', rospy.get_param('/cyan/prefix') + '1':
            self.keep(name, self.place.publish)
            self.keep(name, self.set)

    def keep(self, name, send):
        """Moves a robot to the side and leaves its orientation as it was read, with a service if it is moved with one."""
        pose = self.get(name, 'world').pose if send is self.set else self.poses[name]
        m, y = self.ModelState(model_name=name, pose=pose), pose.position.y + 0.4
        before = self.yaw(pose)
        m.pose.position.y = y
        send(m)
        self.until(name, lambda: abs(self.models[name].y - y) < 0.05 and self.poses[name] is not pose)
        say('kept', name, '%.3f' % abs(math.remainder(self.yaw(self.poses[name]) - before, 2 * math.pi)))

    @staticmethod
    def yaw(pose):
        return 2 * math.atan2(pose.orientation.z, pose.orientation.w)


def main(defs, role, *args):
    rospy.init_node('simatch_' + role, anonymous=True, disable_signals=True)
    types = Definitions(*(defs + '/' + d for d in ('std', 'nubot', 'simatch')))
    if role == 'player':
        Player(types, args[0]).play()
    else:
        Referee(types).watch(*map(float, args))


main(*sys.argv[1:])
