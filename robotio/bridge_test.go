package robotio

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// deadline is how long a test waits for an expected event. Guess.
const deadline = 20 * time.Second

// rig is a simulation of nubot-attack without images, its bridge, and the node of a robot, on a ROS master that belongs
// to the test.
type rig struct {
	t      testing.TB
	sim    *omnipitch.Sim
	bridge *Bridge
	node   *ros1.Node // the bridge's
	robot  *ros1.Node // has the message types of the robots' profiles
	master string
	truth  map[time.Duration]state // state after each step, by its time

	refused    chan error               // the first refusal that was not read yet
	mismatched chan *ros1.MismatchError // all mismatches
}

// refuse stores a refusal, unless an earlier one was not read yet.
func (r *rig) refuse(err error) {
	select {
	case r.refused <- err:
	default:
	}
}

// state is the ground truth with which tests compare messages.
type state struct {
	twistsB []physics.PlanarTwist
	ballV   [3]float64
}

// newRig starts a rig after a change to the world. Cameras, odometry and IMUs are at level truth unless change sets
// others.
func newRig(t testing.TB, change func(*worlds.World)) *rig {
	t.Helper()
	return newRigWith(t, omnipitch.Options{}, change)
}

func newRigWith(t testing.TB, opts omnipitch.Options, change func(*worlds.World)) *rig {
	t.Helper()
	w := must.Get(worlds.Load("nubot-attack"))(t)
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			w.Robots[i].Sensors[j].Level = abstraction.Truth
		}
	}
	if change != nil {
		change(w)
	}
	return newRigIn(t, w, opts)
}

// newRigIn starts a rig in an unchanged world.
func newRigIn(t testing.TB, w *worlds.World, opts omnipitch.Options) *rig {
	t.Helper()
	r := &rig{t: t, truth: map[time.Duration]state{}, refused: make(chan error, 1),
		mismatched: make(chan *ros1.MismatchError, 100)}
	r.sim = must.Get(omnipitch.New(w, opts))(t)
	t.Cleanup(r.sim.Close)
	r.sim.OnStep(func(s *physics.Snapshot) {
		now := state{ballV: s.Ball.TwistInW.Lin}
		for i := range s.Robots {
			now.twistsB = append(now.twistsB, s.Robots[i].TwistWBInB())
		}
		r.truth[s.Time] = now
	})
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { master.Close() })
	r.master = master.URI()
	r.node = newNode(t, master.URI(), "/omnipitch")
	topics, _ := opts.Topics.(*Topics)
	r.bridge = must.Get(NewBridge(r.sim, r.node, Options{Topics: topics, Refused: r.refuse,
		Mismatched: func(e *ros1.MismatchError) { r.mismatched <- e }}))(t)
	t.Cleanup(func() { r.bridge.Close() })
	r.robot = newNodeOf(t, master.URI(), "/robot", r.bridge.Types())
	return r
}

func newNode(t testing.TB, uri, name string) *ros1.Node {
	t.Helper()
	return newNodeOf(t, uri, name, nil)
}

// newNodeOf starts a node that knows types, or the nubot dialect if types is nil.
func newNodeOf(t testing.TB, uri, name string, types *msg.Library) *ros1.Node {
	t.Helper()
	n := must.Get(ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: uri, Types: types}))(t)
	t.Cleanup(func() { n.Close() })
	return n
}

// until simulates at ten times real time until a condition holds.
func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(deadline); !ok(); {
		if time.Now().After(end) {
			r.t.Fatalf("waited %v for %s", deadline, what)
		}
		r.run(20*time.Millisecond, timesync.Factor(10))
	}
}

// run simulates for a time.
func (r *rig) run(d time.Duration, speed timesync.Speed) *omnipitch.Report {
	r.t.Helper()
	return must.Get(r.sim.Run(r.t.Context(), omnipitch.Pace{For: d, Speed: speed}))(r.t)
}

// do carries out actions.
func (r *rig) do(actions ...action.Action) {
	r.t.Helper()
	must.Do(r.t, r.sim.Do(actions...))
}

// refusal returns the next refusal. It calls publish again and again while it simulates.
func (r *rig) refusal(publish func()) error {
	r.t.Helper()
	r.until("a refusal", func() bool { publish(); return len(r.refused) > 0 })
	return <-r.refused
}

// publisher returns the bridge's publisher of a topic.
func (r *rig) publisher(topic string) *topicPublisher {
	r.t.Helper()
	i := slices.IndexFunc(r.bridge.publishers, func(p *topicPublisher) bool { return p.Name == topic })
	if i < 0 {
		r.t.Fatalf("there is no topic %s", topic)
	}
	return r.bridge.publishers[i]
}

// onClock calls f with each time that the clock shows to the robot.
func (r *rig) onClock(f func(now time.Duration)) {
	r.t.Helper()
	must.Get(ros1.Subscribe(r.robot, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) { f(m.Clock.Since()) }))(r.t)
}

// onOdometry calls f with the stamps of a robot's odometry.
func (r *rig) onOdometry(robot string, f func(stamp time.Duration)) {
	r.t.Helper()
	must.Get(ros1.Subscribe(r.robot, "/"+robot+"/odom", "nav_msgs/Odometry",
		func(m *msg.Odometry) { f(m.Header.Stamp.Since()) }))(r.t)
}

// advertise publishes a topic as the robot's program.
func advertise[T any](r *rig, topic, typ string) *ros1.Publisher[T] {
	r.t.Helper()
	return must.Get(ros1.Advertise[T](r.robot, topic, typ, ros1.PubOptions{Queue: 100}))(r.t)
}

// twists advertises cyan1's velocity.
func (r *rig) twists() *ros1.Publisher[msg.Twist] {
	r.t.Helper()
	return advertise[msg.Twist](r, "/cyan1/cmd_vel", "geometry_msgs/Twist")
}

// inbox holds the newest message of a topic.
type inbox[T any] struct {
	sub *ros1.Subscriber
	mu  sync.Mutex
	m   *T
}

func subscribe[T any](r *rig, topic, typ string) *inbox[T] {
	r.t.Helper()
	b := &inbox[T]{}
	b.sub = must.Get(ros1.Subscribe(r.robot, topic, typ, func(m *T) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.m = m
	}))(r.t)
	return b
}

func (b *inbox[T]) newest() *T {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.m
}

// receive subscribes to a topic and returns the next message.
func receive[T any](r *rig, topic, typ string) *T {
	r.t.Helper()
	b := subscribe[T](r, topic, typ)
	defer b.sub.Close()
	r.until(topic, func() bool { return b.newest() != nil })
	return b.newest()
}

// call calls a service while the simulation runs.
func call[Req, Resp any](r *rig, name, typ string, req *Req) *Resp {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), deadline)
	defer cancel()
	type answer struct {
		resp *Resp
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		resp, err := ros1.Call[Req, Resp](ctx, r.robot, name, typ, req)
		done <- answer{resp, err}
	}()
	r.until(name, func() bool { return len(done) > 0 })
	a := <-done
	must.Do(r.t, a.err)
	return a.resp
}

// add adds a sensor to a robot.
func add(r *worlds.Robot, name string, kind sensors.Kind, level abstraction.Level) {
	c := sensors.Config{Name: name, Kind: kind, Level: level}
	c.Complete()
	switch kind {
	case sensors.OmniKind:
		c.Mount.Z = 0.78
	case "laser": // outside of the hull, and below the boards' upper edge
		c.Mount.X, c.Mount.Z = 0.3, 0.25
	}
	r.Sensors = slices.DeleteFunc(r.Sensors, func(other sensors.Config) bool { return other.Name == name })
	r.Sensors = append(r.Sensors, c)
}

func TestClock(t *testing.T) {
	r := newRig(t, nil)
	if v, err := r.robot.GetParam("/use_sim_time"); v != true || err != nil {
		t.Errorf("/use_sim_time = %v, %v", v, err)
	}
	got := subscribe[msg.Clock](r, "/clock", "rosgraph_msgs/Clock")
	last := time.Duration(0)
	for range 5 {
		var now time.Duration
		r.until("the clock to go on", func() bool {
			if m := got.newest(); m != nil {
				now = m.Clock.Since()
			}
			return now > last
		})
		if _, ok := r.truth[now]; !ok {
			t.Errorf("the clock shows %v, which was no step", now)
		}
		last = now
	}
}

// A closed bridge leaves no topics behind, and the simulation continues.
func TestClose(t *testing.T) {
	r := newRig(t, nil)
	clock := subscribe[msg.Clock](r, "/clock", "rosgraph_msgs/Clock")
	vision := subscribe[msg.OminiVisionInfo](r, "/cyan1/omnivision/OmniVisionInfo", "nubot_common/OminiVisionInfo")
	cmd := advertise[msg.VelCmd](r, "/cyan1/nubotcontrol/velcmd", "nubot_common/VelCmd")
	r.until("connections", func() bool {
		return clock.newest() != nil && vision.newest() != nil && cmd.NumSubscribers() == 1
	})
	must.Do(t, r.bridge.Close())
	r.until("the bridge to leave", func() bool {
		return clock.sub.NumPublishers()+vision.sub.NumPublishers()+cmd.NumSubscribers() == 0
	})
	if _, err := ros1.Call[msg.ShootRequest, msg.ShootResponse](t.Context(), r.robot, "/cyan1/Shoot",
		"nubot_common/Shoot", &msg.ShootRequest{}); err == nil {
		t.Error("a closed bridge answers")
	}
	must.Get(r.sim.Run(t.Context(), omnipitch.Pace{For: time.Second, Speed: timesync.Max}))(t)
	if err := r.bridge.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

// A second bridge on the same node fails and does not affect the topics of the first.
func TestNameTaken(t *testing.T) {
	r := newRig(t, nil)
	clock := subscribe[msg.Clock](r, "/clock", "rosgraph_msgs/Clock")
	r.until("the clock", func() bool { return clock.newest() != nil })
	if _, err := NewBridge(r.sim, r.node, Options{}); err == nil {
		t.Error("two bridges on one node")
	}
	before := clock.newest().Clock
	r.until("the first bridge's clock", func() bool { return clock.newest().Clock != before })
}
