package abstraction

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// octagon is an upright prism with flat sides ahead and to the sides.
func octagon(x, radius, bottom, top float64) Prism {
	p := Prism{Bottom: bottom, Top: top}
	for k := range 8 {
		sin, cos := math.Sincos(2 * math.Pi * (float64(k) + 0.5) / 8)
		p.Plan = append(p.Plan, mgl64.Vec2{x + radius*cos, radius * sin})
	}
	return p
}

// fieldRobot is a body like those of the league: a wide base, a narrower tower, three rods and a mirror above.
func fieldRobot() []Prism {
	body := []Prism{octagon(0, 0.26, 0.03, 0.2), octagon(-0.02, 0.21, 0.2, 0.42), octagon(-0.04, 0.12, 0.42, 0.6),
		octagon(0, 0.08, 0.76, 0.8)}
	for k := range 3 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / 3)
		rod := octagon(0.07*cos, 0.006, 0.6, 0.76)
		for i := range rod.Plan {
			rod.Plan[i][1] += 0.07 * sin
		}
		body = append(body, rod)
	}
	return body
}

// match is an instant of five against five with a ball, on a field of 18 m × 12 m.
func match() Environment {
	env := Environment{Gravity: 9.81, Lines: NewLines([]spatial.Mark{
		{Kind: spatial.Segment, A: [2]float64{-9, -6}, B: [2]float64{9, -6}, Width: 0.125},
		{Kind: spatial.Segment, A: [2]float64{-9, 6}, B: [2]float64{9, 6}, Width: 0.125},
		{Kind: spatial.Segment, A: [2]float64{-9, -6}, B: [2]float64{-9, 6}, Width: 0.125},
		{Kind: spatial.Segment, A: [2]float64{9, -6}, B: [2]float64{9, 6}, Width: 0.125},
		{Kind: spatial.Segment, A: [2]float64{0, -6}, B: [2]float64{0, 6}, Width: 0.125}, {Kind: spatial.Arc, Radius: 2,
			Sweep: 2 * math.Pi, Width: 0.125},
	})}
	env.Targets = append(env.Targets, ball(0.4, -0.3, 0.11))
	outline := NewSilhouette(fieldRobot())
	for i := range 10 {
		robot := NewTarget(RobotKind, fmt.Sprint("robot", i), []string{"cyan", "magenta"}[i%2],
			Shape{Kind: Cylinder, Radius: 0.25, Height: 0.8}, outline)
		sin, cos := math.Sincos(2.4 * float64(i)) // sunflower arrangement: uniform density
		r := 2.1 * math.Sqrt(float64(i)+0.3)
		robot.Move(spatial.Planar(1.2*r*cos, 0.8*r*sin, 0.7*float64(i)), mgl64.Vec3{cos, sin, 0})
		env.Targets = append(env.Targets, robot)
	}
	for i := range 4 {
		post := NewTarget(PostKind, fmt.Sprint("post", i), "", Shape{Kind: Box, SizeX: 0.125, SizeY: 0.125, Height: 1},
			nil)
		post.Move(spatial.Planar(float64(i/2*18-9), float64(i%2*2)-1, 0), mgl64.Vec3{})
		env.Targets = append(env.Targets, post)
	}
	return env
}

// One frame of an omni and a front camera for each of ten robots.
func BenchmarkTenRobots(b *testing.B) {
	for _, c := range []struct {
		name   string
		model  optics.Model
		poseBC spatial.Pose
	}{
		{"omni", optics.Hyperbolic{Pinhole: optics.PinholeFromFOV(640, 640, 1.15), K: 3.294, C: 0.1, RimRadius: 0.0683},
			spatial.Translation(mgl64.Vec3{0, 0, 0.73})},
		{"ahead", optics.PinholeFromFOV(640, 480, 1.08), spatial.RPY(mgl64.Vec3{0.2, 0, 0.45}, 0, 0.3,
			0).Mul(spatial.BodyToOptical())},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			env := match()
			cfg := DefaultVision()
			vision := NewVision(&cfg, nil, 30)
			model, fov, occlusion := optics.Prepared(c.model), NewFieldOfView(c.model),
				NewSelfOcclusion(fieldRobot()[4:], c.poseBC.Pos)
			var list ObjectList
			frame := uint64(0)
			for b.Loop() {
				for i := range 10 {
					env.Self = &env.Targets[1+i]
					env.PoseWB = env.Self.PoseWT
					view := Viewpoint{Model: model, PoseWC: env.PoseWB.Mul(c.poseBC), MaxRange: math.Inf(1),
						FieldOfView: fov, SelfOcclusion: occlusion}
					noise := random.New(1, "r", "s", frame)
					vision.Perceive(&view, &env, 0, noise, &list)
					if c.name == "omni" {
						vision.Localise(&view, &env, 0, noise, &list)
					}
				}
				frame++
			}
		})
	}
}
