package experiment

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Of Zhou et al., Simatch, section VII.A: the command, its duration, and the sample rate.
const (
	circleSpeed   = 2.0 // m/s
	circleOmega   = 2.0 // rad/s
	circleTime    = 25.56
	circleSamples = 1704
	rampTime      = 1.0 // s; ours
)

// Circle drives the circle of Zhou et al.: from a standing start as they did, or after a ramp of a second. Errors are
// means over their 1,704 samples:
//
//	position_error  distance from the circle that the command describes, as in the paper
//	radius_error    the same from a circle of the commanded radius around the fitted centre
//	centre_shift    from the commanded circle's centre to the fitted one
//	track_error     distance from where the command would have the robot at that moment
//	heading_error   from the heading that it would have
func Circle(begin New, level physics.DriveLevel, ramp bool) (*Outcome, error) {
	s := model(engineOf(level))
	s.Robots = []physics.Robot{nubot(level, 0, -1, 0)}
	r, err := start(begin, s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// The commanded path, relative to the centre of the circle.
	radius := circleSpeed / circleOmega
	phase := 0.0 // heading at the start of the circle
	cx, cy := 0.0, -1+radius
	if ramp {
		steps := int(math.Round(rampTime / stepTime.Seconds()))
		for k := range steps {
			share := (float64(k) + 0.5) / float64(steps)
			r.commands[0].TwistB = physics.PlanarTwist{VX: circleSpeed * share, Omega: circleOmega * share}
			if err := r.step(); err != nil {
				return nil, err
			}
		}
		// During a common ramp of both speeds the robot is on the circle, only slower.
		phase = circleOmega * rampTime / 2
	}
	r.commands[0].TwistB = physics.PlanarTwist{VX: circleSpeed, Omega: circleOmega}
	begun := r.s.Time
	var xs, ys, headings, times []float64
	period := circleTime / circleSamples
	err = r.run(circleTime, func() {
		t := (r.s.Time - begun).Seconds()
		if t+1e-9 < float64(len(xs)+1)*period {
			return
		}
		p := r.s.Robots[0].PoseWB
		xs, ys = append(xs, p.Pos[0]), append(ys, p.Pos[1])
		headings, times = append(headings, p.Heading()), append(times, t)
	})
	if err != nil {
		return nil, err
	}
	var position, radial, track, heading, fx, fy float64
	n := float64(len(xs))
	for i := range xs {
		h := phase + circleOmega*times[i]
		fx += (xs[i] - radius*math.Sin(h)) / n
		fy += (ys[i] + radius*math.Cos(h)) / n
		position += math.Abs(math.Hypot(xs[i]-cx, ys[i]-cy)-radius) / n
		track += math.Hypot(xs[i]-cx-radius*math.Sin(h), ys[i]-cy+radius*math.Cos(h)) / n
		heading += math.Abs(spatial.WrapAngle(headings[i]-h)) / n
	}
	fx, fy = centre(xs, ys)
	for i := range xs {
		radial += math.Abs(math.Hypot(xs[i]-fx, ys[i]-fy)-radius) / n
	}
	name, label := "circle_"+string(level)+"_standstill", string(level)+", from standstill"
	if ramp {
		name, label = "circle_"+string(level)+"_ramp", string(level)+", after a ramp"
	}
	out := &Outcome{Plots: []Plot{{Name: "circle", Title: "2 m/s and 2 rad/s", XLabel: "x, m", YLabel: "y, m", Square: true,
		Curves: []Curve{{Name: label, X: xs, Y: ys}}}}}
	out.add(name+"_position_error", 100*position, "cm")
	out.add(name+"_radius_error", 100*radial, "cm")
	out.add(name+"_centre_shift", 100*math.Hypot(fx-cx, fy-cy), "cm")
	out.add(name+"_track_error", 100*track, "cm")
	out.add(name+"_heading_error", heading, "rad")
	return out, nil
}

// centre fits a circle to points by least squares of x² + y² = 2·cx·x + 2·cy·y + k (Kåsa 1976), with the sums taken about
// the mean.
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
