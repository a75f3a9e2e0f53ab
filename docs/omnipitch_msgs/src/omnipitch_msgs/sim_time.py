"""How much wall time the coming sim time takes, for programs with rospy that plan while a simulation runs.

    from omnipitch_msgs.sim_time import SimTime
    clock = SimTime()                      # after rospy.init_node; waits for the simulation
    clock.wall(0.033)                      # s of wall time until 33 ms of sim time have gone by
    clock.wall(0.033, upper=True)          # the same, longer in one case of twenty
    clock.sim(0.040)                       # s of sim time that go by during 40 ms of computing
    clock.ready_by(0.040, next_image)      # will 40 ms of computing be done when /clock shows next_image?

rospy's own sleep, Rate and Timer follow sim time by themselves. A program on the real robot has no /simulation/speed: it does without this module.
"""
import rospy
from omnipitch_msgs.msg import Speed


class SimTime:
    """Follows /simulation/speed. All methods may be called from any thread."""

    def __init__(self, timeout=None):
        """Waits for the first message; after timeout seconds of wall time it raises rospy.ROSException."""
        self.speed = None  # the newest message
        self.speed = rospy.wait_for_message('/simulation/speed', Speed, timeout)
        self.subscriber = rospy.Subscriber('/simulation/speed', Speed, self._take, queue_size=1)

    def _take(self, message):
        self.speed = message

    def wall(self, sim, upper=False):
        """Seconds of wall time that so many seconds of sim time will take from now on; infinite while the simulation stands."""
        m = self.speed
        if not m.ahead:
            return float('inf')
        now = self._now(m)
        return _line(m.ahead, m.upper if upper else m.likely, now + sim) - _line(m.ahead, m.likely, now)

    def sim(self, wall, least=False):
        """Seconds of sim time that will go by in so many seconds of wall time from now on; least: less in one case of twenty."""
        m = self.speed
        if not m.ahead:
            return 0.0
        now = self._now(m)
        begun = _line(m.ahead, m.likely, now)
        return max(_line(m.upper if least else m.likely, m.ahead, begun + wall) - now, 0.0)

    def ready_by(self, work, stamp):
        """Whether computing that takes so many seconds of wall time will likely be done when /clock shows stamp, a rospy.Time."""
        return work <= self.wall((stamp - rospy.Time.now()).to_sec())

    @staticmethod
    def _now(m):
        """Seconds of sim time since the message's stamp."""
        return max((rospy.Time.now() - m.header.stamp).to_sec(), 0.0)


def _line(xs, ys, x):
    """The value at x of the line through (0, 0) and the points; beyond the last one it goes on as its last part does."""
    xs, ys, i = (0.0,) + tuple(xs), (0.0,) + tuple(ys), 1
    while i < len(xs) - 1 and xs[i] < x:
        i += 1
    if xs[i] <= xs[i - 1]:
        return ys[i]
    return ys[i - 1] + (x - xs[i - 1]) * (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1])
