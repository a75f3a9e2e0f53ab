package locate

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
)

// Guesses for the error of odometry between two images. The error has a constant part, and a part that grows with the
// driven distance and the turned angle. The values are slightly above the errors that slip, and wheel radii with an
// error of 0.3 %, cause.
const (
	errorAlways = 0.004 // m, constant
	errorTurned = 0.003 // rad, constant
	errorWay    = 0.03  // error as a fraction of the driven distance and of the turned angle
)

// trackWithin is the scale of the weights during tracking, in m. misfitsInRow is the number of consecutive images that
// do not fit after which the whole field is searched again.
const (
	trackWithin  = 0.5
	misfitsInRow = 5
)

// Estimate is the pose after an image.
type Estimate struct {
	Pose
	Known      bool
	Covariance mgl64.Mat3 // of x, y and heading
	Misfit     float64    // 0 if all points lie on lines, 1 if no point does
}

// Tracker follows a robot with an iterated extended Kalman filter: odometry predicts the pose, and the lines of each
// image correct it by Gauss–Newton steps.
type Tracker struct {
	field   *Field
	wheels  Readings[Pose]
	compass float64
	aimed   bool // whether a compass reading has arrived

	known    bool
	belief   belief  // at the last image
	odometry Pose    // at the last image
	misfits  int     // consecutive images that do not fit
	misfit   float64 // of the last image

	start      *Pose       // at the first reading of the odometry; nil if unknown
	relocation *relocation // nil if the pose is not searched without a compass
}

// NewTracker returns a tracker with an unknown pose.
func NewTracker(f *Field) *Tracker { return &Tracker{field: f} }

// Compass records a reading of the compass: the robot's heading on the field, in rad.
func (t *Tracker) Compass(heading float64) { t.compass, t.aimed = heading, true }

// Odometry records a pose in the odometry's own frame.
func (t *Tracker) Odometry(stamp time.Duration, p Pose) {
	if t.wheels.Add(stamp, p) {
		*t = Tracker{field: t.field, wheels: t.wheels, compass: t.compass, aimed: t.aimed, start: t.start,
			relocation: t.relocation}
		if t.relocation != nil {
			t.relocation.stop()
		}
	}
	if !t.known && t.start != nil {
		t.take(p, *t.start)
	}
}

// StartAt sets the pose at the first reading of the odometry, also after a restart. p is not copied; nil is unknown.
func (t *Tracker) StartAt(p *Pose) { t.start = p }

// moved returns the pose p after the motion from the first to the second odometry pose.
func moved(p, first, second Pose) Pose {
	turned := p.Heading - first.Heading
	return Pose{p.Pos.Add(pitch.Turn(second.Pos.Sub(first.Pos), turned)), pitch.Wrap(second.Heading + turned)}
}

// predict moves the belief by the odometry since the last image, and adds the error of that odometry. odometry is the
// odometry pose at the new image.
func (t *Tracker) predict(odometry Pose) {
	way := odometry.Pos.Sub(t.odometry.Pos)
	length, turn := math.Hypot(way[0], way[1]), math.Abs(pitch.Wrap(odometry.Heading-t.odometry.Heading))
	next := moved(t.belief.Pose, t.odometry, odometry)
	// An error of the heading also shifts the position at the end of the path.
	d := next.Pos.Sub(t.belief.Pos)
	j := mgl64.Ident3()
	j.Set(0, 2, -d[1])
	j.Set(1, 2, d[0])
	place, angle := errorAlways+errorWay*length, errorTurned+errorWay*turn
	covariance := j.Mul3(t.belief.info.Inv()).Mul3(j.Transpose()).Add(mgl64.Diag3(mgl64.Vec3{place * place,
		place * place, angle * angle}))
	t.belief, t.odometry = belief{next, covariance.Inv()}, odometry
}

// Image corrects the pose by the points of an image, and returns the estimate at the image's stamp. If no odometry is
// known for the stamp, Image changes nothing.
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
	if (!t.known || t.misfits >= misfitsInRow) && (t.aimed || t.field.distinct) {
		t.search(now, points)
	}
	if t.relocation != nil {
		t.relocate(stamp, now, points)
	}
	return t.estimate()
}

// judge computes the misfit of the present pose, and counts consecutive images whose points do not fit.
func (t *Tracker) judge(points []vision.LinePoint) {
	t.misfit = t.field.fits(points, &t.belief.Pose, narrow)
	if len(points) >= least && t.misfit > poor {
		t.misfits++
	} else {
		t.misfits = 0
	}
}

// search searches the whole field for a pose. It replaces the present pose only by a pose that fits better. The present
// pose may be right although it fits badly, because other robots may hide the lines.
func (t *Tracker) search(now Pose, points []vision.LinePoint) {
	p, ok := Pose{}, false
	if t.aimed {
		p, ok = t.field.Locate(points, t.compass)
	} else {
		p, ok = t.field.LocateAnywhere(points)
	}
	if !ok {
		return
	}
	t.take(now, p)
	t.belief = t.field.refined(points, p, trackWithin, &t.belief)
	t.judge(points)
}

// Take sets the pose at a stamp, as somebody else has found it. If no odometry is known for the stamp, Take changes
// nothing.
func (t *Tracker) Take(stamp time.Duration, p Pose) {
	if now, ok := t.wheels.At(stamp); ok {
		t.take(now, p)
	}
}

func (t *Tracker) take(odometry Pose, p Pose) {
	t.known, t.misfits, t.odometry = true, 0, odometry
	t.belief = belief{p, mgl64.Diag3(mgl64.Vec3{25, 25, 100})} // ± 0.2 m, ± 6°
}

func (t *Tracker) estimate() Estimate {
	if !t.poseKnown() {
		return Estimate{}
	}
	return Estimate{t.belief.Pose, true, t.belief.info.Inv(), t.misfit}
}

// At returns the pose at the stamp of an image, computed from the newest processed image and odometry. It returns false
// if the pose is unknown.
func (t *Tracker) At(stamp time.Duration) (Pose, bool) {
	now, ok := t.wheels.At(stamp)
	if !t.poseKnown() || !ok {
		return Pose{}, false
	}
	return moved(t.belief.Pose, t.odometry, now), true
}

// Pose returns the pose at the newest odometry reading, which is later than the newest image. It returns false if the
// pose is unknown.
func (t *Tracker) Pose() (Pose, bool) {
	_, now, ok := t.wheels.Newest()
	if !t.poseKnown() || !ok {
		return Pose{}, false
	}
	return moved(t.belief.Pose, t.odometry, now), true
}
