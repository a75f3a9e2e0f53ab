package omnipitch

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/command"
)

// blank is a renderer in memory that fills each image with a grey value that depends on the frame.
type blank struct {
	mu     sync.Mutex
	frames int
	gate   chan struct{} // if not nil, each frame waits for it
	closed bool
}

func (b *blank) Render(f *render.Batch) error {
	if b.gate != nil {
		<-b.gate
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.frames++
	for i := range f.Views {
		if v := &f.Views[i]; v.Color != nil {
			for k := range v.Color.Pix {
				v.Color.Pix[k] = 128
			}
		}
		if v := &f.Views[i]; v.Depth != nil {
			for k := range v.Depth.Z {
				v.Depth.Z[k] = 2
			}
		}
	}
	return nil
}

func (b *blank) Close() { b.closed = true }

func attack(t testing.TB, change func(*worlds.World)) (*Sim, *blank) {
	t.Helper()
	w, err := worlds.Load("nubot-attack")
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(w)
	}
	b := &blank{}
	sim, err := New(w, Options{NewRenderer: func(*render.Scene) (render.Renderer, error) { return b, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	return sim, b
}

func steps(t testing.TB, sim *Sim, n int) {
	t.Helper()
	for range n {
		if err := sim.Step(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPlaceEvents(t *testing.T) {
	sim, _ := attack(t, func(w *worlds.World) {
		w.Events = []worlds.Event{
			{At: 0, Choice: action.Choice{Place: &action.Place{Name: "ball", X: -3, Y: 2}}},
			{At: 20 * time.Millisecond, Choice: action.Choice{Place: &action.Place{Name: "magenta1", X: 4, Y: -4,
				Heading: 1}}},
			{At: 20 * time.Millisecond, Choice: action.Choice{Place: &action.Place{Name: "obstacle2", X: -4, Y: -4}}},
			// robots of any team
			{At: 20 * time.Millisecond, Choice: action.Choice{SendOff: &action.SendOff{Robot: "cyan1", Number: -1}}},
		}
	})
	steps(t, sim, 10)
	truth := sim.Truth()
	if p := truth.Ball.PosW; !(p.Sub([3]float64{-3, 2, 0.11}).Len() <= 0.01) {
		t.Errorf("ball at %v", p)
	}
	if p := truth.Robots[1].PoseWB; !(p.Pos.Sub([3]float64{4, -4, 0}).Len() <= 0.02) || !(p.Heading() >= 0.99) ||
		!(p.Heading() <= 1.01) {
		t.Errorf("magenta1 at %v, heading %v", p.Pos, p.Heading())
	}
	// Outside of the boards, in the half that its team defends.
	field := &sim.World().Field
	beyond := -field.Width/2 - field.Border - physics.BoardThickness - sim.World().Robots[0].Body.Radius
	if p := truth.Robots[0].PoseWB.Pos; !(p[1] < beyond && p[1] > beyond-0.5 && p[0] < 0 && p[0] > -field.Length/2) {
		t.Errorf("cyan1 at %v, want y = %v", p, beyond)
	}
	if p := truth.Obstacles[1].PoseWO.Pos; !(p.Sub([3]float64{-4, -4, 0}).Len() <= 0.02) {
		t.Errorf("obstacle2 at %v", p)
	}
}

// Events and Go programs can kick a ball within a reach, at an elevation. No robot kicks while ball handling is off.
func TestKickWithinReach(t *testing.T) {
	lob := &action.Kick{Robot: "cyan1", Way: "lob", LobSpeed: 5, LobElevation: math.Atan2(0.6, 0.8), Reach: 0.4,
		ReachAngle: 0.17, Absolute: true, Now: true, Limit: 9}
	for _, c := range []struct {
		name   string
		events []worlds.Event
		want   float64 // upwards, m/s
	}{
		{"an event", []worlds.Event{{At: 20 * time.Millisecond, Choice: action.Choice{Kick: lob}}}, 3},
		{"stopped", []worlds.Event{
			{At: 10 * time.Millisecond,
				Choice: action.Choice{SetBallHandling: &action.SetBallHandling{Team: physics.Cyan}}},
			{At: 20 * time.Millisecond, Choice: action.Choice{Kick: lob}},
		}, 0},
		{"the other team stopped", []worlds.Event{
			{At: 10 * time.Millisecond,
				Choice: action.Choice{SetBallHandling: &action.SetBallHandling{Team: physics.Magenta}}},
			{At: 20 * time.Millisecond, Choice: action.Choice{Kick: lob}},
		}, 3},
		{"stopped, and started", []worlds.Event{
			{At: 10 * time.Millisecond, Choice: action.Choice{SetBallHandling: &action.SetBallHandling{}}},
			{At: 15 * time.Millisecond, Choice: action.Choice{SetBallHandling: &action.SetBallHandling{Robot: "cyan1",
				Enable: true}}},
			{At: 20 * time.Millisecond, Choice: action.Choice{Kick: lob}},
		}, 3},
	} {
		sim, _ := attack(t, func(w *worlds.World) {
			w.Robots[0].Pose = worlds.Pose{}
			w.Ball.X, w.Ball.Y = 0.37, 0.02
			w.Events = c.events
		})
		up := 0.0
		sim.OnStep(func(s *physics.Snapshot) { up = max(up, s.Ball.TwistInW.Lin[2]) })
		steps(t, sim, 10)
		if !scalar.EqualWithinAbs(up, c.want, 0.06) { // gravity reduces it by 0.05 in a step
			t.Errorf("%s: the ball rose at %v m/s, want %v", c.name, up, c.want)
		}
	}
}

// The robot takes the ball in front of it and shoots it. Both requests wait for their step.
func TestAskDribblesAndKicks(t *testing.T) {
	sim, _ := attack(t, func(w *worlds.World) { w.Ball.X, w.Ball.Y = 0.85, -0.4 })
	fastest := 0.0 // highest speed of the ball in the steps during the last request, which may be more than it needs
	step := func(n int) {
		for range n {
			steps(t, sim, 1)
			fastest = max(fastest, sim.Truth().Ball.TwistInW.Lin.Len())
		}
	}
	ask := func(c action.Command) command.Outcome {
		t.Helper()
		answer := make(chan command.Outcome, 1)
		go func() {
			o, err := sim.Ask(context.Background(), nil, c)
			if err != nil {
				t.Error(err)
			}
			answer <- o
		}()
		for fastest = 0; ; {
			step(1)
			select {
			case o := <-answer:
				return o
			default:
			}
		}
	}
	if o := ask(&action.Kick{Robot: "cyan1", Way: "flat", Speed: 5, Limit: 15, Now: true}); o.Kicked {
		t.Error("a ball that is not held was kicked")
	}
	if o := ask(&action.Dribble{Robot: "cyan1", Enable: true}); !o.Holding {
		t.Errorf("the ball at %v was not taken", sim.Truth().Ball.PosW)
	}
	if o := ask(&action.Kick{Robot: "cyan1", Way: "flat", Speed: 5, Limit: 15, Now: true}); !o.Kicked {
		t.Error("the held ball was not kicked")
	}
	step(2)
	if !(fastest >= 4 && fastest <= 6) {
		t.Errorf("the ball leaves at %v m/s, want about 5", fastest)
	}
	if _, err := sim.Ask(context.Background(), nil, &action.Dribble{Robot: "nobody"}); err == nil {
		t.Error("an unknown robot was asked")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := sim.Ask(ctx, nil, &action.Dribble{Robot: "cyan1"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled request returned %v", err)
	}
	sim.Close()
	if _, err := sim.Ask(context.Background(), nil, &action.Dribble{Robot: "cyan1"}); !errors.Is(err, ErrClosed) {
		t.Errorf("a request to a closed simulation returned %v", err)
	}
}

// An invalid command is an error that names the robot. It does not reach the engine, and the robot continues as before.
func TestHostileCommandsAreRefusedByName(t *testing.T) {
	sim, _ := attack(t, nil)
	if err := sim.Do(&action.Drive{Robot: "cyan1", VX: 1}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1), 1e308} {
		err := sim.Do(&action.Drive{Robot: "cyan1", Omega: bad})
		if err == nil || !strings.Contains(err.Error(), "omega") {
			t.Errorf("%v: %v", bad, err)
		}
		_, err = sim.Ask(context.Background(), nil, &action.Kick{Robot: "cyan1", Way: "lob", LobSpeed: bad, Now: true})
		if err == nil || !strings.Contains(err.Error(), "speed") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	steps(t, sim, 200)
	if v := sim.Truth().Robots[0].TwistWBInB().VX; !scalar.EqualWithinAbs(v, 1, 0.05) {
		t.Errorf("drives at %v m/s, told 1", v)
	}
}

// An event moves the goalkeeper's extension out, and the rules move it back in.
func TestEventExtendsTheFrame(t *testing.T) {
	sim, _ := attack(t, func(w *worlds.World) {
		w.Events = append(w.Events, worlds.Event{At: 100 * time.Millisecond,
			Choice: action.Choice{Extend: &action.Extend{Robot: "magenta1", To: "right"}}})
	})
	at := func(n int, want physics.ExtensionState) {
		t.Helper()
		steps(t, sim, n)
		if got := sim.Truth().Robots[1].Extension; got != want {
			t.Errorf("at %v: frame at %d, want %d", sim.Truth().Time, got, want)
		}
	}
	at(20, physics.NotExtended)
	at(1, physics.ExtendRight)
	at(198, physics.ExtendRight)
	at(3, physics.NotExtended)
}

// The shipped robots' controllers request no more force than the floor supports, so wheels do not slip. After driving
// straight, in curves, turning and stopping, perfect encoders still give the heading to half a degree.
func TestShippedRobotsDriveWithoutSlipping(t *testing.T) {
	for robot, name := range []string{"cyan1", "magenta1"} {
		sim, _ := attack(t, func(w *worlds.World) {
			w.Obstacles = nil
			w.Ball.X, w.Ball.Y = -6, 5
			for i := range w.Robots {
				w.Robots[i].Pose = worlds.Pose{X: -2, Y: 4 * float64(i)}
				for j := range w.Robots[i].Sensors {
					if c := &w.Robots[i].Sensors[j]; c.Kind == "odometry" {
						c.Odometry.ScaleError = 0
					}
				}
			}
		})
		var believed spatial.Pose
		if _, err := sim.Listen(name, "odometry",
			Listener{Observe: func(o *sensors.Observation) {
				believed = o.Reading.(*sensors.OdometryReading).PoseOB
			}}); err != nil {
			t.Fatal(err)
		}
		before := sim.Truth().Robots[robot].PoseWB
		for _, part := range []struct {
			steps int
			twist physics.PlanarTwist
		}{
			{150, physics.PlanarTwist{VX: 1.5}}, {150, physics.PlanarTwist{VX: 1, Omega: 0.5}},
			{100, physics.PlanarTwist{}},
			{100, physics.PlanarTwist{Omega: -1.5}}, {150, physics.PlanarTwist{Omega: 1.5}},
			{150, physics.PlanarTwist{VX: -1}}, {100, physics.PlanarTwist{}},
		} {
			if err := sim.Do(&action.Drive{Robot: name, VX: part.twist.VX, Omega: part.twist.Omega}); err != nil {
				t.Fatal(err)
			}
			steps(t, sim, part.steps)
		}
		moved := before.Inverse().Mul(sim.Truth().Robots[robot].PoseWB)
		if off := math.Abs(spatial.WrapAngle(moved.Heading() - believed.Heading())); !(off <= 0.5*math.Pi/180) {
			t.Errorf("%s believes in a heading that is %.2f° off", name, off*180/math.Pi)
		}
		if off := moved.Pos.Sub(believed.Pos).Len(); !(off <= 0.02) {
			t.Errorf("%s believes in a place that is %.3f m off", name, off)
		}
	}
}

func BenchmarkStepAllObjects(b *testing.B) {
	sim, _ := attack(b, func(w *worlds.World) {
		for i := range w.Robots {
			for j := range w.Robots[i].Sensors {
				if c := &w.Robots[i].Sensors[j]; abstraction.Objects.In(c.Kind.Levels()) {
					c.Level = abstraction.Objects
				}
			}
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		steps(b, sim, 1)
	}
}
