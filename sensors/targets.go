package sensors

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Surroundings describes a snapshot to the upper levels as robot number robot meets it: everything but itself. The
// scene's slices are reused.
func Surroundings(world *physics.Scene, s *physics.Snapshot, robot int, into *abstraction.Scene) {
	into.PoseWB = s.Robots[robot].PoseWB
	t := append(into.Targets[:0], abstraction.Target{
		Kind: abstraction.BallKind, Name: "ball",
		Shape:  abstraction.Shape{Kind: abstraction.Sphere, Radius: world.Ball.Radius},
		PoseWT: spatial.Pose{Pos: s.Ball.PosW, Rot: mgl64.QuatIdent()}, VelW: s.Ball.TwistInW.Lin,
	})
	for i := range world.Robots {
		if i == robot {
			continue
		}
		r := &world.Robots[i]
		shape := abstraction.Shape{Kind: abstraction.Cylinder, Radius: r.Body.Radius, Height: r.Body.Height}
		if r.Body.Boxed() {
			shape = abstraction.Shape{Kind: abstraction.Box, SizeX: r.Body.Length, SizeY: r.Body.Width, Height: r.Body.Height}
		}
		t = append(t, abstraction.Target{
			Kind: abstraction.RobotKind, Name: r.Name, Team: string(r.Team), Shape: shape,
			PoseWT: s.Robots[i].PoseWB, VelW: s.Robots[i].TwistWBInW.Lin,
		})
	}
	for i := range world.Obstacles {
		o := &world.Obstacles[i]
		t = append(t, abstraction.Target{
			Kind: abstraction.ObstacleKind, Name: o.Name,
			Shape:  abstraction.Shape{Kind: abstraction.Box, SizeX: o.SizeX, SizeY: o.SizeY, Height: o.Height},
			PoseWT: s.Obstacles[i].PoseWO, VelW: s.Obstacles[i].TwistWOInW.Lin,
		})
	}
	into.Targets = appendPosts(t, &world.Field)
}

// appendPosts adds the four goal posts, named by their goal's end of the field and their side of it.
func appendPosts(t []abstraction.Target, f *physics.Field) []abstraction.Target {
	names := [2][2]string{{"post_minus_left", "post_minus_right"}, {"post_plus_left", "post_plus_right"}}
	for g, goal := range f.Goals() {
		frame := f.GoalFrame(goal)
		for p, box := range frame[:2] { // the third is the bar
			lo, hi := mgl64.Vec3(box.Min), mgl64.Vec3(box.Max)
			size := hi.Sub(lo)
			t = append(t, abstraction.Target{
				Kind: abstraction.PostKind, Name: names[g][p],
				Shape:  abstraction.Shape{Kind: abstraction.Box, SizeX: size[0], SizeY: size[1], Height: size[2]},
				PoseWT: spatial.Planar((lo[0]+hi[0])/2, (lo[1]+hi[1])/2, 0),
			})
		}
	}
	return t
}
