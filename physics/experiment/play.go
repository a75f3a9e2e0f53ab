package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Collision drives two robots head on into each other, each at 3 m/s.
func Collision(level physics.DriveLevel) (*Outcome, error) {
	s := model(engineOf(level))
	s.Robots = []physics.Robot{nubot(level, -2, 0, 0), nubot(level, 2, 0, math.Pi)}
	for i := range s.Robots {
		s.Robots[i].Name = []string{"left", "right"}[i]
	}
	r := start(s)
	defer r.Close()
	left := Curve{Name: string(level) + ", left"}
	right := Curve{Name: string(level) + ", right"}
	tilt, deepest, reported, pushed := 0.0, 0.0, 0.0, 0.0
	r.commands[0].TwistB.VX, r.commands[1].TwistB.VX = 3, 3
	r.run(2.5, func() {
		a, b := &r.s.Robots[0], &r.s.Robots[1]
		tilt = math.Max(tilt, math.Max(r.tilt(0), r.tilt(1)))
		deepest = math.Max(deepest, s.Robots[0].Body.Radius+s.Robots[1].Body.Radius-a.PoseWB.Pos.Sub(
			b.PoseWB.Pos).Len())
		for _, e := range r.s.Events {
			switch e.Kind {
			case physics.Collided:
				reported = math.Max(reported, e.Closing)
			case physics.PushBegan:
				pushed = 1
			}
		}
		t := r.s.Time.Seconds()
		left.Add(t, a.TwistWBInW.Lin[0])
		right.Add(t, b.TwistWBInW.Lin[0])
	})
	name := "collision_" + string(level)
	out := &Outcome{Plots: []Plot{{Name: "collision", Title: "Head on at 3 m/s each", XLabel: "time, s",
		YLabel: "velocity along x, m/s", Curves: []Curve{left, right}}}}
	out.add(name+"_tilt", tilt, "rad")
	out.add(name+"_overlap", 100*deepest, "cm")
	out.add(name+"_closing_speed_reported", reported, "m/s")
	out.add(name+"_push_reported", pushed, "events")
	return out, r.err
}

// manoeuvre returns the command at the time t, in s, of a drive of 12 s with the ball. The robot fetches the ball,
// drives straight, curves to both sides, strafes, turns on the spot, and stops hard.
func manoeuvre(t float64) physics.PlanarTwist {
	switch {
	case t < 0.5:
		return physics.PlanarTwist{}
	case t < 2.5:
		return physics.PlanarTwist{VX: 2}
	case t < 4.5:
		return physics.PlanarTwist{VX: 1.5, Omega: 1.5}
	case t < 6.5:
		return physics.PlanarTwist{VX: 1.5, Omega: -1.5}
	case t < 8:
		return physics.PlanarTwist{VX: 0.5, VY: 1}
	case t < 10:
		return physics.PlanarTwist{Omega: 2}
	case t < 11:
		return physics.PlanarTwist{VX: 2}
	}
	return physics.PlanarTwist{}
}

// Dribbling lets a robot with a dribbling method drive the manoeuvre. The argument share multiplies the manoeuvre's
// speeds. Dribbling measures how long the robot has the ball, and the ball's distance from the hold point during this
// time.
func Dribbling(level physics.DriveLevel, method physics.DribbleMethod, share float64) (*Outcome, error) {
	s := model(engineOf(level))
	s.Robots = []physics.Robot{nubot(level, -5, -3, 0)}
	s.Robots[0].Dribbler.Method = method
	s.Robots[0].Drive.MaxAccel *= math.Min(1, share) // with lower speeds, accelerations are lower too
	s.Ball.X, s.Ball.Y = -5+0.36, -3
	r := start(s)
	defer r.Close()
	off := Curve{Name: string(method)}
	if share > 1 {
		off.Name += fmt.Sprintf(", %g × as fast", share)
	}
	held, mean, worst := 0.0, 0.0, 0.0
	lost := false
	r.run(12, func() {
		c := manoeuvre(r.s.Time.Seconds())
		r.commands[0] = physics.Command{Dribble: true, TwistB: physics.PlanarTwist{VX: share * c.VX, VY: share * c.VY,
			Omega: share * c.Omega}}
		state := &r.s.Robots[0]
		want, _ := s.Robots[0].Held(state.PoseWB, state.TwistWBInW, s.Ball.Radius)
		t := r.s.Time.Seconds()
		if lost = lost || r.s.Ball.HeldBy != 0 && t > 0.5; lost {
			return
		}
		held = t
		if t > 0.5 {
			d := r.s.Ball.PosW.Sub(want).Len()
			mean, worst = mean+d, math.Max(worst, d)
			off.Add(t, 100*d)
		}
	})
	name := "dribbling_" + string(method)
	if share > 1 {
		name += "_hard"
	}
	out := &Outcome{Plots: []Plot{{Name: "dribbling", Title: "Twelve seconds with the ball", XLabel: "time, s",
		YLabel: "ball from where it should be, cm", Curves: []Curve{off}}}}
	out.add(name+"_held", held, "s")
	if n := len(off.X); n > 0 {
		out.add(name+"_offset", 100*mean/float64(n), "cm")
		out.add(name+"_worst_offset", 100*worst, "cm")
	}
	return out, r.err
}

// Scrum makes ten robots push each other for ten seconds in a corner of the hall, where the ball lies.
func Scrum(level physics.DriveLevel) (*Outcome, error) {
	s := model(engineOf(level))
	cx, cy := s.Field.Length/2+s.Field.Border, s.Field.Width/2+s.Field.Border
	s.Ball.X, s.Ball.Y = cx-0.2, cy-0.2
	for i := range 10 {
		s.Robots = append(s.Robots, nubot(level, cx-1.2-0.6*float64(i%4), cy-1.2-0.6*float64(i/4), math.Pi/4))
	}
	r := start(s)
	defer r.Close()
	overlap, fastest, tilt, ball := 0.0, 0.0, 0.0, 0.0
	r.run(10, func() {
		settled := r.s.Time.Seconds() > 3
		for i := range r.s.Robots {
			p := &r.s.Robots[i]
			to := p.PoseWB.Unrotate(mgl64.Vec3{cx, cy, 0}.Sub(p.PoseWB.Pos))
			r.commands[i].TwistB = physics.PlanarTwist{VX: 2 * to[0], VY: 2 * to[1]}
			tilt = math.Max(tilt, r.tilt(i))
			ball = math.Max(ball, r.s.Ball.TwistInW.Lin.Len())
			overlap = math.Max(overlap, math.Max(p.PoseWB.Pos[0]-cx, p.PoseWB.Pos[1]-cy)+s.Robots[i].Body.Radius)
			for j := range i {
				overlap = math.Max(overlap, 2*s.Robots[i].Body.Radius-p.PoseWB.Pos.Sub(r.s.Robots[j].PoseWB.Pos).Len())
			}
			if settled {
				fastest = math.Max(fastest, p.TwistWBInW.Lin.Len())
			}
		}
	})
	name := "scrum_" + string(level)
	out := &Outcome{}
	out.add(name+"_overlap", 100*overlap, "cm")
	out.add(name+"_speed_when_settled", fastest, "m/s")
	out.add(name+"_tilt", tilt, "rad")
	out.add(name+"_ball_speed", ball, "m/s")
	return out, r.err
}

// Brawler commands the robots of a wild game: all robots run to the ball, with some noise, and shoot it away.
type Brawler struct {
	rnd      *rand.Rand
	Commands []physics.Command
}

// NewBrawler returns a Brawler for a number of robots.
func NewBrawler(robots int) *Brawler {
	return &Brawler{rnd: rand.New(rand.NewPCG(3, 4)), Commands: make([]physics.Command, robots)}
}

// Next sets Commands for the next step. The argument is the state at the start of that step.
func (b *Brawler) Next(s *physics.Snapshot) {
	for i := range b.Commands {
		ball := s.Robots[i].PoseWB.Unrotate(s.Ball.PosW.Sub(s.Robots[i].PoseWB.Pos))
		b.Commands[i].TwistB = physics.PlanarTwist{VX: 2 * ball[0], VY: 2 * ball[1], Omega: 3*math.Atan2(ball[1],
			ball[0]) + b.rnd.NormFloat64()}
		b.Commands[i].Dribble = true
		b.Commands[i].Kick = physics.Kick{}
		if b.rnd.IntN(50) == 0 {
			b.Commands[i].Kick = physics.Kick{Mode: physics.KickMode(1 + b.rnd.IntN(2)), Speed: 8 * b.rnd.Float64()}
		}
	}
}

// Brawl plays a wild game of ten robots for a number of steps. It checks that all bodies stay in the hall and gain no
// energy. If the argument progress is not nil, Brawl calls it with the completed fraction, 0 to 1.
func Brawl(level physics.DriveLevel, steps int, progress func(float64)) (*Outcome, error) {
	s := model(engineOf(level))
	s.Ball.X, s.Ball.Y = 0, 0
	for i := range 10 {
		a := 2*math.Pi*float64(i)/10 + 0.1
		s.Robots = append(s.Robots, nubot(level, 2*math.Cos(a), 2*math.Sin(a), a+math.Pi))
		if i%2 == 1 {
			s.Robots[i].Team = physics.Magenta
		}
	}
	r := start(s)
	defer r.Close()
	game := NewBrawler(len(s.Robots))
	r.commands = game.Commands
	x, y := s.Field.Length/2+s.Field.Border, s.Field.Width/2+s.Field.Border
	var lowest, outside, energy, fastest, ballOutside float64
	fallen, balls := 0, 0
	for k := range steps {
		game.Next(&r.s)
		r.step()
		b := r.s.Ball.PosW
		if math.Abs(b[0]) > x || math.Abs(b[1]) > y || r.s.Ball.TwistInW.Lin.Len() == 0 && r.s.Ball.HeldBy < 0 {
			// A ball lobbed over the boards, or out of reach of all robots, is put back on the centre of the field.
			if b[2] > s.Field.WallHeight || math.Abs(b[0]) > x+2 || math.Abs(b[1]) > y+2 || math.Abs(b[0]) <= x &&
				math.Abs(b[1]) <= y {
				balls++
				r.placeBall(mgl64.Vec3{0, 0, 1}, spatial.Twist{})
			} else {
				ballOutside = math.Max(ballOutside, math.Max(math.Abs(b[0])-x, math.Abs(b[1])-y))
			}
		}
		lowest = math.Min(lowest, b[2]-s.Ball.Radius)
		for i := range r.s.Robots {
			p := &r.s.Robots[i]
			lowest = math.Min(lowest, p.PoseWB.Pos[2])
			radius := s.Robots[i].Body.Radius
			outside = math.Max(outside, math.Max(math.Abs(p.PoseWB.Pos[0])-x, math.Abs(p.PoseWB.Pos[1])-y)+radius)
			v := p.TwistWBInW.Lin.Len()
			fastest = math.Max(fastest, v)
			energy = math.Max(energy,
				s.Robots[i].Body.Mass*v*v/2+s.Robots[i].Body.InertiaZ*p.TwistWBInW.Ang[2]*p.TwistWBInW.Ang[2]/2)
			if r.tilt(i) > 0.3 {
				fallen++
				// A fallen robot is put upright where it lies.
				r.fail(r.PlaceRobot(i, spatial.Planar(mgl64.Clamp(p.PoseWB.Pos[0], 0.5-x, x-0.5),
					mgl64.Clamp(p.PoseWB.Pos[1], 0.5-y, y-0.5), p.PoseWB.Heading()), spatial.Twist{}))
				r.Snapshot(&r.s)
			}
		}
		if progress != nil && k%1000 == 0 {
			progress(float64(k) / float64(steps))
		}
	}
	name := "brawl_" + string(level)
	out := &Outcome{}
	out.add(name+"_steps", float64(steps), "steps")
	out.add(name+"_lowest", 100*lowest, "cm")
	out.add(name+"_into_boards", 100*outside, "cm")
	out.add(name+"_ball_into_boards", 100*ballOutside, "cm")
	out.add(name+"_fastest_robot", fastest, "m/s")
	out.add(name+"_most_energy_of_a_robot", energy, "J")
	out.add(name+"_fallen", float64(fallen), "robots")
	out.add(name+"_balls_over_the_boards", float64(balls), "balls")
	return out, r.err
}
