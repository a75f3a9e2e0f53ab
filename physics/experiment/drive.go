package experiment

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Command, duration and sample rate of the circle in Zhou et al., Simatch, section VII.A.
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
	r := start(s)
	defer r.Close()
	// The commanded circle has the centre (cx, cy).
	radius := CircleSpeed / CircleOmega
	phase := 0.0 // heading at the start of the circle
	cx, cy := 0.0, -1+radius
	if ramp {
		steps := int(math.Round(rampTime / stepTime.Seconds()))
		for k := range steps {
			share := (float64(k) + 0.5) / float64(steps)
			r.commands[0].TwistB = physics.PlanarTwist{VX: CircleSpeed * share, Omega: CircleOmega * share}
			r.step()
		}
		// During the ramp both speeds rise together, so the robot is on the same circle, but slower.
		phase = CircleOmega * rampTime / 2
	}
	r.commands[0].TwistB = physics.PlanarTwist{VX: CircleSpeed, Omega: CircleOmega}
	begun := r.s.Time
	var at CircleSamples
	r.run(CircleTime, func() { at.Add((r.s.Time - begun).Seconds(), r.s.Robots[0].PoseWB) })
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
	return out, r.err
}

// CircleSamples are the poses of a robot that drives the circle of Zhou et al., at their sample rate.
type CircleSamples struct {
	X, Y, Heading, Time []float64 // position in m, heading in rad, and time in s since the full speed was commanded
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

// gains are the gains of a motor controller.
type gains struct{ p, i, d, forward float64 }

// rampGains are the gains that Ramp compares, in the units of physics.Motor.
var rampGains = []gains{{0.5, 0, 0, 0}, {0.5, 5, 0, 0}, {2, 40, 0, 0}, {2, 40, 0.05, 0}, {3, 60, 0, 1}}

// Values of the ramp of Beck et al. 2008, figure 3. The speed rises linearly, stays, and falls as fast. The paper does
// not give the scales of its figure.
const (
	RampSpeed  = 1.5 // m/s, reached after rampRise s, kept for rampStay
	RampTotal  = 5.0 // s
	rampRise   = 1.5
	rampStay   = 1.0
	settleBand = 0.02 // of RampSpeed
)

// Ramped returns the commanded speed, in m/s, at the time t, in s.
func Ramped(t float64) float64 {
	return RampSpeed * math.Max(0, math.Min(1, math.Min(t/rampRise, (2*rampRise+rampStay-t)/rampRise)))
}

// RampAnswer describes how a robot's speed follows the ramp.
type RampAnswer struct {
	Wanted, Speed Curve   // m/s over s
	Error         float64 // mean error, m/s
	Overshoot     float64 // in percent of RampSpeed
	Settling      float64 // s from the end of the ramp until the speed stays within 2 %
}

// Add records the speed after a step, in m/s. The arguments began and ended are the times at the start and at the end
// of the step, in s.
func (a *RampAnswer) Add(began, ended, speed float64) {
	want, n := Ramped(began), float64(len(a.Speed.X))
	a.Error = (a.Error*n + math.Abs(speed-want)) / (n + 1)
	a.Overshoot = math.Max(a.Overshoot, 100*(speed-RampSpeed)/RampSpeed)
	if began > rampRise && began < rampRise+rampStay && !(math.Abs(speed-RampSpeed) <= settleBand*RampSpeed) {
		a.Settling = began - rampRise
	}
	a.Wanted.Add(began, want)
	a.Speed.Add(ended, speed)
}

// differential returns a robot with two driven wheels and two casters, as in Beck et al. 2008; its dimensions are
// guesses.
func differential(g gains) physics.Robot {
	r := nubot(physics.WheelsDrive, -3, 0, 0)
	d := &r.Drive
	d.WheelAngles = nil
	d.Wheels = []physics.Wheel{{Kind: physics.StandardWheel, Y: 0.18}, {Kind: physics.StandardWheel, Y: -0.18}}
	d.Casters = []physics.Caster{{X: 0.18}, {X: -0.18}}
	// removes the drive's limit of acceleration, so that the command alone sets the ramp
	d.WheelRadius, d.MaxAccel = 0.08, 100
	d.Motor.P, d.Motor.I, d.Motor.D, d.Motor.Forward = g.p, g.i, g.d, g.forward
	return r
}

// Ramp commands a differential drive a velocity that rises linearly, stays, and falls, as in Beck et al. 2008, figure
// 3. For each set k of gains it measures the mean error and the overshoot. It also measures the time from the ramp's
// end until the velocity stays within 2 %.
func Ramp() (*Outcome, error) {
	out := &Outcome{}
	plot := Plot{Name: "ramp", Title: "Differential drive, linear ramp", XLabel: "time, s", YLabel: "velocity, m/s"}
	var wanted Curve
	for k, g := range rampGains {
		s := model("ode")
		s.Robots = []physics.Robot{differential(g)}
		r := start(s)
		var answer RampAnswer
		t := 0.0
		r.run(RampTotal, func() {
			answer.Add(t, r.s.Time.Seconds(), r.s.Robots[0].TwistWBInB().VX)
			t = r.s.Time.Seconds()
			r.commands[0].TwistB.VX = Ramped(t)
		})
		if r.Close(); r.err != nil {
			return nil, r.err
		}
		name := fmt.Sprintf("ramp_gains%d", k+1)
		out.add(name+"_error", answer.Error, "m/s")
		out.add(name+"_overshoot", answer.Overshoot, "%")
		out.add(name+"_settling", answer.Settling, "s")
		wanted, answer.Speed.Name = answer.Wanted, fmt.Sprintf("p %g, i %g, d %g, f %g", g.p, g.i, g.d, g.forward)
		plot.Curves = append(plot.Curves, answer.Speed)
	}
	wanted.Name = "wanted"
	plot.Curves = append([]Curve{wanted}, plot.Curves...)
	out.Plots = []Plot{plot}
	return out, nil
}

// Traction commands a robot full speed ahead, and then a full stop. The closed form is the highest possible
// acceleration, μ·g/√2. It is reached when all four wheels are at the limit of friction: each wheel then pushes with
// μ·m·g/4 along its grip, which is 45° off the heading.
func Traction(level physics.DriveLevel) (*Outcome, error) {
	s := model(engineOf(level))
	robot := nubot(level, -8, -4, 0)
	robot.Drive.MaxAccel, robot.Drive.MaxSpeed, robot.Drive.MaxWheelSpeed = 100, 20, 20
	robot.Drive.Motor, robot.Drive.MaxWheelForce = nil, 2000 // leaves friction as the only limit
	s.Robots = []physics.Robot{robot}
	r := start(s)
	defer r.Close()
	curve := Curve{Name: string(level)}
	note := func() {
		curve.Add(r.s.Time.Seconds(), r.s.Robots[0].TwistWBInB().VX)
	}
	r.commands[0].TwistB.VX = 5
	r.run(1.5, note)
	r.commands[0].TwistB.VX = 0
	r.run(1.5, note)
	best := s.Config.Contacts.WheelCarpet.Friction * s.Config.Gravity / math.Sqrt2
	name := "traction_" + string(level)
	out := &Outcome{Plots: []Plot{{Name: "traction", Title: "Full speed, full stop, limited by friction alone",
		XLabel: "time, s", YLabel: "velocity, m/s", Curves: []Curve{curve}}}}
	out.add(name+"_acceleration", slope(curve, 0.2, 0.6), "m/s²")
	out.add(name+"_braking", -slope(curve, 1.6, 2.0), "m/s²")
	out.add(name+"_closed_form", best, "m/s²")
	return out, r.err
}

// slope returns the mean slope of a curve between two abscissae.
func slope(c Curve, from, to float64) float64 {
	var x0, y0, x1, y1 float64
	for i, x := range c.X {
		if x <= from+1e-9 {
			x0, y0 = x, c.Y[i]
		}
		if x <= to+1e-9 {
			x1, y1 = x, c.Y[i]
		}
	}
	return (y1 - y0) / (x1 - x0)
}
