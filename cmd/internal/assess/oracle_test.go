package assess

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// oracleWorld has one object of each assessed kind, all of them moving, in even light. Its camera without images sees
// what a camera with images would.
const oracleWorld = `
name = "oracle"
look = "plain"

[physics]
engine = "planar"

[ball]
x_m = 2
y_m = 1
vx_m_s = 0.5

[[robot]]
name = "cyan1"
model = "nubot"
player = { patrol = { way_points = [{ x_m = -3, y_m = -2 }, { x_m = 4, y_m = 3 }, { x_m = 1, y_m = -4 }] } }
sensor = [{ name = "omni", level = "truth" }]

[[robot]]
name = "magenta1"
model = "nubot"
team = "magenta"
pose = { x_m = 3, y_m = 3 }
player = { patrol = { way_points = [{ x_m = 2, y_m = 3 }, { x_m = -2, y_m = -3 }] } }

[[obstacle]]
name = "box"
pose = { x_m = -1, y_m = 3 }
`

// peer is a vision written by the test. It is a node that runs alongside a simulation which the test steps by hand.
type peer struct {
	t    testing.TB
	sim  *omnipitch.Sim
	a    *Assessment
	main *ros1.Node // node of the simulation
	node *ros1.Node // node of the vision
	from *robotio.Topics
}

// newPeer starts the simulation of a world with an assessment, and a node for the vision.
func newPeer(t testing.TB, text string, cfg Config) *peer {
	t.Helper()
	var w *worlds.World
	if strings.HasSuffix(text, ".toml") { // text is a file name
		w = must.Get(worlds.Load(text))(t)
	} else {
		w = must.Get(worlds.Parse("oracle.toml", []byte(text)))(t)
	}
	topics := robotio.NewTopics()
	a := must.Get(New(w, cfg))(t)
	sim := must.Get(omnipitch.New(w, omnipitch.Options{Topics: topics}))(t)
	t.Cleanup(sim.Close)
	must.Do(t, a.Follow(sim, topics))
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { master.Close() })
	types := must.Get(msg.Load("nubot"))(t)
	node := func(name string) *ros1.Node {
		n := must.Get(ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: master.URI(), Types: types}))(t)
		t.Cleanup(func() { n.Close() })
		return n
	}
	p := &peer{t: t, sim: sim, a: a, main: node("/omnipitch"), node: node("/vision"), from: topics}
	bridge := must.Get(robotio.NewBridge(sim, p.main, robotio.Options{Topics: topics}))(t)
	t.Cleanup(func() { bridge.Close() })
	return p
}

// advertise returns a function that publishes messages on a topic. When that function returns, the message will arrive
// before the next step.
func advertise[T any](p *peer, topic, typ string) func(*T) {
	p.t.Helper()
	pub := must.Get(ros1.Advertise[T](p.node, topic, typ, ros1.PubOptions{Queue: 100, Latch: true}))(p.t)
	return func(m *T) {
		before := p.from.Waiting()
		pub.Publish(m)
		for end := time.Now().Add(20 * time.Second); p.from.Waiting() == before; time.Sleep(10 * time.Microsecond) {
			if time.Now().After(end) {
				p.t.Fatalf("nothing came on %s", topic)
			}
		}
	}
}

type pointStamped struct {
	Header msg.Header
	Point  msg.Point
}

type poseArray struct {
	Header msg.Header
	Poses  []msg.Pose
}

// look is what the vision saw in a frame.
type look struct {
	frame uint64
	stamp time.Duration
	truth *physics.Snapshot
}

// run steps the simulation for d. The vision answers each frame after delay.
func (p *peer) run(d, delay time.Duration, answer func(look)) *Result {
	p.t.Helper()
	var waiting []look
	states := map[time.Duration]*physics.Snapshot{}
	p.sim.OnStep(func(now *physics.Snapshot) {
		states[now.Time] = now.Clone()
		delete(states, now.Time-time.Second)
	})
	must.Get(p.sim.Listen("cyan1", p.a.cfg.Sensor, omnipitch.Listener{Observe: func(o *sensors.Observation) {
		waiting = append(waiting, look{o.Frame, o.Stamp, states[o.Stamp]})
	}}))(p.t)
	for p.sim.Truth().Time < d {
		for len(waiting) > 0 && p.sim.Truth().Time >= waiting[0].stamp+delay {
			answer(waiting[0])
			waiting = waiting[1:]
		}
		must.Do(p.t, p.sim.Step())
	}
	r := p.a.Finish()
	p.t.Cleanup(r.Close)
	return r
}

func header(l look, frame string) msg.Header {
	return msg.Header{Stamp: msg.TimeFrom(l.stamp), FrameID: frame}
}

// within fails the test unless a figure lies within a tolerance of the expected value.
func within(t *testing.T, what string, got, want, most float64) {
	t.Helper()
	if !(math.Abs(got-want) <= most) {
		t.Errorf("%s is %.5g, want %.5g ± %.2g", what, got, want, most)
	}
}

// channel returns the channel of a kind whose topic has the given suffix.
func channel(t *testing.T, r *Result, topic string, k Kind) *Channel {
	t.Helper()
	for i := range r.Channels {
		if c := &r.Channels[i]; strings.HasSuffix(c.Topic, topic) && c.Kind == k {
			return c
		}
	}
	t.Fatalf("no channel of %s for %s", topic, k)
	return nil
}

// TestFiguresAreThoseOfTheVision publishes reports with known errors over ROS 1. The assessment must find these errors
// within five standard errors.
func TestFiguresAreThoseOfTheVision(t *testing.T) {
	const (
		sim                    = 60 * time.Second
		delay                  = 65 * time.Millisecond
		rangeBias, rangeSigma  = 0.05, 0.03 // m
		angleBias, angleSigma  = 0.01, 0.02 // rad
		ballMiss, obstacleMiss = 0.2, 0.1
		falseRate              = 0.3 // obstacles per frame
		selfAlong, selfSigma   = 0.04, 0.02
		headingSigma           = 0.015
	)
	p := newPeer(t, oracleWorld, Config{Robot: "cyan1", Range: 100, Visible: 0.01, Gate: 1,
		Topics: []Topic{{Name: "vision/pose"}, {Name: "vision/ball"}, {Name: "vision/obstacles"}}})
	poses := advertise[msg.PoseStamped](p, "/cyan1/vision/pose", "geometry_msgs/PoseStamped")
	balls := advertise[pointStamped](p, "/cyan1/vision/ball", "geometry_msgs/PointStamped")
	obstacles := advertise[poseArray](p, "/cyan1/vision/obstacles", "geometry_msgs/PoseArray")
	noise := random.New(1, "cyan1", "vision", 0)
	erring := func(n random.Source, item uint64, posB mgl64.Vec3) mgl64.Vec3 {
		a, b := n.Normal(item)
		d := math.Hypot(posB[0], posB[1]) + rangeBias + rangeSigma*a
		sin, cos := math.Sincos(math.Atan2(posB[1], posB[0]) + angleBias + angleSigma*b)
		return mgl64.Vec3{d * cos, d * sin, 0}
	}
	r := p.run(sim, delay, func(l look) {
		n := noise.Frame(l.frame)
		me := l.truth.Robots[0].PoseWB
		inB := func(pos mgl64.Vec3) mgl64.Vec3 { return me.Inverse().Apply(pos) }
		a, b := n.Normal(1)
		h, _ := n.Normal(2)
		at := me.Apply(mgl64.Vec3{selfAlong + selfSigma*a, selfSigma * b, 0})
		sin, cos := math.Sincos((me.Heading() + headingSigma*h) / 2)
		poses(&msg.PoseStamped{Header: header(l, "map"), Pose: msg.Pose{Position: msg.Point{X: at[0], Y: at[1]},
			Orientation: msg.Quaternion{Z: sin, W: cos}}})
		if n.Uniform(3) >= ballMiss {
			b := erring(n, 4, inB(l.truth.Ball.PosW))
			balls(&pointStamped{Header: header(l, "base_link"), Point: msg.Point{X: b[0], Y: b[1], Z: 0.11}})
		}
		list := &poseArray{Header: header(l, "cyan1/base_link")}
		say := func(pos mgl64.Vec3) {
			list.Poses = append(list.Poses, msg.Pose{Position: msg.Point{X: pos[0], Y: pos[1]},
				Orientation: msg.Quaternion{W: 1}})
		}
		for i, pos := range []mgl64.Vec3{l.truth.Robots[1].PoseWB.Pos, l.truth.Obstacles[0].PoseWO.Pos} {
			if n.Uniform(uint64(5+i)) >= obstacleMiss {
				say(erring(n, uint64(7+i), inB(pos)))
			}
		}
		if n.Uniform(9) < falseRate {
			say(mgl64.Vec3{20, 20 * n.Uniform(10), 0}) // outside the field and beyond the gate of every object
		}
		obstacles(list)
	})
	self, ball, things := channel(t, r, "pose", Self), channel(t, r, "ball", Ball), channel(t, r, "obstacles",
		Obstacles)
	n := float64(self.Position.N)
	if want := sim.Seconds()*30 - 5; n < want || r.Judged < int(want) {
		t.Errorf("%v poses, %d frames judged, want %v; %d frames, %+v", n, r.Judged, want, r.Frames,
			r.Topics[0].Messages)
	}
	// Five standard errors of a mean, as a multiple of the standard deviation.
	root := func(n int) float64 { return 5 / math.Sqrt(float64(n)) }
	within(t, "bias of the pose along the heading", float64(self.Along.Mean), selfAlong, selfSigma*root(self.Along.N))
	within(t, "σ of it", float64(self.Along.Sigma), selfSigma, selfSigma*root(2*self.Along.N))
	within(t, "bias across", float64(self.Across.Mean), 0, selfSigma*root(self.Across.N))
	within(t, "bias of the heading", float64(self.Bearing.Mean), 0, headingSigma*root(self.Bearing.N))
	within(t, "σ of the heading", float64(self.Bearing.Sigma), headingSigma, headingSigma*root(2*self.Bearing.N))
	within(t, "share of frames without a pose", float64(self.MissRate), 0, 0)
	for _, c := range []struct {
		*Channel
		miss float64
	}{{ball, ballMiss}, {things, obstacleMiss}} {
		what := string(c.Kind) + ": "
		within(t, what+"bias of the distance", float64(c.Along.Mean), rangeBias, rangeSigma*root(c.Along.N))
		within(t, what+"σ of the distance", float64(c.Along.Sigma), rangeSigma, rangeSigma*root(2*c.Along.N))
		within(t, what+"bias of the bearing", float64(c.Bearing.Mean), angleBias, angleSigma*root(c.Bearing.N))
		within(t, what+"σ of the bearing", float64(c.Bearing.Sigma), angleSigma, angleSigma*root(2*c.Bearing.N))
		within(t, what+"misses", float64(c.MissRate), c.miss, math.Sqrt(c.miss*(1-c.miss))*root(c.Expected))
		if c.Expected < 1000 {
			t.Errorf("%s%d expected", what, c.Expected)
		}
	}
	within(t, "false obstacles for each frame", float64(things.FalseRate), falseRate,
		math.Sqrt(falseRate*(1-falseRate))*root(r.Judged))
	if ball.False != 0 {
		t.Errorf("%d false balls", ball.False)
	}
	for i := range r.Topics {
		d := r.Topics[i].Delay()
		within(t, r.Config.Topics[i].Name+": delay", float64(d.Median), delay.Seconds(), 0.005)
		within(t, r.Config.Topics[i].Name+": longest delay", float64(d.Max), delay.Seconds(), 0.005)
		if i != 1 { // this vision is silent where it finds no ball
			within(t, r.Config.Topics[i].Name+": rate", float64(r.Topics[i].Rate()), 30, 0.3)
		}
	}
	page := checkPage(t, r)
	for _, want := range []string{"Where the robot believes to be", "Error over the field",
		"Error of the ball over distance", "Misses of obstacles over distance", "The worst frames", "nothing is here"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	checkFiles(t, r)
}
