"""Forecasts of the wall time that future sim time will take, for rospy programs that plan ahead.

    from omnipitch_msgs.sim_time import SimTime
    clock = SimTime()                      # after rospy.init_node; waits for the simulation
    clock.wall(0.033)                      # s of wall time until 33 ms of sim time have passed
    clock.wall(0.033, upper=True)          # the same, 95th percentile
    clock.sim(0.040)                       # s of sim time that pass during 40 ms of computing
    clock.ready_by(0.040, next_image)      # will 40 ms of computing be done when /clock shows next_image?

rospy's own sleep, Rate and Timer follow sim time by themselves. On the real robot there is no /simulation/speed, so this module cannot be used.
"""
import rospy
from omnipitch_msgs.msg import Speed


class SimTime:
    """Follows /simulation/speed. Any thread may call its methods."""

    def __init__(self, timeout=None):
        """Waits for the first message. Raises rospy.ROSException after timeout seconds of wall time."""
        self.speed = None  # the newest message
        self.speed = rospy.wait_for_message('/simulation/speed', Speed, timeout)
        self.subscriber = rospy.Subscriber('/simulation/speed', Speed, self._take, queue_size=1)

    def _take(self, message):
        self.speed = message

    def wall(self, sim, upper=False):
        """Returns the wall time, s, that sim seconds of sim time from now on will take; infinite while the simulation is paused.

        With upper, returns the 95th percentile."""
        m = self.speed
        if not m.ahead:
            return float('inf')
        now = self._now(m)
        return _line(m.ahead, m.upper if upper else m.likely, now + sim) - _line(m.ahead, m.likely, now)

    def sim(self, wall, least=False):
        """Returns the sim time, s, that will pass during wall seconds of wall time from now on.

        With least, returns the 5th percentile."""
        m = self.speed
        if not m.ahead:
            return 0.0
        now = self._now(m)
        begun = _line(m.ahead, m.likely, now)
        return max(_line(m.upper if least else m.likely, m.ahead, begun + wall) - now, 0.0)

    def ready_by(self, work, stamp):
        """Reports whether work seconds of computing will likely be done when /clock shows stamp, a rospy.Time."""
        return work <= self.wall((stamp - rospy.Time.now()).to_sec())

    @staticmethod
    def _now(m):
        """Returns the sim time since the message's stamp, s."""
        return max((rospy.Time.now() - m.header.stamp).to_sec(), 0.0)


def _line(xs, ys, x):
    """Interpolates linearly at x between (0, 0) and the points, and extrapolates from the last two."""
    xs, ys, i = (0.0,) + tuple(xs), (0.0,) + tuple(ys), 1
    while i < len(xs) - 1 and xs[i] < x:
        i += 1
    if xs[i] <= xs[i - 1]:
        return ys[i]
    return ys[i - 1] + (x - xs[i - 1]) * (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1])
