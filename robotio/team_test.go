package robotio

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// mates gives each team of nubot-attack a second robot, lets these robots turn and drive, and gives all robots an omni
// camera at a level.
func mates(level abstraction.Level, profiles ...string) func(*worlds.World) {
	return func(w *worlds.World) {
		w.Ball.X, w.Ball.Y = -6, 4
		w.Obstacles = nil
		add(&w.Robots[1], "omni", sensors.OmniKind, level)
		w.Robots[1].Number = 1
		for i, pose := range []worlds.Pose{{X: -4, Y: w.Field.Width/2 + 0.7}, {X: 2, Y: -3, Heading: 2}} {
			r := w.Robots[0]
			r.Name, r.Team, r.Number, r.Pose = []string{"cyan3", "magenta2"}[i], []physics.Team{physics.Cyan,
				physics.Magenta}[i], 3-i, pose
			w.Robots = append(w.Robots, r)
		}
		for i := range w.Robots {
			r := &w.Robots[i]
			r.Drive.Level, r.ROS1.Profiles = physics.ChassisDrive, profiles
			r.Sensors = slices.Clone(r.Sensors)
			for j := range r.Sensors {
				if r.Sensors[j].Kind.TakesImages() {
					r.Sensors[j].Level = level
				}
			}
		}
	}
}

// robotinfo lists all robots of the team in the world's order, with pose and velocity in the team's field frame at the
// message's stamp. At objects, which arrive 66 ms later, the teammates' entries are still true, and the robot's own
// entry is what its vision believes. Only in simatch is a robot more than 1 m outside the lines not valid.
func TestTeam(t *testing.T) {
	for _, profile := range []string{"nubot", "hawking", "simatch"} {
		for _, level := range []abstraction.Level{abstraction.Truth, abstraction.Objects} {
			t.Run(profile+" at "+string(level), func(t *testing.T) { testTeam(t, profile, level) })
		}
	}
}

func testTeam(t *testing.T, profile string, level abstraction.Level) {
	r := newRig(t, mates(level, profile))
	w := r.sim.World()
	poses := map[time.Duration][]physics.RobotState{}
	r.sim.OnStep(func(s *physics.Snapshot) { poses[s.Time] = append([]physics.RobotState(nil), s.Robots...) })
	for _, d := range []action.Drive{{Robot: "cyan1", VX: -0.6, Omega: 0.5}, {Robot: "cyan3", VY: 1},
		{Robot: "magenta2", VX: 1, VY: 0.5, Omega: -1}} {
		r.do(&d)
	}
	r.until("the robots to drive", func() bool { return r.sim.Truth().Time > time.Second })
	noise := w.Robots[0].Sensors[0].Vision
	for _, c := range []struct {
		topic string
		self  int
		team  []int // indices of its robots
		turn  float64
	}{{cyanVision, 0, []int{0, 2}, 0}, {"/magenta2/omnivision/OmniVisionInfo", 3, []int{1, 3}, math.Pi}} {
		m := receive[msg.OminiVisionInfo](r, c.topic, visionType)
		at, teamFrame := poses[m.Header.Stamp.Since()], spatial.Planar(0, 0, c.turn)
		if len(m.RobotInfo) != len(c.team) || at == nil {
			t.Fatalf("%s at %v: %d robots, want %d", c.topic, m.Header.Stamp.Since(), len(m.RobotInfo), len(c.team))
		}
		for k, i := range c.team {
			got, want, truth := m.RobotInfo[k], w.Robots[i], at[i]
			pose, vel := teamFrame.Mul(truth.PoseWB), teamFrame.Rotate(truth.TwistWBInW.Lin)
			pos, turn, fast := 1e-3, 1e-5, 1e-3 // float32
			switch {
			case level == abstraction.Objects && i == c.self:
				pos, turn, fast = 5*100*noise.SelfPosNoise, 5*noise.SelfAngNoise, 100*5*noise.SelfAngNoise*1.2
			case level == abstraction.Objects:
				pos, turn, fast = 0.5, 0.01, 12 // extrapolated back over the delay at constant velocity
			}
			must.Near(t, want.Name+" x", float64(got.Pos.X), 100*pose.Pos[0], pos)
			must.Near(t, want.Name+" y", float64(got.Pos.Y), 100*pose.Pos[1], pos)
			must.Near(t, want.Name+" heading", math.Remainder(float64(got.Heading.Theta)-pose.Heading(), 2*math.Pi), 0,
				turn)
			must.Near(t, want.Name+" vx", float64(got.Vtrans.X), 100*vel[0], fast)
			must.Near(t, want.Name+" vy", float64(got.Vtrans.Y), 100*vel[1], fast)
			must.Near(t, want.Name+" vrot", float64(got.Vrot), truth.TwistWBInW.Ang[2], 0.1)
			if got.AgentID != int32(want.Number) || got.Header.Stamp != m.Header.Stamp {
				t.Errorf("%s: %+v", want.Name, got)
			}
			// distance beyond simatch's limit, which cyan3 has passed
			beside := truth.PoseWB.Pos[1] - w.Field.Width/2 - 1
			must.Equal(t, got.IsValid, profile != "simatch" || beside <= 0, "%s, %.2f m beyond the limit, is valid",
				want.Name, beside)
		}
	}
	if beside := r.sim.Truth().Robots[2].PoseWB.Pos[1] - w.Field.Width/2 - 1; !(beside > 0.1) {
		t.Errorf("cyan3 is %.2f m beyond the limit; it was to be beyond it", beside)
	}
}
