package physics

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

func validScene() *Model {
	s := &Model{Config: DefaultConfig(), Step: 5 * time.Millisecond, Ball: DefaultBall()}
	s.Field = Field{Length: 18, Width: 12, LineWidth: 0.125, Border: 1.5, GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.6,
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
		"Robots[1].Drive.WheelAngles: the wheels do not span": func(
			s *Model) {
			s.Robots[1].Drive.WheelAngles = []float64{0, 0, 0}
		},
		"Robots[0].Drive.WheelAngles: more than 8": func(s *Model) {
			s.Robots[0].Drive.WheelAngles = make(
				[]float64, 9)
		},
		"Robots[0].Body.CoMZ = 0.9: must lie below":              func(s *Model) { s.Robots[0].Body.CoMZ = 0.9 },
		"Robots[0].Dribbler.Hold = 0.1: must be at least 0.2867": func(s *Model) { s.Robots[0].Dribbler.Hold = 0.1 },
		"Robots[0].Dribbler.Hold = 0.5: must be at most 0.46":    func(s *Model) { s.Robots[0].Dribbler.Hold = 0.5 },
		"Robots[1].Pose: must not overlap with Robots[0]": func(s *Model) {
			s.Robots[1].Pose = spatial.Planar(
				1.4, 0, 0)
		},
		"Robots[1].Pose: must stand within": func(s *Model) {
			s.Robots[1].Pose = spatial.Planar(0,
				7.4, 0)
		},
		"Robots[0].Pose: must stand within": func(
			s *Model) {
			s.Robots[0].Pose.Pos[0] = math.NaN()
		},
		"Robots[0].Pose: must not overlap with a goal": func(s *Model) {
			s.Robots[0].Pose = spatial.Planar(9,
				1, 0)
		},
		"Obstacles[0].Pose: must not overlap with Robots[0]": func(s *Model) {
			s.Obstacles[0].Pose = spatial.Planar(
				1, 0.4, 0)
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
			s.Robots[0].Drive.Casters = make(
				[]Caster, 9)
		},
		"Robots[0].Drive.Rollers.Hub = 9: makes wheels of 37.3 kg": func(s *Model) {
			r := s.Robots[0].Drive.RollerSet()
			r.Hub = 9
			s.Robots[0].Drive.Level, s.Robots[0].Drive.Rollers = RollersDrive, &r
		},
		"Config.Gravity = 99": func(s *Model) { s.Config.Gravity = 99 },
		"Robots[0].Drive.Level = \"kinematic\": needs Config.Engine": func(
			s *Model) {
			s.Robots[0].Drive.Level = KinematicDrive
		},
		"Robots[0].Drive.Wheels: wheels and casters must surround": func(
			s *Model) {
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
	} {
		s := validScene()
		spoil(s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// differential returns a drive without casters.
func differential() Drive {
	d := testDrive()
	d.WheelAngles, d.Wheels = nil, []Wheel{{Kind: StandardWheel, Y: 0.2, Roller: 1}, {Kind: StandardWheel, Y: -0.2,
		Roller: 1}}
	return d
}
