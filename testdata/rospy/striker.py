"""A humanoid's striker that knows only the messages of Bestmann's thesis, on rospy and actionlib, without their package.

    striker.py DEFS ROBOT GOAL

DEFS is the folder of the folders std and humanoid of message definitions, GOAL the distance of the opponents' goal from the middle of the field. It finds
the ball with its head, walks behind it, and kicks it towards the goal. It prints what it knows when it begins to walk, and how the kick ended:

    position X Y HEADING | ball X Y | state STATE | kick STATUS
"""
import math
import os
import sys
import tempfile
import threading

import actionlib
import rospy
from geometry_msgs.msg import Twist, Vector3

from definitions import Definitions

defs, robot, goal_x = sys.argv[1], sys.argv[2], float(sys.argv[3])


def write(folder, name, text):
    with open(os.path.join(folder, name + '.msg'), 'w') as f:
        f.write(text)


def action_messages(name, folder):
    """Writes the messages that actionlib makes of a definition of an action."""
    with open(os.path.join(defs, 'humanoid', 'humanoid_league_msgs', name + '.action')) as f:
        parts = [part.strip() + '\n' for part in f.read().split('---')]
    for part, text in zip(('Goal', 'Result', 'Feedback'), parts):
        write(folder, name + part, text)
        about = 'actionlib_msgs/GoalID goal_id' if part == 'Goal' else 'actionlib_msgs/GoalStatus status'
        write(folder, name + 'Action' + part, 'Header header\n%s\n%s%s %s\n' % (about, name, part, part.lower()))
    write(folder, name + 'Action', ''.join('%sAction%s action_%s\n' % (name, part, part.lower()) for part in ('Goal', 'Result', 'Feedback')))


with tempfile.TemporaryDirectory() as made:
    os.mkdir(made + '/humanoid_league_msgs')
    action_messages('Kick', made + '/humanoid_league_msgs')
    types = Definitions(defs + '/std', defs + '/humanoid', made)
    Kick = types.message('humanoid_league_msgs/KickAction')

rospy.init_node('striker')
newest = {}
changed = threading.Condition()


def hear(topic, name):
    def take(m):
        with changed:
            newest[topic] = m
            changed.notify()
    rospy.Subscriber('/%s/%s' % (robot, topic), types.message('humanoid_league_msgs/' + name), take)


hear('position', 'Position2D')
hear('ball_relative', 'BallRelative')
hear('robot_state', 'RobotControlState')
hear('gamestate', 'GameState')
Head, Strategy = (types.message('humanoid_league_msgs/' + name) for name in ('HeadMode', 'Strategy'))
head = rospy.Publisher('/%s/head_mode' % robot, Head, queue_size=1, latch=True)
head.publish(Head(headMode=Head.BALL_MODE))
strategy = rospy.Publisher('/%s/strategy' % robot, Strategy, queue_size=1, latch=True)
strategy.publish(Strategy(role=Strategy.ROLE_STRIKER, action=Strategy.ACTION_GOING_TO_BALL))
walk = rospy.Publisher('/%s/cmd_vel' % robot, Twist, queue_size=1)
kick = actionlib.SimpleActionClient('/%s/kick' % robot, Kick)
kick.wait_for_server()


def known():
    return len(newest) == 4 and newest['ball_relative'].confidence > 0 and newest['gamestate'].allowedToMove


with changed:
    if not changed.wait_for(known, 60):
        sys.exit('it knows only %s' % sorted(newest))
    at, ball = newest['position'].pose, newest['ball_relative'].ball_relative
    print('position %.3f %.3f %.3f' % (at.x, at.y, at.theta))
    print('ball %.3f %.3f' % (ball.x, ball.y))
    print('state %d' % newest['robot_state'].state, flush=True)

BEHIND = 0.22  # m, of the ball's centre
while not rospy.is_shutdown():
    with changed:
        changed.wait(0.1)
        at, ball = newest['position'].pose, newest['ball_relative'].ball_relative
        sees = newest['ball_relative'].confidence > 0
    m = Twist()
    if sees:
        sin, cos = math.sin(at.theta), math.cos(at.theta)
        bx, by = at.x + cos * ball.x - sin * ball.y, at.y + sin * ball.x + cos * ball.y
        aim = math.atan2(-by, goal_x - bx)
        # the place behind the ball, in the robot's axes
        turn = math.remainder(aim - at.theta, 2 * math.pi)
        x, y = ball.x - BEHIND * math.cos(turn), ball.y - BEHIND * math.sin(turn)
        if math.hypot(x, y) < 0.06 and abs(turn) < 0.1:
            break
        far = max(1, math.hypot(x, y) / 0.25)
        m.linear.x, m.linear.y, m.angular.z = x / far, y / far, max(-0.8, min(0.8, 2 * turn))
    walk.publish(m)
walk.publish(Twist())
strategy.publish(Strategy(role=Strategy.ROLE_STRIKER, action=Strategy.ACTION_TRYING_TO_SCORE))
target = Vector3(x=2.5, y=0, z=0)
goal = type(Kick().action_goal.goal)(ball_pos=Vector3(x=ball.x, y=ball.y), target=target)
kick.send_goal_and_wait(goal, rospy.Duration(20))
print('kick %d' % kick.get_state(), flush=True)
rospy.signal_shutdown('done')
