"""A team's viewer on rospy that holds markers against what they are about, message by message of the same stamp.

    markers.py DEFS ROBOT CAMERA IMAGES

DEFS is the folder of the folder std of message definitions, CAMERA a camera at objects, IMAGES one at raw. When it has compared enough of each it
prints what it has found, and ends:

    field LINES ARCS GOALS NAMESPACES | truth N WORST_MM | report N WORST_MM WORST_SECTOR | image N PIXELS OUTSIDE FAR CARPET | marked N OFF | annotations N OFF
"""
import math
import sys
import threading

import numpy
import rospy
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Image

from definitions import Definitions

defs, robot, camera, images = sys.argv[1:]
types = Definitions(defs + '/std')
MarkerArray = types.message('visualization_msgs/MarkerArray', 'd155b9ce5188fbaf89745847fd5882d7')
ImageMarker = types.message('visualization_msgs/ImageMarker', '1de93c67ec8858b831025a08fbf1b35c')
Annotations = types.message('foxglove_msgs/ImageAnnotations')
Detections = types.message('vision_msgs/Detection3DArray', '05c51d9aea1fb4cfdc8effb94f197b6f')
rospy.init_node('markers')
lock = threading.Condition()
done = {}


class Compare:
    """Calls compare with one message of each topic, of the same stamp, until it has been true so many times; then prints its sums."""

    def __init__(self, what, times, compare, **topics):
        self.what, self.times, self.compare, self.sums, self.waiting = what, times, compare, None, {}
        self.names = sorted(topics)
        for name, (topic, kind, stamp) in topics.items():
            rospy.Subscriber(topic, kind, self.take, (name, stamp), queue_size=20, buff_size=1 << 24)

    def take(self, m, of):
        name, stamp = of
        with lock:
            at = stamp(m)
            got = self.waiting.setdefault(at, {})
            got[name] = m
            if len(got) < len(self.names) or self.what in done:
                return
            del self.waiting[at]
            found = self.compare(**got)
            if found is None:
                return
            self.sums = found if self.sums is None else [merge(a, b) for (merge, _), a, b in zip(self.merges, self.sums, found)]
            self.count = getattr(self, 'count', 0) + 1
            if self.count == self.times:
                done[self.what] = '%s %d %s' % (self.what, self.count, ' '.join(show % x for (_, show), x in zip(self.merges, self.sums)))
                print(done[self.what], flush=True)
                lock.notify()

    merges = ()


def comparing(*merges):
    return type('Comparing', (Compare,), {'merges': merges})


worst, total = (max, '%.3f'), (lambda a, b: a + b, '%d')
of_header = lambda m: m.header.stamp  # noqa: E731
of_markers = lambda m: m.markers[-1].header.stamp  # noqa: E731


def field(m):
    """Lines and arcs of the field, and its goals."""
    by = {}
    for k in m.markers:
        by.setdefault(k.ns, []).append(k)
    with lock:
        done['field'] = True
        print('field', len(by['field'][0].points) // 2, sum(len(k.points) for k in by['arcs']), len(by['goals']), ' '.join(sorted(by)), flush=True)
        lock.notify()


rospy.Subscriber('/field_markers', MarkerArray, field)


def apart(p, q):
    return 1000 * math.sqrt((p.x - q.x) ** 2 + (p.y - q.y) ** 2 + (p.z - q.z) ** 2)


def truth(markers, ball, odom):
    by = {(k.ns, k.id): k for k in markers.markers}
    body, at = by[robot, 0].pose.position, odom.pose.pose.position
    off = [apart(by['ball', 0].pose.position, ball.pose.pose.position), 1000 * math.hypot(body.x - at.x, body.y - at.y)]
    for k in markers.markers:
        if k.ns == 'velocities' and k.id == 0:  # the ball's: to where it is after a quarter of a second
            v = ball.twist.twist.linear
            off += [1000 * abs(k.points[1].x - k.points[0].x - v.x / 4), 1000 * abs(k.points[1].y - k.points[0].y - v.y / 4)]
    assert markers.markers[0].action == 3 and len(by) == len(markers.markers)
    return [max(off)]


comparing(worst)('truth', 10, truth, markers=('/markers', MarkerArray, of_markers), ball=('/ground_truth/ball', Odometry, of_header),
                 odom=('/%s/ground_truth/odom' % robot, Odometry, of_header))


def report(markers, detections):
    """Places are those of detections, and sectors those of their covariances."""
    places = [k for k in markers.markers if k.ns in ('ball', 'cyan', 'magenta', 'robot', 'obstacle', 'goal_post')]
    sectors = [k for k in markers.markers if k.ns == 'uncertainty']
    if not places or len(sectors) != len(places) or len(places) != len(detections.detections):
        return [math.inf, math.inf]
    off, sector = 0, 0
    for k, s, d in zip(places, sectors, detections.detections):
        off = max(off, apart(k.pose.position, d.bbox.center.position))
        p, c = d.results[0].pose.pose.position, numpy.array(d.results[0].pose.covariance).reshape(6, 6)[:2, :2]
        distance = math.hypot(p.x, p.y)
        ahead, beside = numpy.array([p.x, p.y]) / distance, numpy.array([-p.y, p.x]) / distance
        far, wide = math.sqrt(ahead @ c @ ahead), math.sqrt(beside @ c @ beside) / distance
        reach = [math.hypot(q.x, q.y) for q in s.points]
        turn = [math.remainder(math.atan2(q.y, q.x) - math.atan2(p.y, p.x), 2 * math.pi) for q in s.points]
        sector = max(sector, abs(max(reach) - distance - far), abs(distance - min(reach) - far), abs(max(turn) - wide), abs(min(turn) + wide))
    return [off, sector]


comparing(worst, (max, '%.6f'))('report', 10, report, markers=('/%s/%s/markers' % (robot, camera), MarkerArray, of_markers),
                                detections=('/%s/%s/detections_3d' % (robot, camera), Detections, of_header))


def pixels(m):
    return numpy.frombuffer(m.data, numpy.uint8).reshape(m.height, m.width, 3).astype(int)


def inside(marker, height, width):
    """Which pixels' middles the lines of a marker enclose."""
    v, u = numpy.mgrid[0:height, 0:width]
    odd = numpy.zeros((height, width), bool)
    for a, b in zip(marker.points[::2], marker.points[1::2]):
        if a.y != b.y:
            odd ^= ((a.y > v) != (b.y > v)) & (a.x + (v - a.y) / (b.y - a.y) * (b.x - a.x) < u)
    return odd


def image(picture, ball):
    """The ball's pixels are enclosed, and what is enclosed is the ball: pixels of its colour, and of its black patches, which carpet is not."""
    rgb = pixels(picture)
    yellow = (rgb[:, :, 0] > 100) & (rgb[:, :, 0] - rgb[:, :, 2] > 70) & (rgb[:, :, 0] > rgb[:, :, 1] + 15)
    if len(ball.points) < 24 or yellow.sum() < 60:
        return None
    within = inside(ball, picture.height, picture.width)
    green = (rgb[:, :, 1] > rgb[:, :, 0] + 20) & (rgb[:, :, 1] > rgb[:, :, 2] + 20)
    near = within.copy()  # or a pixel beside it, along the row or the column
    for axis in 0, 1:
        for by in -1, 1:
            near |= numpy.roll(within, by, axis)
    return [int(yellow.sum()), int((yellow & ~within).sum()), int((yellow & ~near).sum()), int((within & green).sum())]


name = '/%s/%s/' % (robot, images)
comparing(total, total, total, total)('image', 5, image, picture=(name + 'image_raw', Image, of_header), ball=(name + 'image_markers/ball', ImageMarker, of_header))


def marked(picture, drawn, lines):
    """The marked image is the image but for what is drawn, and shows every point of a line."""
    off = numpy.any(pixels(picture) != pixels(drawn), axis=2)
    if not lines.points:
        return None
    dots = sum(not off[round(p.y), round(p.x)] for p in lines.points)
    return [dots + (10000 if off.mean() > 0.2 else 0)]


comparing(total)('marked', 3, marked, picture=(name + 'image_raw', Image, of_header), drawn=(name + 'image_marked', Image, of_header),
                 lines=(name + 'image_markers/lines', ImageMarker, of_header))


def annotations(all, ball, lines):
    """Foxglove's messages have the same points, counted from the corner of the first pixel; the last shape is points of lines."""
    if not ball.points:
        return None
    corner = {(round(p.x - 0.5, 6), round(p.y - 0.5, 6)) for shape in all.points[:-1] for p in shape.points}
    off = sum((round(p.x, 6), round(p.y, 6)) not in corner for p in ball.points)
    off += sum(abs(p.x - 0.5 - q.x) + abs(p.y - 0.5 - q.y) > 1e-9 for p, q in zip(all.points[-1].points, lines.points))
    return [off + ('ball' not in {t.text for t in all.texts}) + abs(len(all.points[-1].points) - len(lines.points))]


comparing(total)('annotations', 5, annotations, all=(name + 'image_annotations', Annotations, lambda m: m.points[-1].timestamp),
                 ball=(name + 'image_markers/ball', ImageMarker, of_header), lines=(name + 'image_markers/lines', ImageMarker, of_header))

with lock:
    if not lock.wait_for(lambda: len(done) == 6, 40):
        print('missing', sorted(done), file=sys.stderr)
rospy.signal_shutdown('done')
