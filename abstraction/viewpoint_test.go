package abstraction

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// lookingAlongX is a camera at a height that looks along x, 60° wide.
func lookingAlongX(z float64) Viewpoint {
	return Viewpoint{
		Model:    optics.PinholeFromFOV(640, 480, math.Pi/3),
		PoseWC:   spatial.Translation(mgl64.Vec3{0, 0, z}).Mul(spatial.BodyToOptical()),
		MaxRange: 20,
	}
}

func placed(kind Kind, name string, shape Shape, pose spatial.Pose) Target {
	t := NewTarget(kind, name, "", shape, nil)
	t.Move(pose, mgl64.Vec3{})
	return t
}

func ball(x, y, z float64) Target {
	return placed(BallKind, "ball", Shape{Kind: Sphere, Radius: 0.11}, spatial.Translation(mgl64.Vec3{x, y, z}))
}

func pillar(name string, x, y, radius float64) Target {
	return placed(ObstacleKind, name, Shape{Kind: Cylinder, Radius: radius, Height: 0.8}, spatial.Planar(x, y, 0))
}

func box(name string, x, y, heading, sx, sy float64) Target {
	return placed(ObstacleKind, name, Shape{Kind: Box, SizeX: sx, SizeY: sy, Height: 0.8},
		spatial.Planar(x, y, heading))
}

func TestVisibleFraction(t *testing.T) {
	for _, c := range []struct {
		name      string
		targets   []Target // the first is observed
		want, tol float64
	}{
		{"free", []Target{ball(3, 0, 0.5)}, 1, 0},
		{"behind the camera", []Target{ball(-3, 0, 0.5)}, 0, 0},
		{"beyond the range", []Target{ball(30, 0, 0.5)}, 0, 0},
		{"outside the image", []Target{ball(3, 3, 0.5)}, 0, 0},
		// The image ends at y = x·tan 30°: half of a ball there is inside.
		{"half over the image's edge", []Target{ball(3, 3*math.Tan(math.Pi/6), 0.5)}, 0.5, 0.01},
		{"behind a pillar", []Target{ball(3, 0, 0.5), pillar("p", 2, 0, 0.25)}, 0, 0},
		{"before a pillar", []Target{ball(1, 0, 0.5), pillar("p", 2, 0, 0.25)}, 1, 0},
		// The pillar's edge as seen from the camera hides the ball's half: tangent at asin(0.25/2.0156).
		{"half behind a pillar", []Target{ball(3, 0, 0.5), pillar("p", 2*math.Cos(0.125), 2*math.Sin(0.125),
			2*math.Sin(0.125))}, 0.5, 0.08},
		{"behind a box", []Target{ball(3, 0, 0.5), box("b", 2, 0, 0.7, 0.4, 0.4)}, 0, 0},
		{"over a box", []Target{ball(3, 0, 1.2), box("b", 2, 0, 0.7, 0.4, 0.4)}, 1, 0},
		{"hidden by another ball", []Target{ball(3, 0, 0.5), ball(1, 0, 0.5)}, 0, 0},
	} {
		view := lookingAlongX(0.5)
		if got := view.Visible(&Environment{Targets: c.targets}, 0); !scalar.EqualWithinAbs(got, c.want, c.tol) {
			t.Errorf("%s: visible = %v, want %v within %v", c.name, got, c.want, c.tol)
		}
	}
}

// inside reports whether a point of the shape's frame is in the shape, grown by a margin.
func (s Shape) inside(p mgl64.Vec3, margin float64) bool {
	switch s.Kind {
	case Sphere:
		return p.Len() <= s.Radius+margin
	case Cylinder:
		return math.Hypot(p[0], p[1]) <= s.Radius+margin && p[2] >= -margin && p[2] <= s.Height+margin
	}
	return math.Abs(p[0]) <= s.SizeX/2+margin && math.Abs(p[1]) <= s.SizeY/2+margin && p[2] >= -margin &&
		p[2] <= s.Height+margin
}

// The oracle walks along the ray in small steps until it is inside.
func TestCastMeetsTheSurface(t *testing.T) {
	const stride, far = 2e-3, 6.0
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Float64Range(0.1, 1.5)
		s := Shape{Kind: ShapeKind(rapid.IntRange(0, 2).Draw(t, "kind")), Height: size.Draw(t, "height")}
		if s.Kind == Box {
			s.SizeX, s.SizeY = size.Draw(t, "x"), size.Draw(t, "y")
		} else {
			s.Radius = size.Draw(t, "radius")
		}
		place := rapid.Float64Range(-2, 2)
		pose := spatial.Planar(place.Draw(t, "x"), place.Draw(t, "y"), place.Draw(t, "heading"))
		from := mgl64.Vec3{place.Draw(t, "fx"), place.Draw(t, "fy"), place.Draw(t, "fz")}
		along := mgl64.Vec3{place.Draw(t, "ax"), place.Draw(t, "ay"), place.Draw(t, "az")}
		if along.Len() < 1e-3 || s.inside(pose.Inverse().Apply(from), 2*stride) {
			t.Skip("no ray from outside")
		}
		along = along.Normalize()
		want := math.Inf(1)
		for r := 0.0; r < far; r += stride {
			if s.inside(pose.Inverse().Apply(from.Add(along.Mul(r))), 0) {
				want = r
				break
			}
		}
		got := s.Raycast(pose, from, along)
		switch {
		case got < far && !s.inside(pose.Inverse().Apply(from.Add(along.Mul(got))), 1e-9):
			t.Fatalf("%+v: the ray ends at %v, which is not on the shape", s, got)
		case !math.IsInf(want, 1) && !(math.Abs(got-want) <= 1.01*stride):
			t.Fatalf("%+v: the ray ends at %v, walking meets the shape at %v", s, got, want)
		}
	})
}

// A FieldOfView does not change visible shares, for a pinhole and a mirror camera.
func TestSightDecidesAsTheModelDoes(t *testing.T) {
	cameras := []optics.Model{
		optics.PinholeFromFOV(640, 480, 1.1),
		optics.Hyperbolic{Pinhole: optics.PinholeFromFOV(640, 640, 1.15), K: 3.294, C: 0.1, RimRadius: 0.0683},
	}
	fields := []*FieldOfView{NewFieldOfView(cameras[0]), NewFieldOfView(cameras[1])}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 1).Draw(t, "camera")
		angle := rapid.Float64Range(-math.Pi, math.Pi)
		place := rapid.Float64Range(-9, 9)
		pose := spatial.RPY(mgl64.Vec3{0, 0, 0.7}, 0, rapid.Float64Range(-0.5, 0.5).Draw(t, "pitch"),
			angle.Draw(t, "yaw")).Mul(spatial.BodyToOptical())
		if k == 1 {
			pose = spatial.RPY(mgl64.Vec3{0, 0, 0.7}, 0, 0, angle.Draw(t, "turn"))
		}
		targets := []Target{
			ball(place.Draw(t, "x"), place.Draw(t, "y"), rapid.Float64Range(0.1, 2).Draw(t, "z")),
			pillar("p", place.Draw(t, "x"), place.Draw(t, "y"), 0.25),
			box("b", place.Draw(t, "x"), place.Draw(t, "y"), angle.Draw(t, "heading"), 0.5, 0.3),
		}
		env := Environment{Targets: targets}
		slow := Viewpoint{Model: cameras[k], PoseWC: pose, MaxRange: 8}
		fast := slow
		fast.FieldOfView = fields[k]
		// exact edges of the image, against six sampled points of a column
		const within = 0.25
		for i := range targets {
			if want, got := slow.Visible(&env, i), fast.Visible(&env, i); !scalar.EqualWithinAbs(got, want, within) {
				t.Fatalf("target %d: %v at once, %v point by point", i, got, want)
			}
		}
	})
}

// A tower of prisms covers the slopes from its lowest to its highest corner from every side, as its prisms do one by
// one.
func TestSilhouetteSpansItsPrisms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var prisms []Prism
		size := rapid.Float64Range(0.05, 0.4)
		bottom := rapid.Float64Range(0, 0.3).Draw(t, "bottom")
		for range rapid.IntRange(1, 5).Draw(t, "prisms") {
			top := bottom + size.Draw(t, "height")
			prisms = append(prisms, octagon(0.1*(size.Draw(t, "x")-0.2), 0.1+size.Draw(t, "radius"), bottom, top))
			bottom = top + rapid.Float64Range(-0.02, 0.02).Draw(t, "gap")
		}
		s := NewSilhouette(prisms)
		turn, column := rapid.IntRange(0, turns-1).Draw(t, "turn"), rapid.IntRange(0, columns-1).Draw(t, "column")
		ahead := s.reach + rapid.Float64Range(0.05, 8).Draw(t, "ahead")
		base := rapid.Float64Range(-3, 1).Draw(t, "base")
		angle := 2 * math.Pi * float64(turn) / turns
		from, to := math.Inf(1), math.Inf(-1)
		for _, p := range prisms {
			near, far := intersect(p.Plan, mgl64.Vec2{math.Cos(angle), math.Sin(angle)}, s.reach*offset(column))
			if near < far {
				low, high := prismSlopes(ahead+near, ahead+far, base+p.Bottom, base+p.Top)
				from, to = min(from, low), max(to, high)
			}
		}
		got := slopes{}
		for p := s.column(angle, column); p != nil; p = s.after(p) {
			if low, high, ok := s.slopes(p, ahead, base); ok {
				got.add(low, high)
			}
		}
		if math.IsInf(from, 1) {
			if got.n != 0 {
				t.Fatalf("%v slopes of nothing", got.n)
			}
			return
		}
		// Omitted corners stick out by blunt. Seen from d away and h below or above, that is up to blunt/d·√(1 +
		// (h/d)²), and more for chains of corners.
		near := ahead - s.reach
		tol := 3 * blunt / near * math.Hypot(1, max(math.Abs(from), math.Abs(to)))
		if got.n == 0 || !scalar.EqualWithinAbs(got.from[0], from, tol) || !scalar.EqualWithinAbs(got.to[got.n-1], to,
			tol) {
			t.Fatalf("slopes %v to %v, want %v to %v within %v", got.from[:got.n], got.to[:got.n], from, to, tol)
		}
	})
}

func TestBearingAndSlant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(-5, 5)
		ahead, x, y := mgl64.Vec2{c.Draw(t, "a"), c.Draw(t, "b")}, c.Draw(t, "x"), c.Draw(t, "y")
		if ahead.Len()*math.Hypot(x, y) < 1e-6 {
			t.Skip("no direction")
		}
		want := math.Atan2(ahead[0]*y-ahead[1]*x, ahead[0]*x+ahead[1]*y)
		if got := bearing(&ahead, x, y); !(math.Abs(math.Remainder(got-want, 2*math.Pi)) <= 1.2e-5) {
			t.Fatalf("bearing = %v, want %v", got, want)
		}
		sin := rapid.Float64Range(-1, 1).Draw(t, "sin")
		cos, secant, angle := slant(sin)
		// √(1 − s²) cancels towards s = 1.
		inverse := scalar.EqualWithinAbs(secant*cos, 1, 4e-4) || cos == 0 && math.IsInf(secant, 1)
		if want := math.Asin(sin); !inverse || !scalar.EqualWithinAbs(angle, want, 2.5e-4) ||
			!scalar.EqualWithinAbs(cos, math.Cos(want), 1e-4) {
			t.Fatalf("slant(%v) = %v, %v, %v", sin, cos, secant, angle)
		}
	})
}

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

// match is an instant of a number of robots with a ball, on a field of 18 m × 12 m.
func match(robots int) Environment {
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
	for i := range robots {
		robot := NewTarget(RobotKind, fmt.Sprint("robot", i), []string{"cyan", "magenta"}[i%2],
			Shape{Kind: Cylinder, Radius: 0.25, Height: 0.8}, outline)
		sin, cos := math.Sincos(2.4 * float64(i)) // sunflower arrangement: uniform density
		r := 2.1 * math.Sqrt((float64(i)+0.3)*10/float64(robots))
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

// BenchmarkRobots measures one frame of an omni or a front camera of each robot.
func BenchmarkRobots(b *testing.B) {
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
		for _, robots := range []int{10, 20, 50} {
			b.Run(fmt.Sprint(c.name, "/", robots), func(b *testing.B) { benchmarkRobots(b, robots, c.model, c.poseBC) })
		}
	}
}

func benchmarkRobots(b *testing.B, robots int, camera optics.Model, poseBC spatial.Pose) {
	b.ReportAllocs()
	env := match(robots)
	cfg := DefaultVision()
	model, fov, occlusion := optics.Prepared(camera), NewFieldOfView(camera),
		NewSelfOcclusion(fieldRobot()[4:], poseBC.Pos)
	visions, lists := make([]*Vision, robots), make([]ObjectList, robots)
	for i := range visions {
		visions[i] = NewVision(&cfg, nil, 30)
	}
	frame, pairs, views := uint64(0), 0, TargetViews{}
	for b.Loop() {
		for i := range robots {
			env.Self = &env.Targets[1+i]
			env.PoseWB = env.Self.PoseWT
			view := Viewpoint{Model: model, PoseWC: env.PoseWB.Mul(poseBC), MaxRange: math.Inf(1),
				FieldOfView: fov, SelfOcclusion: occlusion, Views: &views}
			visions[i].Perceive(&view, &env, 0, random.New(1, "r", "s", frame), &lists[i])
			pairs += len(views.candidates)
		}
		frame++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(pairs), "ns/pair")
}
