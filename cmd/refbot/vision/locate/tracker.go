package locate

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
)

// How odometry errs from image to image: always, per metre and per radian. Guesses, somewhat above what slip and wheels
// of 0.3 % do.
const (
	errorAlways = 0.004 // m
	errorTurned = 0.003 // rad, always
	errorWay    = 0.03  // of the way, and of the angle
)

// trackWithin is how far off points count while tracking, m. After lost images that do not fit, the whole field is
// searched again.
const (
	trackWithin = 0.5
	lost        = 5
)

// Estimate is what is known after an image.
type Estimate struct {
	Pose
	Known      bool
	Covariance mgl64.Mat3 // of x, y and heading
	Misfit     float64    // 0: all points lie on lines; 1: none does
}

// Tracker follows a robot by its odometry, corrected by the lines of each image: an iterated extended Kalman filter.
// What was believed and moved on by odometry, and the points, have one most likely pose, for which Gauss–Newton steps
// search.
type Tracker struct {
	field   *Field
	wheels  Wheels
	compass float64
	aimed   bool // there was a reading of the compass

	known    bool
	belief   belief  // at the last image
	odometry Pose    // at the same time
	bad      int     // images in a row that do not fit
	misfit   float64 // of the last image
}

// NewTracker returns a tracker that does not know where the robot is.
func NewTracker(f *Field) *Tracker { return &Tracker{field: f} }

// Compass takes in a reading: the heading on the field, rad.
func (t *Tracker) Compass(heading float64) { t.compass, t.aimed = heading, true }

// Odometry takes in where the robot is by its wheels, in a frame of their own.
func (t *Tracker) Odometry(stamp time.Duration, p Pose) {
	if t.wheels.Add(stamp, p) {
		*t = Tracker{field: t.field, wheels: t.wheels, compass: t.compass, aimed: t.aimed}
	}
}

// moved returns where a pose comes to by the way between two poses of the wheels.
func moved(p, from, to Pose) Pose {
	turned := p.Heading - from.Heading
	return Pose{p.Pos.Add(pitch.Turn(to.Pos.Sub(from.Pos), turned)), pitch.Wrap(to.Heading + turned)}
}

// predict moves the belief on to where the wheels were at an image.
func (t *Tracker) predict(now Pose) {
	way := now.Pos.Sub(t.odometry.Pos)
	length, turn := math.Hypot(way[0], way[1]), math.Abs(pitch.Wrap(now.Heading-t.odometry.Heading))
	next := moved(t.belief.Pose, t.odometry, now)
	// An error of the heading shifts where the way ends.
	d := next.Pos.Sub(t.belief.Pos)
	j := mgl64.Ident3()
	j.Set(0, 2, -d[1])
	j.Set(1, 2, d[0])
	place, angle := errorAlways+errorWay*length, errorTurned+errorWay*turn
	covariance := j.Mul3(t.belief.info.Inv()).Mul3(j.Transpose()).Add(mgl64.Diag3(mgl64.Vec3{place * place,
		place * place, angle * angle}))
	t.belief, t.odometry = belief{next, covariance.Inv()}, now
}

// Image corrects the belief by the points of an image that was taken at a time. Without odometry of that time it
// changes nothing.
func (t *Tracker) Image(stamp time.Duration, points []vision.LinePoint) Estimate {
	now, ok := t.wheels.At(stamp)
	if !ok {
		return t.estimate()
	}
	if t.known {
		t.predict(now)
		if len(points) > 0 {
			t.belief = t.field.refined(points, t.belief.Pose, trackWithin, &t.belief)
			t.judge(points)
		}
	}
	if (!t.known || t.bad >= lost) && t.aimed {
		t.search(now, points)
	}
	return t.estimate()
}

// judge counts images whose points do not fit.
func (t *Tracker) judge(points []vision.LinePoint) {
	t.misfit = t.field.fits(points, &t.belief.Pose, narrow)
	if len(points) >= least && t.misfit > poor {
		t.bad++
	} else {
		t.bad = 0
	}
}

// search looks for the robot anywhere on the field. What fits there no better than what is believed is not taken:
// robots around may hide the lines.
func (t *Tracker) search(now Pose, points []vision.LinePoint) {
	p, ok := t.field.Locate(points, t.compass)
	if !ok {
		return
	}
	t.known, t.bad, t.odometry = true, 0, now
	t.belief = belief{p, mgl64.Diag3(mgl64.Vec3{25, 25, 100})} // ± 0.2 m, ± 6°
	t.belief = t.field.refined(points, p, trackWithin, &t.belief)
	t.judge(points)
}

func (t *Tracker) estimate() Estimate {
	if !t.known {
		return Estimate{}
	}
	return Estimate{t.belief.Pose, true, t.belief.info.Inv(), t.misfit}
}

// At returns where the robot was at the time of an image, by the newest image that was taken in and the way since then
// or until then; false if that is not known.
func (t *Tracker) At(stamp time.Duration) (Pose, bool) {
	now, ok := t.wheels.At(stamp)
	if !t.known || !ok {
		return Pose{}, false
	}
	return moved(t.belief.Pose, t.odometry, now), true
}

// Pose returns where the robot is at the newest reading of the odometry, which is later than the newest image; false if
// that is not known.
func (t *Tracker) Pose() (Pose, bool) {
	now, ok := t.wheels.newest()
	if !t.known || !ok {
		return Pose{}, false
	}
	return moved(t.belief.Pose, t.odometry, now), true
}
