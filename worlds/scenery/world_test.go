package scenery_test

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// attack returns a field robot that attacks a goal with a keeper, past two obstacles.
func attack() (*physics.Model, *physics.Snapshot) {
	body := physics.Body{Radius: 0.25, Height: 0.8}
	drive := physics.Drive{
		WheelAngles:   []float64{math.Pi / 4, 3 * math.Pi / 4, -3 * math.Pi / 4, -math.Pi / 4},
		WheelDistance: 0.203, WheelRadius: 0.0635,
	}
	scene := &physics.Model{
		Field: physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
			Length: 18, Width: 12, PenaltyAreaWidth: 6.5, PenaltyAreaDepth: 2.25, GoalAreaWidth: 3.5,
			GoalAreaDepth: 0.75,
			PenaltyMark:   3, CentreCircle: 2, CornerArc: 0.75, LineWidth: 0.125, Border: 1.5,
			GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.5, PostWidth: 0.125, WallHeight: 0.25,
		},
		Ball: physics.DefaultBall(),
		Robots: []physics.Robot{
			{Name: "cyan1", Team: physics.Cyan, Number: 2, Body: body, Drive: drive, Kicker: &physics.Kicker{},
				Dribbler: &physics.Dribbler{}},
			{Name: "magenta1", Team: physics.Magenta, Number: 1, Body: body, Drive: drive},
		},
		Obstacles: []physics.Obstacle{{Name: "obstacle1", SizeX: 0.5, SizeY: 0.5, Height: 0.7},
			{Name: "obstacle2", SizeX: 0.5, SizeY: 0.5, Height: 0.7}},
	}
	now := &physics.Snapshot{
		Robots: []physics.RobotState{{PoseWB: spatial.Planar(3.5, -0.5, 0.3)},
			{PoseWB: spatial.Planar(8.5, 0.4, math.Pi)}},
		Obstacles: []physics.ObstacleState{{PoseWO: spatial.Planar(5, 1.6, 0.3)},
			{PoseWO: spatial.Planar(5.6, -1.2, -0.2)}},
	}
	now.Ball.PosW = mgl64.Vec3{4.6, 0.3, 0.11}
	now.Ball.RotW = mgl64.QuatRotate(0.7, mgl64.Vec3{0.6, 0.64, 0.48})
	return scene, now
}

// cameras returns the views of the attacker's mirror camera and front camera and of the keeper's two depth cameras, at
// a share of their full size.
func cameras(now *physics.Snapshot, share float64) (omni, front, left, right render.View) {
	px := func(x int) int { return int(float64(x) * share) }
	attacker, keeper := now.Robots[0].PoseWB, now.Robots[1].PoseWB
	mirror := scenery.DefaultMirror()
	mirror.Pinhole = optics.PinholeFromFOV(px(640), px(640), 62*math.Pi/180)
	omni = view(mirror, attacker.Mul(spatial.Pose{Pos: mgl64.Vec3{0, 0, 0.78}, Rot: spatial.RotZ(math.Pi / 2)}))
	omni.Hidden = []render.Hidden{{Body: 1, Part: scenery.Mirror}}
	front = view(optics.PinholeFromFOV(px(640), px(480), 62*math.Pi/180), attacker.Mul(mount(0.26, 0, 0.5, 0.26, 0)))
	depth := optics.PinholeFromFOV(px(512), px(424), 70.6*math.Pi/180)
	left = view(depth, keeper.Mul(mount(0.26, 0.12, 0.7, 0.2, 0.5)))
	right = view(depth, keeper.Mul(mount(0.26, -0.12, 0.7, 0.2, -0.5)))
	for _, v := range []*render.View{&left, &right} {
		v.Depth = render.NewDepth(depth.Width, depth.Height)
	}
	return omni, front, left, right
}

func mount(x, y, z, pitch, yaw float64) spatial.Pose {
	return spatial.RPY(mgl64.Vec3{x, y, z}, 0, pitch, yaw).Mul(spatial.BodyToOptical())
}

func view(m optics.Model, poseWC spatial.Pose) render.View {
	w, h := m.Size()
	return render.View{Model: m, PoseWC: poseWC, Color: render.NewImage(w, h)}
}
