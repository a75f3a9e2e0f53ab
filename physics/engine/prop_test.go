package engine_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// door returns a prop of two boxes side by side, 1 m wide together and 4 cm thick, with its lower end at a height. Its
// front is at the distance x from the origin, in the direction of the given heading.
func door(x, heading, bottom float64) physics.Prop {
	p := physics.Prop{Name: "door"}
	turn := spatial.Planar(0, 0, heading)
	for _, y := range []float64{-0.25, 0.25} {
		p.Boxes = append(p.Boxes, spatial.UprightBox{Centre: turn.Apply(mgl64.Vec3{x + 0.02, y, bottom + 1}),
			Half: mgl64.Vec3{0.02, 0.25, 1}, Heading: heading})
	}
	return p
}

// A door stops robots and obstacles in front of it, whatever its direction.
func (k kit) propsStopRobotsAndObstacles(t *testing.T) {
	for _, level := range k.levels {
		for _, heading := range []float64{0, 0.6, math.Pi / 2, -2} {
			for name, front := range map[string]float64{"disc": 0.25, "box": 0.2} {
				model := enginetest.Alone(level, 0, 0, heading)
				if name == "box" {
					model.Robots[0] = boxed(model.Robots[0])
				}
				model.Props = []physics.Prop{door(1, heading, 0)}
				r := k.start(t, model)
				r.Commands[0].TwistB.VX = 2
				r.Run(2)
				at := spatial.Planar(0, 0, heading).Unrotate(r.S.Robots[0].PoseWB.Pos)
				must.Near(t, string(level)+" "+name, at[0], 1-front, 0.01)
				must.Near(t, string(level)+" "+name+", tilt", r.Tilt(0), 0, 0.05)
				if len(r.S.Touches) == 0 || r.S.Touches[0].B != physics.Static {
					t.Errorf("%s %s: touches %+v, want one with a static body", level, name, r.S.Touches)
				}
			}
		}
	}
	model := enginetest.Alone(k.levels[0], 0, 0, 0)
	model.Obstacles = []physics.Obstacle{{Pose: spatial.Planar(0.7, 0, 0), SizeX: 0.4, SizeY: 0.4, Height: 0.8,
		Mass: 5}}
	model.Props = []physics.Prop{door(1.5, 0, 0)}
	r := k.start(t, model)
	r.Commands[0].TwistB.VX = 1
	r.Run(3)
	must.Near(t, "obstacle", r.S.Obstacles[0].PoseWO.Pos[0], 1.5-0.2, 0.02)
}

// A prop whose lower edge is above a robot does not change the robot's motion.
func (k kit) robotsPassBelowProps(t *testing.T) {
	for _, level := range k.levels {
		run := func(props ...physics.Prop) uint64 {
			model := enginetest.Alone(level, 0, 0, 0.3)
			model.Props = props
			r := k.start(t, model)
			r.Commands[0].TwistB.VX = 2
			r.Run(2)
			return r.S.Hash()
		}
		want := run()
		for name, p := range map[string]physics.Prop{"above": door(1, 0.3, 0.81), "beside": door(1, 2, 0),
			"behind the boards": door(11, 0.3, 0)} {
			if got := run(p); got != want {
				t.Errorf("%s, prop %s: the state is %x, want %x as without it", level, name, got, want)
			}
		}
	}
}

func (k kit) ballBouncesOffATurnedProp(t *testing.T) {
	model := enginetest.Model()
	model.Config.Gravity = 0
	model.Props = []physics.Prop{door(1, math.Pi/4, 0)}
	r := k.start(t, model)
	// towards the door's normal from a side, at 45°: along y
	r.Put(mgl64.Vec3{math.Sqrt2 / 2, -0.5, 0.5}, spatial.Twist{Lin: mgl64.Vec3{0, 4, 0}})
	r.Run(0.5)
	c := model.Config.Contacts.BallObstacle
	in := 4 / math.Sqrt2
	must.Near(t, "speed away from the door", -(r.S.Ball.TwistInW.Lin[0]+r.S.Ball.TwistInW.Lin[1])/math.Sqrt2,
		c.Restitution*in, 1e-6)
}

// column returns an upright cylinder with a radius of 0.3 m.
func column(x, y float64) physics.Prop {
	return physics.Prop{Name: "column", Form: "cylinder", Boxes: []spatial.UprightBox{{Centre: mgl64.Vec3{x, y, 1},
		Half: mgl64.Vec3{0.3, 0.3, 1}, Round: true}}}
}

// A round column stops what comes from any direction at its radius, where a square would stop it earlier.
func (k kit) columnsAreRound(t *testing.T) {
	for _, heading := range []float64{0, 0.6, math.Pi / 4} {
		for name, front := range map[string]float64{"disc": 0.25, "box": 0.2} {
			model := enginetest.Alone(k.levels[0], 0, 0, heading)
			if name == "box" {
				model.Robots[0] = boxed(model.Robots[0])
			}
			at := spatial.Planar(0, 0, heading)
			centre := at.Apply(mgl64.Vec3{1.3, 0, 0})
			model.Props = []physics.Prop{column(centre[0], centre[1])}
			r := k.start(t, model)
			r.Commands[0].TwistB.VX = 2
			r.Run(2)
			got := at.Unrotate(r.S.Robots[0].PoseWB.Pos)
			must.Near(t, name, got[0], 1-front, 0.01)
			must.Near(t, name+", tilt", r.Tilt(0), 0, 0.05)
			if len(r.S.Touches) == 0 || r.S.Touches[0].B != physics.Static {
				t.Errorf("%s: touches %+v, want one with a static body", name, r.S.Touches)
			}
		}
	}
	model := enginetest.Alone(k.levels[0], 0, 0, 0)
	model.Obstacles = []physics.Obstacle{{Pose: spatial.Planar(0.7, 0, 0), SizeX: 0.4, SizeY: 0.4, Height: 0.8,
		Mass: 5}}
	model.Props = []physics.Prop{column(1.8, 0)}
	r := k.start(t, model)
	r.Commands[0].TwistB.VX = 1
	r.Run(3)
	must.Near(t, "obstacle", r.S.Obstacles[0].PoseWO.Pos[0], 1.5-0.2, 0.02)
	model = enginetest.Model()
	model.Config.Gravity = 0
	model.Props = []physics.Prop{column(1, 1)}
	r = k.start(t, model)
	r.Put(mgl64.Vec3{0, 0, 0.5}, spatial.Twist{Lin: mgl64.Vec3{4 / math.Sqrt2, 4 / math.Sqrt2, 0}})
	r.Run(0.35) // at 4 m/s the ball reaches the column after 0.25 s
	b := r.S.Ball.TwistInW.Lin
	must.Near(t, "speed away from the column", -(b[0]+b[1])/math.Sqrt2,
		model.Config.Contacts.BallObstacle.Restitution*4, 1e-6)
}
