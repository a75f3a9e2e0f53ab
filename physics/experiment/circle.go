package experiment

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// The command, its duration and the sample rate of Zhou et al., Simatch, section VII.A.
const (
	CircleSpeed   = 2.0   // m/s
	CircleOmega   = 2.0   // rad/s
	CircleTime    = 25.56 // s
	circleSamples = 1704
	rampTime      = 1.0 // s; not from the paper
)

// Circle drives a robot on the circle of Zhou et al. Without a ramp, the robot is commanded the full speed at once, as
// in the paper. With a ramp, the commanded speed rises for one second. The figures are those of CircleErrors.
func Circle(level physics.DriveLevel, ramp bool) (*Outcome, error) {
	s := model(engineOf(level))
	s.Robots = []physics.Robot{nubot(level, 0, -1, 0)}
	r, err := start(s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// The centre of the commanded circle, and the heading on it.
	radius := CircleSpeed / CircleOmega
	phase := 0.0 // heading at the start of the circle
	cx, cy := 0.0, -1+radius
	if ramp {
		steps := int(math.Round(rampTime / stepTime.Seconds()))
		for k := range steps {
			share := (float64(k) + 0.5) / float64(steps)
			r.commands[0].TwistB = physics.PlanarTwist{VX: CircleSpeed * share, Omega: CircleOmega * share}
			if err := r.step(); err != nil {
				return nil, err
			}
		}
		// During the ramp both speeds rise together, so the robot is on the same circle, but slower.
		phase = CircleOmega * rampTime / 2
	}
	r.commands[0].TwistB = physics.PlanarTwist{VX: CircleSpeed, Omega: CircleOmega}
	begun := r.s.Time
	var at CircleSamples
	err = r.run(CircleTime, func() { at.Add((r.s.Time - begun).Seconds(), r.s.Robots[0].PoseWB) })
	if err != nil {
		return nil, err
	}
	e := at.Errors(cx, cy, phase)
	name, label := "circle_"+string(level)+"_standstill", string(level)+", from standstill"
	if ramp {
		name, label = "circle_"+string(level)+"_ramp", string(level)+", after a ramp"
	}
	out := &Outcome{Plots: []Plot{{Name: "circle", Title: "2 m/s and 2 rad/s", XLabel: "x, m", YLabel: "y, m",
		Square: true,
		Curves: []Curve{{Name: label, X: at.X, Y: at.Y}}}}}
	out.add(name+"_position_error", 100*e.Position, "cm")
	out.add(name+"_radius_error", 100*e.Radius, "cm")
	out.add(name+"_centre_shift", 100*e.CentreShift, "cm")
	out.add(name+"_track_error", 100*e.Track, "cm")
	out.add(name+"_heading_error", e.Heading, "rad")
	return out, nil
}

// CircleSamples are the poses of a robot that drives the circle of Zhou et al., at their sample rate.
type CircleSamples struct {
	X, Y, Heading, Time []float64 // m, m, rad, s since the full speed was commanded
}

// Add records a step's pose if a sample is due. It expects every step until CircleTime.
func (s *CircleSamples) Add(t float64, poseWB spatial.Pose) {
	if t+1e-9 < float64(len(s.X)+1)*CircleTime/circleSamples {
		return
	}
	s.X, s.Y = append(s.X, poseWB.Pos[0]), append(s.Y, poseWB.Pos[1])
	s.Heading, s.Time = append(s.Heading, poseWB.Heading()), append(s.Time, t)
}

// CircleErrors are means over samples, in m and rad.
type CircleErrors struct {
	Position    float64 // distance from the commanded circle, as in the paper
	Radius      float64 // distance from a circle of the commanded radius around the fitted centre
	CentreShift float64 // distance from the commanded circle's centre to the fitted centre
	Track       float64 // distance from the commanded position at the same time
	Heading     float64 // difference from the commanded heading at the same time
}

// Errors compares the samples with the commanded circle. The arguments are the circle's centre (cx, cy), in metres, and
// the commanded heading at time 0, in rad.
func (s *CircleSamples) Errors(cx, cy, phase float64) (e CircleErrors) {
	const radius = CircleSpeed / CircleOmega
	n := float64(len(s.X))
	for i, x := range s.X {
		h := phase + CircleOmega*s.Time[i]
		e.Position += math.Abs(math.Hypot(x-cx, s.Y[i]-cy)-radius) / n
		e.Track += math.Hypot(x-cx-radius*math.Sin(h), s.Y[i]-cy+radius*math.Cos(h)) / n
		e.Heading += math.Abs(spatial.WrapAngle(s.Heading[i]-h)) / n
	}
	fx, fy := centre(s.X, s.Y)
	for i, x := range s.X {
		e.Radius += math.Abs(math.Hypot(x-fx, s.Y[i]-fy)-radius) / n
	}
	e.CentreShift = math.Hypot(fx-cx, fy-cy)
	return e
}

// centre fits a circle to points by least squares of x² + y² = 2·cx·x + 2·cy·y + k (Kåsa 1976), with the sums taken
// about the mean, and returns its centre.
func centre(xs, ys []float64) (cx, cy float64) {
	n := float64(len(xs))
	var mx, my float64
	for i := range xs {
		mx += xs[i] / n
		my += ys[i] / n
	}
	var xx, xy, yy, xz, yz float64
	for i := range xs {
		x, y := xs[i]-mx, ys[i]-my
		z := x*x + y*y
		xx, xy, yy, xz, yz = xx+x*x, xy+x*y, yy+y*y, xz+x*z, yz+y*z
	}
	det := 2 * (xx*yy - xy*xy)
	return mx + (xz*yy-yz*xy)/det, my + (yz*xx-xz*xy)/det
}
