package physics

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func validScene() *Model {
	s := &Model{Config: DefaultConfig(), Step: 5 * time.Millisecond, Ball: DefaultBall()}
	s.Field = Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, LineWidth: 0.125, Border: 1.5, GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.6,
		PostWidth: 0.125, WallHeight: 0.5}
	for i := range 2 {
		s.Robots = append(s.Robots, Robot{Team: Cyan, Pose: spatial.Planar(float64(i)+1, 0, 0), Drive: testDrive(),
			Body:     Body{Radius: 0.25, Height: 0.8, Mass: 31, InertiaZ: 2.86, CoMZ: 0.2},
			Kicker:   &Kicker{MaxSpeed: 10, LobAngle: 0.8},
			Dribbler: &Dribbler{Method: DribblePose, Reach: 0.1, MaxAngle: 0.5, Hold: 0.34}})
	}
	s.Obstacles = []Obstacle{{Pose: spatial.Planar(-2, 0, 0.5), SizeX: 0.5, SizeY: 0.5, Height: 0.8, Mass: 20}}
	return s
}

func TestValidateAcceptsAGame(t *testing.T) {
	s := validScene()
	s.Ball.X, s.Ball.Y = 1.3, 0 // in the mouth of a hull
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateSaysWhatIsWrong(t *testing.T) {
	for want, spoil := range map[string]func(*Model){
		"Step = 0s: must lie in (0, 50] ms":      func(s *Model) { s.Step = 0 },
		"Field.Border = 0.5: must hold the goal": func(s *Model) { s.Field.Border = 0.5 },
		"Field.GoalWidth":                        func(s *Model) { s.Field.Width = 2.1 },
		"Robots[1].Drive.WheelAngles: the wheels do not span": func(s *Model) {
			s.Robots[1].Drive.WheelAngles = []float64{0, 0, 0}
		},
		"Robots[0].Drive.WheelAngles: more than 8": func(s *Model) {
			s.Robots[0].Drive.WheelAngles = make([]float64, 9)
		},
		"Robots[0].Body.CoMZ = 0.9: must lie below":              func(s *Model) { s.Robots[0].Body.CoMZ = 0.9 },
		"Robots[0].Dribbler.Hold = 0.1: must be at least 0.2867": func(s *Model) { s.Robots[0].Dribbler.Hold = 0.1 },
		"Robots[0].Dribbler.Hold = 0.5: must be at most 0.46":    func(s *Model) { s.Robots[0].Dribbler.Hold = 0.5 },
		"Robots[1].Pose: must not overlap with Robots[0]": func(s *Model) {
			s.Robots[1].Pose = spatial.Planar(1.4, 0, 0)
		},
		"Robots[1].Pose: must stand within": func(s *Model) {
			s.Robots[1].Pose = spatial.Planar(0, 7.4, 0)
		},
		"Robots[0].Pose: must stand within": func(s *Model) {
			s.Robots[0].Pose.Pos[0] = math.NaN()
		},
		"Robots[0].Pose: must not overlap with a goal": func(s *Model) {
			s.Robots[0].Pose = spatial.Planar(9, 1, 0)
		},
		"Obstacles[0].Pose: must not overlap with Robots[0]": func(s *Model) {
			s.Obstacles[0].Pose = spatial.Planar(1, 0.4, 0)
		},
		"Ball: must stand within":                              func(s *Model) { s.Ball.Y = -9 },
		"Robots[0].Drive.MaxAccel = 0: must lie in":            func(s *Model) { s.Robots[0].Drive.MaxAccel = 0 },
		"Robots[1].Dribbler.MaxAngle":                          func(s *Model) { s.Robots[1].Dribbler.MaxAngle = 7 },
		"Robots[0].Team = \"blue\": must be one of":            func(s *Model) { s.Robots[0].Team = "blue" },
		"Ball.Radius = 5":                                      func(s *Model) { s.Ball.Radius = 5 },
		"Robots[0].Body.Length = 0.4: a box-shaped hull needs": func(s *Model) { s.Robots[0].Body.Length = 0.4 },
		"Robots[0].Body.Radius = 0.25: must reach the corners": func(s *Model) {
			s.Robots[0].Body.Length, s.Robots[0].Body.Width = 0.4, 0.4
		},
		"Robots[0].Dribbler.Hold = 0.27: must be at least 0.285 m: a box": func(s *Model) {
			s.Robots[0].Body.Length, s.Robots[0].Body.Width = 0.35, 0.35
			s.Robots[0].Dribbler.Hold = 0.27
		},
		"Robots[0].Drive.Casters: 9 casters: must be at most 8": func(s *Model) {
			s.Robots[0].Drive.Casters = make([]Caster, 9)
		},
		"Robots[0].Drive.Rollers.Hub = 9: makes wheels of 37.3 kg": func(s *Model) {
			r := s.Robots[0].Drive.RollerSet()
			r.Hub = 9
			s.Robots[0].Drive.Level, s.Robots[0].Drive.Rollers = RollersDrive, &r
		},
		"Config.Gravity = 99": func(s *Model) { s.Config.Gravity = 99 },
		"Robots[0].Drive.Level = \"kinematic\": needs Config.Engine": func(s *Model) {
			s.Robots[0].Drive.Level = KinematicDrive
		},
		"Robots[0].Drive.Wheels: wheels and casters must surround": func(s *Model) {
			s.Robots[0].Drive = differential()
		},
		"Robots[0].Drive.Level = \"rollers\": needs omni wheels": func(s *Model) {
			s.Robots[0].Drive = differential()
			s.Robots[0].Drive.Casters = []Caster{{X: 0.2}, {X: -0.2}}
			s.Robots[0].Drive.Level = RollersDrive
		},
		"Robots[0].Drive.Rollers.Radius = 0.001: must lie in": func(s *Model) {
			r := s.Robots[0].Drive.RollerSet()
			r.Radius = 0.001
			s.Robots[0].Drive.Level, s.Robots[0].Drive.Rollers = RollersDrive, &r
		},
		"Robots[1].Kicker.Strengths[1].Asked = 2: must be more": func(s *Model) {
			s.Robots[1].Kicker.Strengths = []Strength{{2, 1}, {2, 3}}
		},
		"Robots[0].Trunk.Mass = 0: must lie in": func(s *Model) { s.Robots[0].Trunk = &Trunk{} },
		"Robots[0].Trunk.Shapes[0].Half = 0: must lie in (0, 5] m": func(s *Model) {
			s.Robots[0].Trunk = &Trunk{Mass: 1, Shapes: []Shape{{Kind: CapsuleShape, Half: mgl64.Vec3{0.1, 0.1, 0}}}}
		},
		"Robots[0].Joints[0].Shapes[0].Kind = 9: must be a sphere": func(s *Model) {
			s.Robots[0].Joints = []Joint{{Shapes: []Shape{{Kind: 9}}}}
		},
		"Robots[0].Joints[0].Armature = NaN: must be finite": func(s *Model) {
			s.Robots[0].Joints = []Joint{{Armature: math.NaN()}}
		},
		"Robots[0].Apart: [0 0]: must be indices": func(s *Model) { s.Robots[0].Apart = [][2]int{{0, 0}} },
	} {
		s := validScene()
		spoil(s)
		must.Fail(t, s.Validate(), want)
	}
}

// differential returns a drive without casters.
func differential() Drive {
	d := testDrive()
	d.WheelAngles, d.Wheels = nil, []Wheel{{Kind: StandardWheel, Y: 0.2, Roller: 1}, {Kind: StandardWheel, Y: -0.2,
		Roller: 1}}
	return d
}

func disc(x, y, r float64) footprint { return footprint{x: x, y: y, radius: r, top: 1} }
func rect(x, y, hx, hy, heading float64) footprint {
	return footprint{x: x, y: y, halfX: hx, halfY: hy, heading: heading, top: 1}
}

func TestOverlaps(t *testing.T) {
	above := disc(0, 0, 1)
	above.bottom, above.top = 1, 2
	for _, tt := range []struct {
		name string
		p, q footprint
		want bool
	}{
		{"discs apart", disc(0, 0, 0.5), disc(0.8, 0.8, 0.5), false},
		{"discs together", disc(0, 0, 0.5), disc(0.6, 0.6, 0.5), true},
		{"one above the other", disc(0, 0, 1), above, false},
		{"disc off a corner", disc(1.4, 1.4, 0.5), rect(0, 0, 1, 1, 0), false},
		{"disc at a corner", disc(1.3, 1.3, 0.5), rect(0, 0, 1, 1, 0), true},
		{"disc at a turned side", disc(1.3, 0, 0.5), rect(0, 0, 0.5, 0.5, math.Pi/4), false},
		{"disc at a turned tip", disc(1.1, 0, 0.5), rect(0, 0, 0.5, 0.5, math.Pi/4), true},
		{"rectangles tip to side", rect(0, 0, 1, 1, 0), rect(1.5, 0, 0.5, 0.5, math.Pi/4), true},
		{"rectangles corner to corner", rect(0, 0, 1, 1, 0), rect(1.5, 1.5, 0.5, 0.5, math.Pi/4), false},
		{"disc inside", disc(0.1, 0.1, 0.1), rect(0, 0, 1, 1, 0.3), true},
	} {
		if got, back := tt.p.overlaps(&tt.q), tt.q.overlaps(&tt.p); got != tt.want || back != tt.want {
			t.Errorf("%s: %v and %v, want %v", tt.name, got, back, tt.want)
		}
	}
}

// The oracle samples the points of one footprint on a grid, and tests whether a point is inside the other footprint.
func TestOverlapsWhenAPointIsInBoth(t *testing.T) {
	inside := func(p *footprint, x, y float64) bool {
		nx, ny := p.nearest(x, y)
		return math.Hypot(x-nx, y-ny) < p.radius+1e-12
	}
	rapid.Check(t, func(t *rapid.T) {
		f, size := rapid.Float64Range(-2, 2), rapid.Float64Range(0.3, 1)
		p := rect(0, 0, size.Draw(t, "hx"), size.Draw(t, "hy"), f.Draw(t, "heading"))
		q := rect(f.Draw(t, "x"), f.Draw(t, "y"), size.Draw(t, "hx"), size.Draw(t, "hy"), f.Draw(t, "heading"))
		if rapid.Bool().Draw(t, "disc") {
			q = disc(q.x, q.y, q.halfX)
		}
		sin, cos := math.Sincos(p.heading)
		for i := -10; i <= 10; i++ {
			for j := -10; j <= 10; j++ {
				lx, ly := p.halfX*float64(i)/10.1, p.halfY*float64(j)/10.1
				if inside(&q, cos*lx-sin*ly, sin*lx+cos*ly) && !p.overlaps(&q) {
					t.Fatalf("%+v and %+v share a point", p, q)
				}
			}
		}
	})
}
