package robotio

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Messages of Gazebo's own nodes, field by field.
type (
	gazeboPose struct {
		Position    msg.Vector3
		Orientation struct{ X, Y, Z, W float64 }
	}
	modelStates struct {
		Name  []string
		Pose  []gazeboPose
		Twist []msg.Twist
	}
	modelState struct {
		ModelName      string
		Pose           gazeboPose
		Twist          msg.Twist
		ReferenceFrame string
	}
	setModelState struct{ ModelState modelState }
	stateSet      struct {
		Success       bool
		StatusMessage string
	}
)

// A body's state from /gazebo/model_states, sent back to /gazebo/set_model_state as a message or a service call, leaves
// the body unchanged. This holds for robots of both teams, the ball and obstacles, moving and turning.
func TestModelStatesRoundTrip(t *testing.T) {
	for _, engine := range []string{"ode", "planar"} {
		t.Run(engine, func(t *testing.T) {
			r := newRig(t, func(w *worlds.World) {
				w.Physics.Engine = engine
				w.Ball.X, w.Ball.Y = -5, -3
				w.Ball.VX, w.Ball.VY, w.Ball.VZ = 1, 0.5, 3
			})
			profile := compiled(t, "nubot")
			of := profile.NewContext(r.sim.World(), 0)
			one := func(entries []*mapping.Entry, name string) *mapping.Instance {
				for _, i := range mapping.Instances(entries, of) {
					if i.Name == name {
						return &i
					}
				}
				t.Fatal("no", name)
				return nil
			}
			states := one(profile.Publications, "/gazebo/model_states")
			topic := one(profile.Subscriptions, "/gazebo/set_model_state")
			service := one(profile.Servers, "/gazebo/set_model_state")
			decode := must.Get(msg.Compile[modelStates](states.Topic))(t)
			toTopic := must.Get(msg.Compile[modelState](topic.Topic))(t)
			toService := must.Get(msg.Compile[setModelState](service.Service.Request))(t)
			step := func() { r.run(5*time.Millisecond, timesync.Max) }
			drive := func(robot string, vx, omega float64) { r.do(&action.Drive{Robot: robot, VX: vx, Omega: omega}) }
			drive("cyan1", 1, 0.5)
			drive("magenta1", 0.7, -0.8)
			r.do(&action.Place{Name: "obstacle1", X: 3, Y: 4, Heading: 0.3, VX: 2, WZ: 1})
			for range 20 {
				step()
			}

			for _, set := range []struct {
				name string
				one  func(*modelState) error
			}{
				{"topic", func(m *modelState) error { return r.bridge.execute(topic, toTopic.Append(nil, m)) }},
				{"service", func(m *modelState) error {
					return r.bridge.execute(service, toService.Append(nil, &setModelState{*m}))
				}},
			} {
				before := poses(r.sim.Truth())
				c := states.Context
				c.Truth = r.sim.Truth()
				var m modelStates
				must.Do(t, decode.Decode(states.Template.Append(nil, &c), &m))
				for i := range m.Name {
					must.Do(t, set.one(&modelState{ModelName: m.Name[i], Pose: m.Pose[i], Twist: m.Twist[i]}))
				}
				step() // the states are set at the end of the step
				after := poses(r.sim.Truth())
				for i, name := range m.Name {
					b, a := before[i], after[i]
					// Set bodies are upright on the floor. In ODE they sink and tilt by tenths of a millimetre and of a
					// milliradian.
					if d := a.pose.Pos.Sub(b.pose.Pos).Len(); !(d <= 5e-4) {
						t.Errorf("%s: %s is %.3g m from where it was", set.name, name, d)
					}
					if d := spatial.WrapAngle(a.pose.Heading() - b.pose.Heading()); !(math.Abs(d) <= 1e-9) &&
						name != "football" {
						t.Errorf("%s: %s is turned by %.3g°", set.name, name, d/spatial.Degree)
					}
					if d := a.twist.Lin.Sub(b.twist.Lin).Len() + a.twist.Ang.Sub(b.twist.Ang).Len(); !(d <= 1e-9) {
						t.Errorf("%s: the twist of %s has changed by %.3g: %v, %v", set.name, name, d, b.twist, a.twist)
					}
					if v := b.twist.Lin.Len(); !(v > 0.1) && name != "obstacle2" {
						t.Errorf("%s moves at %.3g m/s: its twist proves little", name, v)
					}
				}
			}
		})
	}
}

// moving is the pose and the twist of a body in W.
type moving struct {
	pose  spatial.Pose
	twist spatial.Twist
}

// poses lists the ball, the robots and the obstacles in the order of /gazebo/model_states.
func poses(s *physics.Snapshot) (all []moving) {
	all = append(all, moving{spatial.Pose{Pos: s.Ball.PosW, Rot: mgl64.QuatIdent()}, s.Ball.TwistInW})
	for i := range s.Robots {
		all = append(all, moving{s.Robots[i].PoseWB, s.Robots[i].TwistWBInW})
	}
	for i := range s.Obstacles {
		all = append(all, moving{s.Obstacles[i].PoseWO, s.Obstacles[i].TwistWOInW})
	}
	return all
}

func compiled(t *testing.T, name string) *mapping.Compiled {
	t.Helper()
	p := must.Get(mapping.Load(name))(t)
	c := must.Get(mapping.Compile(p))(t)
	return c
}

// A referee in another node reads a rival's heading and sends the rival back there. It works with the profile nubot,
// which turns magenta's bodies, and with gazebo, which does not.
func TestModelStatesRoundTripOverTheWire(t *testing.T) {
	for profile, turned := range map[string]float64{"nubot": math.Pi, "gazebo": 0} {
		t.Run(profile, func(t *testing.T) {
			const looks = 6 * spatial.Degree
			r := newRig(t, func(w *worlds.World) {
				for i := range w.Robots {
					w.Robots[i].ROS1.Profiles = []string{profile}
				}
				w.Robots[1].Pose.Heading = looks
			})
			m := receive[modelStates](r, "/gazebo/model_states", "gazebo_msgs/ModelStates")
			for i, name := range m.Name {
				if name != "magenta1" {
					continue
				}
				yaw := 2 * math.Atan2(m.Pose[i].Orientation.Z, m.Pose[i].Orientation.W)
				must.Near(t, "the yaw that is read", spatial.WrapAngle(yaw-looks-turned), 0, 1e-3)
				m.Pose[i].Position.X -= 0.5
				answer := call[setModelState, stateSet](r, "/gazebo/set_model_state", "gazebo_msgs/SetModelState",
					&setModelState{modelState{ModelName: name, Pose: m.Pose[i]}})
				if !answer.Success {
					t.Fatal(answer.StatusMessage)
				}
				want := m.Pose[i].Position.X
				r.until("the robot to be there",
					func() bool { return abs(r.sim.Truth().Robots[1].PoseWB.Pos[0]-want) < 1e-3 })
				must.Near(t, "the heading that was set", r.sim.Truth().Robots[1].PoseWB.Heading(), looks, 1e-3)
			}
		})
	}
}

// /gazebo/set_model_state reports requests that it cannot carry out, as Gazebo's does, and changes nothing: unknown
// names, the field, and frames of other models. For requests on the topic, the run reports the error.
func TestSetModelStateSaysWhatIsNotDone(t *testing.T) {
	r := newRig(t, func(w *worlds.World) { w.Robots[0].ROS1.Profiles = []string{"gazebo"}; w.Robots = w.Robots[:1] })
	set := func(m modelState) *stateSet {
		m.Pose.Position.X, m.Pose.Position.Z, m.Pose.Orientation.W = 1.25, 0.11, 1
		return call[setModelState, stateSet](r, "/gazebo/set_model_state", "gazebo_msgs/SetModelState",
			&setModelState{m})
	}
	for _, c := range []struct{ model, frame, want string }{
		{"NuBot9", "", `"NuBot9" is neither a robot nor an obstacle, nor is it "football": nothing is moved`},
		{"field", "world", `"field" is neither a robot nor an obstacle, nor is it "football": nothing is moved`},
		{"Cyan1", "",
			`"Cyan1" is neither a robot nor an obstacle, nor is it "football": nothing is moved; did you mean cyan1?`},
		{"", "", "name: must be given"},
		{"football", "left_goal", `"left_goal" is neither a robot nor an obstacle, nor is it "football": nothing is moved`},
	} {
		if got := set(modelState{ModelName: c.model, ReferenceFrame: c.frame}); got.Success ||
			got.StatusMessage != c.want {
			t.Errorf("%q in %q: %v, %q; want %q", c.model, c.frame, got.Success, got.StatusMessage, c.want)
		}
	}
	for _, frame := range []string{"", "world", "map"} {
		if got := set(modelState{ModelName: "cyan1", ReferenceFrame: frame}); !got.Success || got.StatusMessage != "" {
			t.Errorf("in frame %q: %v, %q", frame, got.Success, got.StatusMessage)
		}
	}
	r.until("the robot to be there", func() bool { return abs(r.sim.Truth().Robots[0].PoseWB.Pos[0]-1.25) < 1e-3 })

	p := advertise[modelState](r, "/gazebo/set_model_state", "gazebo_msgs/ModelState")
	r.until("the subscriber", func() bool { return p.NumSubscribers() > 0 })
	for _, c := range []struct{ model, frame, want string }{
		{"NuBot9", "",
			`/gazebo/set_model_state: "NuBot9" is neither a robot nor an obstacle, nor is it "football": nothing is moved`},
	} {
		p.Publish(&modelState{ModelName: c.model, ReferenceFrame: c.frame})
		must.Fail(t, r.refusal(func() {}), c.want)
	}
}

// Gazebo's services pause and restart a simulation, whether paused or not. reset_simulation also resets the time to 0;
// reset_world keeps the time. Topics keep their rates. The simulation still waits for a robot that acknowledges the
// clock, whatever earlier times that robot acknowledges.
func TestGazeboResets(t *testing.T) {
	r, acks := newAcknowledged(t)
	times := make(chan time.Duration, 1e5)
	must.Get(ros1.Subscribe(r.robot, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) {
		times <- m.Clock.Since()
		acks.Publish(m)
		acks.Publish(&msg.Clock{Clock: msg.TimeFrom(m.Clock.Since() + 100*time.Second)}) // a time in the future
	}))(t)
	states := subscribe[modelStates](r, "/gazebo/model_states", "gazebo_msgs/ModelStates")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.sim.Run(ctx, omnipitch.Pace{Speed: timesync.Lockstep})
		ended <- err
	}()
	await := func(what string, ok func(now time.Duration) bool) {
		t.Helper()
		for limit := time.After(deadline); ; {
			select {
			case now := <-times:
				if ok(now) {
					return
				}
			case err := <-ended:
				t.Fatalf("the run ended before %s: %v", what, err)
			case <-limit:
				t.Fatalf("waited %v for %s", deadline, what)
			}
		}
	}
	tell := func(service string) {
		t.Helper()
		call, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		type empty struct{}
		if _, err := ros1.Call[empty, empty](call, r.robot, "/gazebo/"+service, "std_srvs/Empty",
			&empty{}); err != nil {
			t.Fatalf("%s: %v", service, err)
		}
	}
	ballX := func() float64 { return states.newest().Pose[0].Position.X }
	start := func() float64 { x, _ := r.sim.World().Ball.Start(); return x[0] }

	await("a second", func(now time.Duration) bool { return now >= time.Second && states.newest() != nil })
	tell("reset_simulation")
	await("time 0", func(now time.Duration) bool { return now == 0 })
	states.mu.Lock()
	states.m = nil
	states.mu.Unlock()
	await("states after the reset", func(now time.Duration) bool {
		if now > 500*time.Millisecond {
			t.Fatalf("no /gazebo/model_states by %v after the reset", now)
		}
		return states.newest() != nil
	})
	if states.newest().Name[0] != "football" {
		t.Fatalf("model_states begin with %v, want the ball", states.newest().Name)
	}

	put := &setModelState{ModelState: modelState{ModelName: "football"}}
	put.ModelState.Pose.Position.X, put.ModelState.Pose.Orientation.W = 4, 1
	tell("pause_physics")
	must.Get(ros1.Call[setModelState, stateSet](ctx, r.robot, "/gazebo/set_model_state",
		"gazebo_msgs/SetModelState", put))(t)
	tell("unpause_physics")
	await("the ball where it was put", func(now time.Duration) bool { return ballX() > 3.9 })
	tell("reset_world")
	last := time.Duration(0)
	await("the ball where it began", func(now time.Duration) bool {
		if now < last {
			t.Fatalf("reset_world set the clock to %v after %v", now, last)
		}
		last = now
		return ballX() < start()+0.1
	})

	tell("pause_physics")
	tell("reset_simulation") // while the simulation is paused
	await("time 0 while paused", func(now time.Duration) bool { return now == 0 })
	if now := r.sim.Clock().Time(); now != 0 || !r.sim.Clock().Paused() {
		t.Errorf("at %v, paused: %v; want 0 and paused", now, r.sim.Clock().Paused())
	}
	tell("unpause_physics")
	await("half a second", func(now time.Duration) bool { return now >= 500*time.Millisecond })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
