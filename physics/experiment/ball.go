package experiment

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// ballRig starts an empty hall with a ball.
func ballRig(engine string, change func(*physics.Model)) (*physics.Model, *rig) {
	s := model(engine)
	change(s)
	return s, start(s)
}

// compare adds three figures: a measured value, the value of the closed form, and their difference in percent.
func (o *Outcome) compare(name string, got, want float64, unit string) {
	o.add(name, got, unit)
	o.add(name+"_closed_form", want, unit)
	o.add(name+"_error", 100*math.Abs(got/want-1), "%")
}

// Drop drops the ball from 2 m and lets it bounce. Closed form: it lands after √(2h/g), and rises to e²·h.
func Drop(engine string) (*Outcome, error) {
	const height = 2.0
	s, r := ballRig(engine, func(s *physics.Model) { s.Ball.Z = height })
	defer r.Close()
	curve := Curve{Name: engine}
	var peaks []float64
	rising, top := false, 0.0
	r.run(2.5, func() {
		z := r.s.Ball.PosW[2] - s.Ball.Radius
		curve.Add(r.s.Time.Seconds(), z)
		if vz := r.s.Ball.TwistInW.Lin[2]; vz > 0 {
			// The peak lies between two steps, at the vertex of the parabola through this state.
			rising, top = true, z+vz*vz/(2*s.Config.Gravity)
		} else if rising {
			peaks = append(peaks, top)
			rising = false
		}
	})
	out := &Outcome{Plots: []Plot{{Name: "drop", Title: "Drop from 2 m", XLabel: "time, s", YLabel: "height, m",
		Curves: []Curve{curve}}}}
	e := s.Config.Contacts.BallCarpet.Restitution
	for i, want := 0, e*e*height; i < min(2, len(peaks)); i, want = i+1, want*e*e {
		out.compare("drop_"+engine+[]string{"_first_rise", "_second_rise"}[i], peaks[i], want, "m")
	}
	return out, r.err
}

// RollOut rolls the ball at 3 m/s until it stops. Closed form: it stops after v²/2a in a vacuum, and after ln(1 +
// k·v²/a)/2k in air.
func RollOut(engine string) (*Outcome, error) {
	const speed = 3.0
	out := &Outcome{}
	plot := Plot{Name: "roll_out", Title: "Rolling at 3 m/s", XLabel: "distance, m", YLabel: "speed, m/s"}
	for _, air := range []float64{0, 1.2} {
		s, r := ballRig(engine, func(s *physics.Model) { s.Config.AirDensity = air })
		from := mgl64.Vec3{-9, 3, s.Ball.Radius}
		r.placeBall(from, physics.Rolling(mgl64.Vec3{speed, 0, 0}, s.Ball.Radius))
		a := s.Ball.RollingDecel
		k := air * math.Pi * s.Ball.Radius * s.Ball.Radius * s.Ball.Drag / (2 * s.Ball.Mass)
		// the air's force decelerates a rolling hollow ball only by the fraction m/(m + I/r²) = 0.6, because it also
		// changes the spin
		k *= 0.6
		name, want := "roll_out_"+engine, speed*speed/(2*a)
		curve := Curve{Name: engine + ", vacuum"}
		if air > 0 {
			name, want, curve.Name = name+"_air", math.Log(1+k*speed*speed/a)/(2*k), engine+", air"
		}
		r.run(12, func() { curve.Add(r.s.Ball.PosW[0]-from[0], r.s.Ball.TwistInW.Lin[0]) })
		if r.Close(); r.err != nil {
			return nil, r.err
		}
		out.compare(name+"_distance", r.s.Ball.PosW[0]-from[0], want, "m")
		plot.Curves = append(plot.Curves, curve)
	}
	out.Plots = []Plot{plot}
	return out, nil
}

// Lob shoots a ball at 8 m/s and 45°. Closed form: it rises v²/4g and lands v²/g away.
func Lob(engine string) (*Outcome, error) {
	const speed = 8.0
	s, r := ballRig(engine, func(*physics.Model) {})
	defer r.Close()
	v := speed / math.Sqrt2
	from := mgl64.Vec3{-6, -3, s.Ball.Radius}
	r.placeBall(from, spatial.Twist{Lin: mgl64.Vec3{v, 0, v}})
	curve := Curve{Name: engine}
	top, landed := 0.0, 0.0
	r.run(1.5, func() {
		b := &r.s.Ball
		x, z, vz := b.PosW[0]-from[0], b.PosW[2]-s.Ball.Radius, b.TwistInW.Lin[2]
		curve.Add(x, z)
		if landed == 0 && vz < 0 {
			top = math.Max(top, z+vz*vz/(2*s.Config.Gravity))
		}
		if landed == 0 && vz > 0 && r.s.Time.Seconds() > 0.9 {
			// The ball bounced during this step. The time since then is its height over its mean speed.
			since := z / (vz + s.Config.Gravity*stepTime.Seconds()/2)
			landed = x - b.TwistInW.Lin[0]*since
		}
	})
	out := &Outcome{Plots: []Plot{{Name: "lob", Title: "Lob, 8 m/s at 45°", XLabel: "distance, m", YLabel: "height, m",
		Square: true, Curves: []Curve{curve}}}}
	out.compare("lob_"+engine+"_height", top, speed*speed/(4*s.Config.Gravity), "m")
	out.compare("lob_"+engine+"_distance", landed, speed*speed/s.Config.Gravity, "m")
	return out, r.err
}

// SlideToRoll slides the ball at 3 m/s without spin. Closed form: friction decelerates the ball by μ·g and increases
// its spin, until the ball rolls at 0.6·v after the time 0.4·v/μg.
func SlideToRoll(engine string) (*Outcome, error) {
	const speed = 3.0
	s, r := ballRig(engine, func(s *physics.Model) { s.Ball.RollingDecel = 0 })
	defer r.Close()
	r.placeBall(mgl64.Vec3{-6, 3, s.Ball.Radius}, spatial.Twist{Lin: mgl64.Vec3{speed, 0, 0}})
	along := Curve{Name: engine + ", speed"}
	around := Curve{Name: engine + ", spin times radius"}
	began := 0.0
	r.run(1, func() {
		t := r.s.Time.Seconds()
		v, w := r.s.Ball.TwistInW.Lin[0], r.s.Ball.TwistInW.Ang[1]*s.Ball.Radius
		along.Add(t, v)
		around.Add(t, w)
		if v-w > 1e-9 { // still sliding: extrapolate both lines to their intersection
			began = t + (v-w)/(2.5*s.Config.Contacts.BallCarpet.Friction*s.Config.Gravity)
		}
	})
	out := &Outcome{Plots: []Plot{{Name: "slide_to_roll", Title: "Sliding at 3 m/s", XLabel: "time, s", YLabel: "m/s",
		Curves: []Curve{along, around}}}}
	out.compare("slide_to_roll_"+engine+"_speed", r.s.Ball.TwistInW.Lin[0], 0.6*speed, "m/s")
	out.compare("slide_to_roll_"+engine+"_time", began,
		0.4*speed/(s.Config.Contacts.BallCarpet.Friction*s.Config.Gravity), "s")
	return out, r.err
}
