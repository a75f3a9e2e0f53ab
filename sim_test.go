//go:build cgo

package omnipitch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/command"
)

// nubotAttack makes a Sim of nubot-attack with grey images.
func nubotAttack(t testing.TB, changes ...func(*worlds.World)) simtest.Sim {
	t.Helper()
	return simtest.New(t, simtest.World(t, "nubot-attack", changes...), omnipitch.Options{NewRenderer: simtest.Grey})
}

// events returns a change of a world that replaces its events.
func events(all ...worlds.Event) func(*worlds.World) {
	return func(w *worlds.World) { w.Events = all }
}

func at(ms int, c action.Choice) worlds.Event {
	return worlds.Event{At: time.Duration(ms) * time.Millisecond, Choice: c}
}

func TestPlaceEvents(t *testing.T) {
	sim := nubotAttack(t, events(
		at(0, action.Choice{Place: &action.Place{Name: "ball", X: -3, Y: 2}}),
		at(20, action.Choice{Place: &action.Place{Name: "magenta1", X: 4, Y: -4, Heading: 1}}),
		at(20, action.Choice{Place: &action.Place{Name: "obstacle2", X: -4, Y: -4}}),
		at(20, action.Choice{SendOff: &action.SendOff{Robot: "cyan1", Number: -1}}), // robots of any team
	))
	sim.Steps(10)
	truth := sim.Truth()
	near := func(name string, got, want mgl64.Vec3, within float64) {
		t.Helper()
		if !(got.Sub(want).Len() <= within) {
			t.Errorf("%s is at %v, want %v", name, got, want)
		}
	}
	near("ball", truth.Ball.PosW, mgl64.Vec3{-3, 2, 0.11}, 0.01)
	near("magenta1", truth.Robots[1].PoseWB.Pos, mgl64.Vec3{4, -4, 0}, 0.02)
	near("obstacle2", truth.Obstacles[1].PoseWO.Pos, mgl64.Vec3{-4, -4, 0}, 0.02)
	must.Near(t, "heading of magenta1", truth.Robots[1].PoseWB.Heading(), 1, 0.01)
	// Outside of the boards, in the half that its team defends.
	field := &sim.World().Field
	beyond := -field.Width/2 - field.Border - physics.BoardThickness - sim.World().Robots[0].Body.Radius
	if p := truth.Robots[0].PoseWB.Pos; !(p[1] < beyond && p[1] > beyond-0.5 && p[0] < 0 && p[0] > -field.Length/2) {
		t.Errorf("cyan1 at %v, want y = %v", p, beyond)
	}
}

// Do places a body at once, for the truth and for the scene.
func TestPlacingIsSeenAtOnce(t *testing.T) {
	sim := nubotAttack(t)
	sim.Must(&action.Place{Name: "magenta1", X: 1, Y: 2})
	scenery, want := sim.Sensors().Scenery(), mgl64.Vec3{1, 2, 0}
	truth, body := sim.Truth().Robots[1].PoseWB.Pos, scenery.Poses(sim.Truth(), nil)[scenery.Robot(1)].Pos
	if truth != want || body != want {
		t.Errorf("the truth has the robot at %v, the scene at %v, want %v", truth, body, want)
	}
}

// Events and Go programs can kick a ball within a reach, at an elevation. No robot kicks while ball handling is off.
func TestKickWithinReach(t *testing.T) {
	lob := at(20, action.Choice{Kick: &action.Kick{Robot: "cyan1", Way: "lob", LobSpeed: 5,
		LobElevation: math.Atan2(0.6, 0.8), Reach: 0.4, ReachAngle: 0.17, Absolute: true, Now: true, Limit: 9}})
	handling := func(ms int, set action.SetBallHandling) worlds.Event {
		return at(ms, action.Choice{SetBallHandling: &set})
	}
	for name, c := range map[string]struct {
		events []worlds.Event
		want   float64 // upwards, m/s
	}{
		"an event":               {[]worlds.Event{lob}, 3},
		"stopped":                {[]worlds.Event{handling(10, action.SetBallHandling{Team: physics.Cyan}), lob}, 0},
		"the other team stopped": {[]worlds.Event{handling(10, action.SetBallHandling{Team: physics.Magenta}), lob}, 3},
		"stopped, and started": {[]worlds.Event{handling(10, action.SetBallHandling{}),
			handling(15, action.SetBallHandling{Robot: "cyan1", Enable: true}), lob}, 3},
	} {
		sim := nubotAttack(t, events(c.events...), func(w *worlds.World) {
			w.Robots[0].Pose = worlds.Pose{}
			w.Ball.X, w.Ball.Y = 0.37, 0.02
		})
		up := 0.0
		sim.OnStep(func(s *physics.Snapshot) { up = max(up, s.Ball.TwistInW.Lin[2]) })
		sim.Steps(10)
		must.Near(t, name+": upward speed of the ball", up, c.want, 0.06) // gravity reduces it by 0.05 in a step
	}
}

// The robot takes the ball in front of it and shoots it. Both requests wait for their step.
func TestAskDribblesAndKicks(t *testing.T) {
	sim := nubotAttack(t, func(w *worlds.World) { w.Ball.X, w.Ball.Y = 0.85, -0.4 })
	fastest := 0.0 // highest speed of the ball in the steps during the last request, which may be more than it needs
	sim.OnStep(func(now *physics.Snapshot) { fastest = max(fastest, now.Ball.TwistInW.Lin.Len()) })
	ask := func(c action.Command) (outcome command.Outcome) {
		t.Helper()
		done := make(chan error, 1)
		go func() {
			var err error
			outcome, err = sim.Ask(t.Context(), nil, c)
			done <- err
		}()
		for fastest = 0; ; {
			sim.Steps(1)
			select {
			case err := <-done:
				must.Do(t, err)
				return outcome
			default:
			}
		}
	}
	shot := &action.Kick{Robot: "cyan1", Way: "flat", Speed: 5, Limit: 15, Now: true}
	if o := ask(shot); o.Kicked {
		t.Error("a ball that is not held was kicked")
	}
	if o := ask(&action.Dribble{Robot: "cyan1", Enable: true}); !o.Holding {
		t.Errorf("the ball at %v was not taken", sim.Truth().Ball.PosW)
	}
	if o := ask(shot); !o.Kicked {
		t.Error("the held ball was not kicked")
	}
	sim.Steps(2)
	must.Near(t, "speed of the ball", fastest, 5, 1)
	if _, err := sim.Ask(t.Context(), nil, &action.Dribble{Robot: "nobody"}); err == nil {
		t.Error("an unknown robot was asked")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sim.Ask(ctx, nil, &action.Dribble{Robot: "cyan1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled request returned %v, want %v", err, context.Canceled)
	}
	sim.Close()
	if _, err := sim.Ask(t.Context(), nil, &action.Dribble{Robot: "cyan1"}); !errors.Is(err, omnipitch.ErrClosed) {
		t.Errorf("a request to a closed simulation returned %v, want %v", err, omnipitch.ErrClosed)
	}
}

// An invalid command is an error that names its field. It does not reach the engine, and the robot continues as before.
func TestInvalidCommandsAreRefused(t *testing.T) {
	sim := nubotAttack(t)
	sim.Must(&action.Drive{Robot: "cyan1", VX: 1})
	for _, bad := range []float64{math.NaN(), math.Inf(-1), 1e308} {
		must.Fail(t, sim.Do(&action.Drive{Robot: "cyan1", Omega: bad}), "omega", bad)
		must.Refuse(sim.Ask(t.Context(), nil, &action.Kick{Robot: "cyan1", Way: "lob", LobSpeed: bad, Now: true}))(t,
			"speed", bad)
	}
	sim.Steps(200)
	must.Near(t, "speed of cyan1", sim.Truth().Robots[0].TwistWBInB().VX, 1, 0.05)
}

// An event moves the goalkeeper's extension out, and the rules move it back in. It is no command of the robot: lockstep
// continues to wait for the robot.
func TestEventExtendsARobot(t *testing.T) {
	sim := nubotAttack(t, events(at(100, action.Choice{Extend: &action.Extend{Robot: "magenta1", To: "right"}})))
	for _, c := range []struct {
		steps int
		want  physics.ExtensionState
	}{{20, physics.NotExtended}, {1, physics.ExtendRight}, {198, physics.ExtendRight}, {3, physics.NotExtended}} {
		sim.Steps(c.steps)
		must.Equal(t, sim.Truth().Robots[1].Extension, c.want, "at %v: extension", sim.Truth().Time)
	}
	for _, r := range sim.RunFor(5 * time.Millisecond).Robots {
		if r.Commands != 0 {
			t.Errorf("%s has commanded %d times, want 0", r.Robot, r.Commands)
		}
	}
}

// The shipped robots' controllers request no more force than the floor supports, so wheels do not slip. After driving
// straight, in curves, turning and stopping, perfect encoders still give the heading to half a degree.
func TestShippedRobotsDriveWithoutSlipping(t *testing.T) {
	for robot, name := range []string{"cyan1", "magenta1"} {
		sim := nubotAttack(t, simtest.EachSensor(func(c *sensors.Config) {
			if c.Kind == "odometry" {
				c.Odometry.ScaleError = 0
			}
		}), func(w *worlds.World) {
			w.Obstacles = nil
			w.Ball.X, w.Ball.Y = -6, 5
			for i := range w.Robots {
				w.Robots[i].Pose = worlds.Pose{X: -2, Y: 4 * float64(i)}
			}
		})
		var odometry spatial.Pose
		sim.On(name, "odometry", func(o *sensors.Observation) {
			odometry = o.Reading.(*sensors.OdometryReading).PoseOB
		})
		before := sim.Truth().Robots[robot].PoseWB
		for _, part := range []struct {
			steps     int
			vx, omega float64
		}{{150, 1.5, 0}, {150, 1, 0.5}, {100, 0, 0}, {100, 0, -1.5}, {150, 0, 1.5}, {150, -1, 0}, {100, 0, 0}} {
			sim.Must(&action.Drive{Robot: name, VX: part.vx, Omega: part.omega})
			sim.Steps(part.steps)
		}
		moved := before.Inverse().Mul(sim.Truth().Robots[robot].PoseWB)
		must.Near(t, name+": error of odometry's heading", spatial.WrapAngle(moved.Heading()-odometry.Heading()), 0,
			0.5*math.Pi/180)
		must.Near(t, name+": error of odometry's position", moved.Pos.Sub(odometry.Pos).Len(), 0, 0.02)
	}
}

// A robot is connected to its programs at time 0, after action RestoreWires and after a restart.
func TestWired(t *testing.T) {
	sim := nubotAttack(t)
	for _, c := range []struct {
		do   action.Action
		want bool
	}{
		{&action.Drive{Robot: "cyan1"}, true}, {&action.CutWires{Robot: "cyan1"}, false},
		{&action.CutWires{Robot: "cyan1"}, false}, {&action.RestoreWires{Robot: "cyan1"}, true},
		{&action.CutWires{Robot: "cyan1"}, false}, {&action.Reset{}, true},
	} {
		sim.Must(c.do)
		sim.Steps(1)
		if got := sim.Match().Wired("cyan1"); got != c.want || !sim.Match().Wired("magenta1") {
			t.Errorf("after %T: wired %v, want %v; magenta1: %v", c.do, got, c.want, sim.Match().Wired("magenta1"))
		}
	}
	if err := sim.Do(&action.CutWires{Robot: "cyan9"}); err == nil || sim.Do(&action.RestoreWires{}) == nil {
		t.Errorf("wires of no robot are cut: %v", err)
	}
}

func TestAlarmsRingAtTheirStep(t *testing.T) {
	sim := planar(t)
	var once, often, fast []string
	note := func(list *[]string) func(time.Duration) {
		return func(due time.Duration) { *list = append(*list, fmt.Sprint(due, "@", sim.Truth().Time)) }
	}
	const ms = time.Millisecond
	sim.Clock().After(12*ms, note(&once))
	sim.Clock().Every(10*ms, note(&often))
	stop := sim.Clock().Every(2*ms, note(&fast))
	never := sim.Clock().After(20*ms, func(time.Duration) { t.Error("a stopped timer rang") })
	sim.Steps(2)
	stop()
	never()
	sim.Steps(4)
	for _, c := range []struct {
		got  []string
		want string
	}{
		{once, "12ms@15ms"}, {often, "10ms@10ms 20ms@20ms 30ms@30ms"},
		{fast, "2ms@5ms 4ms@5ms 6ms@10ms 8ms@10ms 10ms@10ms"},
	} {
		must.Equal(t, strings.Join(c.got, " "), c.want, "alarms")
	}
}

// drive runs a world with commands and returns a hash of its last state and of noise.
func drive(t testing.TB, seed uint64) uint64 {
	sim := nubotAttack(t, func(w *worlds.World) { w.Seed = seed })
	var noise float64
	sim.On("cyan1", "imu", func(o *sensors.Observation) { noise += o.Reading.(*sensors.IMUReading).AccelS[0] })
	for n := range 600 {
		sim.Must(&action.Drive{Robot: "cyan1", VX: 2, Omega: float64(n%50) / 20},
			&action.Drive{Robot: "magenta1", VY: float64(n%100)/50 - 1})
		sim.Steps(1)
	}
	return sim.Truth().Hash() ^ uint64(int64(noise*1e9))
}

const hashEnv = "OMNIPITCH_TEST_PRINT_HASH"

func TestTwoProcessesReachTheSameState(t *testing.T) {
	want := drive(t, 7)
	if os.Getenv(hashEnv) != "" {
		fmt.Printf("hash=%x\n", want)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestTwoProcessesReachTheSameState$")
	cmd.Env = append(os.Environ(), hashEnv+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("hash=%x\n", want)) {
		t.Errorf("another process: %v\n%s\nwant hash=%x", err, out, want)
	}
	if drive(t, 8) == want {
		t.Error("another seed gives the same noise")
	}
}

// The number and levels of the sensors do not change the motion of bodies, on either engine.
func TestSensorsDoNotChangeThePhysics(t *testing.T) {
	for _, engine := range []string{"ode", "planar"} {
		var hashes []uint64
		for _, sensing := range []func(*worlds.World){
			func(*worlds.World) {},
			func(w *worlds.World) {
				for i := range w.Robots {
					w.Robots[i].Sensors = nil
				}
			},
			simtest.AtLevel(abstraction.Truth),
		} {
			sim := nubotAttack(t, func(w *worlds.World) { w.Physics.Engine = engine }, sensing)
			sim.OnAll(func(*sensors.Observation) {})
			for n := range 200 {
				sim.Must(&action.Drive{Robot: "cyan1", VX: 2, Omega: float64(n%50) / 20})
				sim.Steps(1)
			}
			hashes = append(hashes, sim.Truth().Hash())
		}
		if len(slices.Compact(slices.Clone(hashes))) != 1 {
			t.Errorf("%s: hashes %x, want equal ones", engine, hashes)
		}
	}
}
