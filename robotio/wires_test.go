package robotio

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/foxglove"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/rosbridge"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// stamps collects the stamps of a topic's messages that arrived over one wire.
type stamps struct{ must.List[time.Duration] }

// after reports whether a stamp is later than from and, unless to is 0, earlier than to.
func (s *stamps) after(from, to time.Duration) bool {
	return slices.ContainsFunc(s.All(), func(t time.Duration) bool { return t > from && (to == 0 || t < to) })
}

// overEachWire subscribes to a robot's odometry over ROS 1, rosbridge and Foxglove.
func overEachWire(t *testing.T, r *rig) map[string]*stamps {
	t.Helper()
	const topic = "/cyan1/odom"
	wires := map[string]*stamps{"ROS 1": {}, "rosbridge": {}, "Foxglove": {}}
	must.Get(ros1.Subscribe(r.robot, topic, "nav_msgs/Odometry",
		func(m *msg.Odometry) { wires["ROS 1"].Add(m.Header.Stamp.Since()) }))(t)

	bridge := must.Get(rosbridge.Listen(newNode(t, r.master, "/rosbridge"), web.Config{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { bridge.Close() })
	browser := webtest.Dial(t, bridge.URL())
	browser.Send(`{"op":"subscribe","topic":%q}`, topic)
	read(t, browser, func(b []byte) {
		var m struct {
			Msg struct {
				Header struct {
					Stamp struct{ Secs, Nsecs time.Duration }
				}
			}
		}
		if json.Unmarshal(b, &m) == nil {
			wires["rosbridge"].Add(m.Msg.Header.Stamp.Secs*time.Second + m.Msg.Header.Stamp.Nsecs)
		}
	})

	server := must.Get(foxglove.Listen(newNode(t, r.master, "/foxglove"), web.Config{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { server.Close() })
	viewer := webtest.Dial(t, server.URL(), "foxglove.websocket.v1")
	subscribed := false
	read(t, viewer, func(b []byte) {
		var m struct {
			Op       string
			Channels []struct {
				ID    int
				Topic string
			}
		}
		// a message: opcode, subscription and time, then sequence number and stamp of its header
		if b[0] == 1 && len(b) > 25 {
			wires["Foxglove"].Add(time.Duration(binary.LittleEndian.Uint32(b[17:]))*time.Second +
				time.Duration(binary.LittleEndian.Uint32(b[21:])))
		} else if json.Unmarshal(b, &m) == nil && m.Op == "advertise" && !subscribed {
			for _, c := range m.Channels {
				if c.Topic == topic {
					subscribed = true
					viewer.Send(`{"op":"subscribe","subscriptions":[{"id":1,"channelId":%d}]}`, c.ID)
				}
			}
		}
	})
	return wires
}

// read passes messages to a client to f until the test ends.
func read(t *testing.T, c webtest.Client, f func([]byte)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			_, b, err := c.Conn.Read(ctx)
			if err != nil {
				return
			}
			f(b)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// While a robot's network is cut, it receives no sensor data, accepts no commands and serves no calls over any wire.
// The robot continues with its last command. Later everything works again over the same connections. Other robots are
// not affected.
func TestCutWires(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		free(w)
		w.Ball.X, w.Ball.Y = -5, 4
	})
	do := func(a action.Action) time.Duration {
		t.Helper()
		r.do(a)
		return r.sim.Truth().Time
	}
	own := overEachWire(t, r)
	var other stamps
	r.onOdometry("magenta1", other.Add)
	velocity := r.twists()
	drives := func(v float64) func() bool {
		return func() bool { return math.Abs(r.sim.Truth().Robots[0].TwistWBInB().Omega-v) < 0.05 }
	}
	command := func(omega float64) func() bool {
		return func() bool { velocity.Publish(&msg.Twist{Angular: msg.Vector3{Z: omega}}); return drives(omega)() }
	}
	r.until("the robot to turn", command(1))
	for wire, s := range own {
		r.until("odometry over "+wire, func() bool { return s.after(0, 0) })
	}
	connected := velocity.Connections()

	cut := do(&action.CutWires{Robot: "cyan1"})
	deaf := r.sim.Truth().Time + time.Second
	r.until("a second with cut wires", func() bool {
		velocity.Publish(&msg.Twist{Angular: msg.Vector3{Z: -2}})
		return r.sim.Truth().Time > deaf && other.after(cut+900*time.Millisecond, 0)
	})
	if !drives(1)() {
		t.Errorf("it does not drive on: %+v", r.sim.Truth().Robots[0].TwistWBInB())
	}
	for _, service := range []func() error{
		func() error {
			return refusedCall[msg.BallHandleRequest, msg.BallHandleResponse](r, "/cyan1/BallHandle",
				"nubot_common/BallHandle", &msg.BallHandleRequest{Enable: 1})
		},
		func() error {
			return refusedCall[msg.SetLoggerLevelRequest, msg.SetLoggerLevelResponse](r, "/cyan1/omni/set_level",
				"roscpp/SetLoggerLevel", &msg.SetLoggerLevelRequest{Level: "objects"})
		},
	} {
		must.Fail(t, service(), "robot cyan1: its wires are cut (action cut_wires)", "a service answers")
	}
	if err := refusedCall[msg.SetLoggerLevelRequest, msg.SetLoggerLevelResponse](r, "/magenta1/odometry/set_level",
		"roscpp/SetLoggerLevel", &msg.SetLoggerLevelRequest{Level: "truth"}); err != nil {
		t.Errorf("another robot's service answers %v", err)
	}

	restored := do(&action.RestoreWires{Robot: "cyan1"})
	r.until("the robot to turn the other way", command(-1))
	for wire, s := range own {
		r.until("odometry over "+wire+" again", func() bool { return s.after(restored, 0) })
		if s.after(cut, restored) {
			t.Errorf("%s: odometry from between %v and %v has come", wire, cut, restored)
		}
	}
	if now := velocity.Connections(); len(now) != len(connected) || len(now) == 0 || now[0].ID != connected[0].ID {
		t.Errorf("connections %v, before %v", now, connected)
	}
}

// refusedCall calls a service that answers at once, and returns its error.
func refusedCall[Req, Resp any](r *rig, name, typ string, req *Req) error {
	_, err := ros1.Call[Req, Resp](r.t.Context(), r.robot, name, typ, req)
	return err
}

// In lockstep, the program of a cut robot still answers the clock, but its commands have no effect. The run does not
// wait for a frame that does not reach the program.
func TestCutWiresInLockstep(t *testing.T) {
	for name, wait := range map[string]func(*timesync.WaitFor){"clock": nil,
		"a sensor": func(w *timesync.WaitFor) { w.After = "odometry" }} {
		run := func() (uint64, float64) {
			r := newRig(t, func(w *worlds.World) {
				free(w)
				waitFor(w, "cyan1", wait)
				w.Events = append(w.Events,
					worlds.Event{At: 200 * time.Millisecond,
						Choice: action.Choice{CutWires: &action.CutWires{Robot: "cyan1"}}},
					worlds.Event{At: 400 * time.Millisecond,
						Choice: action.Choice{RestoreWires: &action.RestoreWires{Robot: "cyan1"}}})
			})
			velocity := r.twists()
			answer := func(now time.Duration) {
				velocity.Publish(&msg.Twist{Angular: msg.Vector3{Z: 1 + now.Seconds()}})
			}
			if name == "clock" {
				r.onClock(answer)
			} else {
				r.onOdometry("cyan1", answer)
			}
			commanded := 0.0
			r.sim.OnStep(func(s *physics.Snapshot) {
				if s.Time == 390*time.Millisecond {
					commanded = s.Robots[0].TwistWBInB().Omega
				}
			})
			run := r.lockstep(t.Context(), 600*time.Millisecond)
			run.ended(t)
			return run.report.Hash, commanded
		}
		hash, turn := run()
		if again, _ := run(); again != hash {
			t.Errorf("after %s: two runs end differently", name)
		}
		if !(math.Abs(turn-1.2) < 0.05) {
			t.Errorf("after %s: it turns at %.3f rad/s while it is cut off, want the 1.2 rad/s of the last command "+
				"before", name, turn)
		}
	}
}
