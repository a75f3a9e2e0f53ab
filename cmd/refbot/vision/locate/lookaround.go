package locate

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
)

// Guesses for a search by a camera that sees a small part of the field, while the head turns. shots images of one every
// shotEvery, with shotPoints points each, are matched together: a sweep of the head. The search begins after shotsFor,
// and is repeated every searchEvery.
const (
	shots       = 32
	shotPoints  = 40
	shotEvery   = 100 * time.Millisecond
	shotsFor    = 2500 * time.Millisecond
	searchEvery = 500 * time.Millisecond
)

// Guesses. astray is by how many images that do not fit outnumber those that do when a robot looks around. Another pose
// must fit better than the present one by keepPose: other robots may hide lines.
const (
	astray   = 10
	keepPose = 0.2
)

// Guesses. fallenFor is how long after a fall a robot that is lost is near where it fell: within fallenNear, in m.
const (
	fallenFor  = 10 * time.Second
	fallenNear = 1.0
)

// lookAround is the points of the last images of a robot that does not know its pose.
type lookAround struct {
	half            float64 // sign of x in the half in which the pose is searched
	lost            bool
	bad             int           // number of images that do not fit, less those that do
	since, searched time.Duration // stamps of the first image, and of the last search
	fell            time.Duration // stamp of the last image in which the robot lay; 0 for none
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
	if t.look = (&lookAround{half: -1}); plus {
		t.look.half = 1
	}
}

// Fell says that a robot lay at a stamp. Its pose becomes less certain, because nothing counts how it falls and rises.
func (t *Tracker) Fell(stamp time.Duration) {
	if p, ok := t.At(stamp); ok {
		t.Take(stamp, p)
	}
	if t.look != nil {
		t.look.fell = stamp
	}
}

// sure reports whether the robot knows its pose.
func (t *Tracker) sure() bool { return t.known && (t.look == nil || !t.look.lost) }

// began forgets what was before a restart.
func (l *lookAround) began() { l.lost, l.fell, l.bad = false, 0, 0 }

// note counts an image, if it has enough points.
func (l *lookAround) note(enough, misfits bool) {
	switch {
	case enough && misfits:
		l.bad++
	case enough:
		l.bad = max(0, l.bad-1)
	}
}

// add records the points of an image.
func (l *lookAround) add(stamp time.Duration, odometry Pose, points []vision.LinePoint) {
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

// from returns all points in the frame of a robot with an odometry pose.
func (l *lookAround) from(now Pose) []vision.LinePoint {
	n := 0
	for i := range min(l.count, shots) {
		s := &l.images[i]
		for _, p := range s.points[:s.count] {
			off := s.odometry.Pos.Add(pitch.Turn(pitch.Vec{p.X, p.Y}, s.odometry.Heading)).Sub(now.Pos)
			at := pitch.Turn(off, -now.Heading)
			l.all[n] = vision.LinePoint{X: at[0], Y: at[1], Across: p.Across}
			n++
		}
	}
	return l.all[:n]
}

// lookAround collects images while the pose is unknown or does not fit, and searches the half of the field by them.
func (t *Tracker) lookAround(stamp time.Duration, now Pose, points []vision.LinePoint) {
	l := t.look
	if !l.lost {
		l.note(len(points) >= least, t.misfit > poor)
		if t.known && l.bad < astray {
			return
		}
		l.lost, l.bad, l.since, l.searched, l.count = true, 0, stamp, stamp, 0
	}
	l.add(stamp, now, points)
	if stamp-l.since < shotsFor || stamp-l.searched < searchEvery {
		return
	}
	l.searched = stamp
	all, in := l.from(now), t.field.whole()
	if l.half < 0 {
		in.to[0] = 0
	} else {
		in.from[0] = 0
	}
	p, ok := Pose{}, false
	if t.known && l.fell > 0 && stamp-l.fell < fallenFor {
		by, at := pitch.Vec{fallenNear, fallenNear}, t.belief.Pos
		p, ok = t.field.locateIn(all, box{at.Sub(by), at.Add(by)})
	}
	if !ok {
		p, ok = t.field.locateIn(all, in)
	}
	if !ok {
		return
	}
	if t.known && t.field.fits(all, &t.belief.Pose, narrow) < t.field.fits(all, &p, narrow)+keepPose {
		p = t.belief.Pose
	}
	t.take(now, p)
	l.lost = false
}
