package engine_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// anything generates a random valid model: robots of any shape, drive and dribbler, obstacles, any surface, any free
// pose.
func (k kit) anything(t *rapid.T) *physics.Model {
	unit := rapid.Float64Range(0, 1)
	between := func(lo, hi float64, what string) float64 { return lo + (hi-lo)*unit.Draw(t, what) }
	s := enginetest.Model()
	c := &s.Config.Contacts
	c.WheelCarpet.Friction, c.Robot.Friction, c.BallRobot.Friction = between(0, 3, "wheels"), between(0, 2, "hulls"),
		between(0, 2, "ball at hulls")
	c.BallCarpet = physics.Contact{Friction: between(0, 2, "carpet"), Restitution: unit.Draw(t, "bounce")}
	for i := range rapid.IntRange(1, 4).Draw(t, "robots") {
		level := rapid.SampledFrom(k.levels).Draw(t, "level")
		r := enginetest.Robot(level, between(-9, 9, "x"), between(-6, 6, "y"), between(-3, 3, "heading"))
		r.Body.Mass, r.Body.CoMZ = between(10, 60, "mass"), between(0.08, 0.5, "centre of mass")
		r.Body.InertiaZ = r.Body.Mass * between(0.02, 0.1, "inertia")
		if rapid.Bool().Draw(t, "boxed") {
			r = boxed(r)
		}
		if n := rapid.IntRange(3, 6).Draw(t, "wheels"); rapid.Bool().Draw(t, "other wheels") {
			r.Drive.WheelAngles = nil
			for w := range n {
				r.Drive.WheelAngles = append(r.Drive.WheelAngles, 2*math.Pi*float64(w)/float64(n)+between(-0.3, 0.3,
					"askew"))
			}
		}
		if rapid.Bool().Draw(t, "motors") {
			m := &physics.Motor{Torque: 0.03, Resistance: between(0.1, 2, "resistance"), Rotor: 1e-5,
				MaxCurrent: between(1, 100, "current"), Gear: between(3, 40, "gear"),
				Wheel: between(0, 0.01, "inertia of a wheel")}
			m.SetDefaults()
			m.P, m.I, m.D = between(0, 100, "p"), between(0, 1000, "i"), between(0, 0.5, "d")
			r.Drive.Motor = m
		}
		r.Dribbler.Method = rapid.SampledFrom([]physics.DribbleMethod{physics.DribblePose, physics.DribbleSecant,
			physics.DribbleTangential, physics.DribbleWheels}).Draw(t, "method")
		if i == 0 {
			s.Ball.X, s.Ball.Y = r.Pose.Pos[0]+0.37*math.Cos(r.Pose.Heading()),
				r.Pose.Pos[1]+0.37*math.Sin(r.Pose.Heading())
		}
		s.Robots = append(s.Robots, r)
	}
	for range rapid.IntRange(0, 2).Draw(t, "obstacles") {
		s.Obstacles = append(s.Obstacles, physics.Obstacle{Name: "box", Pose: spatial.Planar(between(-9, 9, "x"),
			between(-6, 6, "y"), between(-3, 3, "heading")),
			SizeX: between(0.1, 1, "size"), SizeY: between(0.1, 1, "size"), Height: between(0.1, 1, "height"),
			Mass: between(1, 60, "mass")})
	}
	if level := s.Robots[0].Drive.Level; level == physics.KinematicDrive {
		s.Config.Engine = "planar"
	} else if k.engine != "" {
		s.Config.Engine = k.engine
	}
	return s
}

// With any model and any commands, states stay finite, and nothing leaves the hall through floor or boards.
func (k kit) anythingGoesAndNothingBreaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := k.anything(t)
		if s.Validate() != nil {
			t.Skip("robots stand in each other")
		}
		e := must.Get(engine.New(s))(t)
		defer e.Close()
		x, y := s.Field.Length/2+s.Field.Border, s.Field.Width/2+s.Field.Border
		wild := rapid.OneOf(rapid.Float64Range(-6, 6), rapid.SampledFrom([]float64{0, 1e4, -1e4}))
		reach := rapid.SampledFrom([]float64{0, 0, 0.5, 2})
		commands := make([]physics.Command, len(s.Robots))
		var now physics.Snapshot
		for range 4 {
			for i := range commands {
				commands[i] = physics.Command{
					TwistB: physics.PlanarTwist{VX: wild.Draw(t, "vx"), VY: wild.Draw(t, "vy"),
						Omega: wild.Draw(t, "omega")},
					Dribble: rapid.Bool().Draw(t, "dribble"),
					Reach: physics.Reach{Distance: reach.Draw(t, "reach"), Angle: rapid.Float64Range(0,
						math.Pi).Draw(t, "angle")},
					Kick: physics.Kick{
						Mode:      physics.KickMode(rapid.IntRange(0, 2).Draw(t, "kick")),
						Speed:     math.Abs(wild.Draw(t, "speed")),
						Elevation: rapid.Float64Range(0, 1.5).Draw(t, "elevation"),
						Flight:    rapid.SampledFrom([]float64{0, 1e-9, 0.8, 10}).Draw(t, "flight"),
						Absolute:  rapid.Bool().Draw(t, "absolute"),
						Reach:     physics.Reach{Distance: reach.Draw(t, "kick's reach")},
					},
				}
			}
			for range 30 {
				must.Do(t, e.Step(commands))
				e.Snapshot(&now)
				for i := range now.Robots {
					r := &now.Robots[i]
					if p := r.PoseWB.Apply(mgl64.Vec3{0, 0, s.Robots[i].Body.CoMZ}); !(math.Abs(p[0]) < x &&
						math.Abs(p[1]) < y && p[2] > 0 && p[2] < 3) {
						t.Fatalf("robot %d: centre of mass at %v", i, p)
					}
					if !(r.TwistWBInW.Lin.Len() < 30) {
						t.Fatalf("robot %d moves at %v", i, r.TwistWBInW.Lin)
					}
				}
				// In this time each of four robots kicks at most twice, at 12 m/s, and a dribbler fetches the ball at
				// 30 m/s.
				if b := &now.Ball; !(b.PosW[2] > s.Ball.Radius-1e-6 && b.TwistInW.Lin.Len() < 130) {
					t.Fatalf("ball at %v, moving %v", b.PosW, b.TwistInW.Lin)
				}
			}
		}
	})
}
