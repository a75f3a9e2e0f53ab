package locate

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
)

// Guesses for a search by a camera that sees a small part of the field, while the head turns. shots images of one every
// shotEvery, with shotPoints points each, are matched together: a sweep of the head. Images older than shotsKept do not
// count. The search begins after shotsFor, and is repeated every searchEvery.
const (
	shots       = 32
	shotPoints  = 40
	shotEvery   = 100 * time.Millisecond
	shotsKept   = 5 * time.Second
	shotsFor    = 2500 * time.Millisecond
	searchEvery = 500 * time.Millisecond
)

// Guesses. misfitSurplus is by how many images that do not fit outnumber those that do when the pose is searched.
// Another pose must fit better than the present one by keepPose: other robots may hide lines. Of poses in the robot's
// half and within near of the present one along each axis, in m, one fits as well as the other if their misfits differ
// by less than equalFit: the field is symmetric.
const (
	misfitSurplus = 10
	keepPose      = 0.2
	equalFit      = 0.05
	near          = 1.0
)

// relocation searches the pose of a robot without a compass by the points of several images.
type relocation struct {
	half            float64       // sign of x in the half in which the pose is searched
	active          bool          // the robot does not know its pose
	surplus         int           // number of images that do not fit, less those that do
	since, searched time.Duration // stamps of the first image, and of the last search
	count           int           // number of images
	images          [shots]struct {
		stamp    time.Duration
		odometry Pose
		count    int
		points   [shotPoints]vision.LinePoint
	}
	all [shots * shotPoints]vision.LinePoint
}

// SearchHalf lets the tracker search the pose in one half of the field when images do not fit, without a compass. A
// humanoid begins there, and returns there after a penalty. plus says that x is positive in the half.
func (t *Tracker) SearchHalf(plus bool) {
	if t.relocation = (&relocation{half: -1}); plus {
		t.relocation.half = 1
	}
}

// Fell says that a robot lay at a stamp. Its pose becomes less certain, because nothing counts how it falls and rises.
// For the same reason, a search forgets the images before.
func (t *Tracker) Fell(stamp time.Duration) {
	if p, ok := t.At(stamp); ok {
		t.Take(stamp, p)
	}
	if t.relocation != nil {
		t.relocation.begin(stamp)
	}
}

// poseKnown reports whether the robot knows its pose.
func (t *Tracker) poseKnown() bool { return t.known && (t.relocation == nil || !t.relocation.active) }

// stop ends a search, when time has restarted or a pose has been found.
func (l *relocation) stop() { l.active, l.surplus = false, 0 }

// begin lets the next search use only images after a stamp.
func (l *relocation) begin(stamp time.Duration) { l.since, l.searched, l.count = stamp, stamp, 0 }

// recordFit counts an image, if it has enough points.
func (l *relocation) recordFit(enough, misfits bool) {
	switch {
	case enough && misfits:
		l.surplus++
	case enough:
		l.surplus = max(0, l.surplus-1)
	}
}

// add records the points of an image.
func (l *relocation) add(stamp time.Duration, odometry Pose, points []vision.LinePoint) {
	if l.count > 0 && stamp-l.images[(l.count-1)%shots].stamp < shotEvery {
		return
	}
	s := &l.images[l.count%shots]
	l.count++
	s.stamp, s.odometry, s.count = stamp, odometry, min(len(points), shotPoints)
	for i := range s.count {
		s.points[i] = points[i*len(points)/s.count]
	}
}

// pointsFrom returns the points of all images of the last shotsKept, in the frame of a robot with an odometry pose at a
// stamp.
func (l *relocation) pointsFrom(stamp time.Duration, now Pose) []vision.LinePoint {
	n := 0
	for i := range min(l.count, shots) {
		s := &l.images[i]
		if stamp-s.stamp > shotsKept {
			continue
		}
		for _, p := range s.points[:s.count] {
			off := s.odometry.Pos.Add(pitch.Turn(pitch.Vec{p.X, p.Y}, s.odometry.Heading)).Sub(now.Pos)
			at := pitch.Turn(off, -now.Heading)
			l.all[n] = vision.LinePoint{X: at[0], Y: at[1], Across: p.Across}
			n++
		}
	}
	return l.all[:n]
}

// relocate collects images while the pose is unknown or does not fit, and searches the pose by them.
func (t *Tracker) relocate(stamp time.Duration, now Pose, points []vision.LinePoint) {
	l := t.relocation
	if !l.active {
		l.recordFit(len(points) >= least, t.misfit > poor)
		if t.known && l.surplus < misfitSurplus {
			return
		}
		l.active = true
		l.begin(stamp)
	}
	l.add(stamp, now, points)
	if stamp-l.since < shotsFor || stamp-l.searched < searchEvery {
		return
	}
	l.searched = stamp
	if p, ok := l.search(t, l.pointsFrom(stamp, now)); ok {
		t.take(now, p)
		l.stop()
	}
}

// search searches the pose in the robot's half, and near the present pose, which may be in the other half.
func (l *relocation) search(t *Tracker, points []vision.LinePoint) (Pose, bool) {
	in := t.field.whole()
	if l.half < 0 {
		in.to[0] = 0
	} else {
		in.from[0] = 0
	}
	best, ok := t.field.locateIn(points, in)
	if !t.known {
		return best, ok
	}
	misfit := func(p *Pose) float64 { return t.field.fits(points, p, narrow) }
	by, at := pitch.Vec{near, near}, t.belief.Pos
	if p, found := t.field.locateIn(points, box{at.Sub(by), at.Add(by)}); found &&
		(!ok || misfit(&p) < misfit(&best)+equalFit) {
		best, ok = p, true
	}
	if ok && misfit(&t.belief.Pose) < misfit(&best)+keepPose {
		best = t.belief.Pose
	}
	return best, ok
}
