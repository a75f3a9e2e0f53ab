"""Prints, twenty times a second, what a program gets from /simulation/speed by the helper for rospy, and from /simulation/predict.

    plan.py DEFINITIONS PACKAGE

DEFINITIONS is the folder of standard messages, PACKAGE that of omnipitch_msgs. A line holds: speed, paused, target, next target, measured factor;
by the helper the wall time of 100 ms of sim time, its upper bound, the sim time in 40 ms of wall time, its lower bound, and whether 40 and
60 ms of computing will be done when 100 ms of sim time have gone by; of the service known, and the same four times.
"""
import sys
import time
import types

import rospy
from definitions import Definitions

definitions, package = sys.argv[1:]
types_of = Definitions(definitions)
sys.modules['omnipitch_msgs'] = types.ModuleType('omnipitch_msgs')  # what catkin generates
sys.modules['omnipitch_msgs'].__path__ = [package + '/src/omnipitch_msgs']
sys.modules['omnipitch_msgs.msg'] = types.ModuleType('omnipitch_msgs.msg')
sys.modules['omnipitch_msgs.msg'].Speed = types_of.message('omnipitch_msgs/Speed')
from omnipitch_msgs.sim_time import SimTime  # noqa: E402, needs the message

rospy.init_node('plan_rospy')
clock = SimTime()
predict = rospy.ServiceProxy('/simulation/predict', types_of.service('omnipitch_msgs/Predict'), persistent=True)
while not rospy.is_shutdown():
    m, soon = clock.speed, rospy.Time.now() + rospy.Duration(0.1)
    helper = [clock.wall(0.1), clock.wall(0.1, upper=True), clock.sim(0.04), clock.sim(0.04, least=True)]
    ready = [clock.ready_by(0.04, soon), clock.ready_by(0.06, soon)]
    try:
        a = predict(0.1, 0.04)
    except rospy.ServiceException:  # the simulation ends
        break
    print('plan', m.speed, int(m.paused), m.target, m.next_target, m.measured, *helper, *map(int, ready), int(a.known), a.wall_likely, a.wall_upper,
          a.sim_likely, a.sim_least, flush=True)
    time.sleep(0.05)
