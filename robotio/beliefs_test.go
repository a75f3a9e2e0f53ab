package robotio

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// believe starts listening to the beliefs of a rig's robots.
func believe(r *rig) *Beliefs {
	r.t.Helper()
	l := NewBeliefs(r.bridge, func(beside wire.Node) (wire.Node, error) {
		return ros1.NewNode(ros1.NodeConfig{Name: "/beliefs", MasterURI: r.master, Types: r.bridge.Types(),
			Ignore: []string{beside.(*ros1.Node).URI()}})
	}, func(err error) { r.t.Error(err) })
	r.t.Cleanup(func() { l.Close() })
	return l
}

// say advertises a topic with a type of the robot's profile. publish publishes a message given as JSON, as a robot's
// program would.
func say(r *rig, topic, typ string) (publish func(text string)) {
	r.t.Helper()
	def := must.Get(r.bridge.Types().Message(typ))(r.t)
	codec := must.Get(dynamic.Compile(def))(r.t)
	pub := must.Get(ros1.AdvertiseRaw(r.robot, topic, def, ros1.PubOptions{Queue: 1}))(r.t)
	r.t.Cleanup(func() { pub.Close() })
	return func(text string) {
		b := must.Get(codec.AppendROS(nil, []byte(text), msg.TimeFrom(r.sim.Clock().Time())))(r.t)
		pub.Publish(b)
	}
}

func of(all []belief.Robot, name string) *belief.Robot {
	i := slices.IndexFunc(all, func(r belief.Robot) bool { return r.Name == name })
	if i < 0 {
		return &belief.Robot{}
	}
	return &all[i]
}

// isAt fails unless a belief is a single place at the given coordinates.
func isAt(t *testing.T, what string, b *belief.Belief, relative bool, x, y, heading float64) {
	t.Helper()
	if b == nil || len(b.Places) != 1 || b.Relative != relative {
		t.Errorf("%s: %+v, want one place, relative %v", what, b, relative)
		return
	}
	p := b.Places[0]
	if off := math.Hypot(p.X-x, p.Y-y) + math.Abs(math.Remainder(p.Heading-heading, 2*math.Pi)); !(off < 1e-5) {
		t.Errorf("%s: %+v, want %v %v %v", what, p, x, y, heading)
	}
}

// Beliefs that robots of both teams publish appear in world coordinates. Robots publish them in centimetres in the
// team's field frame. Of a message about the whole team, a robot's own entry counts. The listener does not count as a
// subscriber of the simulator's topics, and it leaves the graph when beliefs are no longer read.
func TestBeliefsOfBothTeams(t *testing.T) {
	r := newRig(t, func(w *worlds.World) { w.Robots[0].Number, w.Robots[1].Number = 2, 2 })
	l := believe(r)
	cyan, magenta := say(r, "/cyan1/worldmodel/worldmodelinfo", "nubot_common/WorldModelInfo"),
		say(r, "/magenta1/worldmodel/worldmodelinfo", "nubot_common/WorldModelInfo")
	const info = `{"robotinfo": [{"AgentID": 1, "pos": {"x": 900, "y": 900}, "isvalid": true},
		{"AgentID": 2, "pos": {"x": 120, "y": -50}, "heading": {"theta": 0.5}, "target": {"x": 300, "y": 200},
			"vtrans": {"x": 150, "y": -20}, "isdribble": true, "current_role": 2, "isvalid": true}],
		"ballinfo": [{"pos": {"x": 1}, "pos_known": true}, {"pos": {"x": 400, "y": 100}, "pos_known": true}], "obstacleinfo": {"pos": [{"x": 500, "y": 0}, {"x": 600, "y": 10}]}}`
	odometry := say(r, "/cyan1/odometry/filtered", "nav_msgs/Odometry")
	strategy := say(r, "/cyan1/nubotcontrol/strategy", "nubot_common/StrategyInfo")
	r.until("what both teams believe", func() bool {
		cyan(info)
		strategy(`{"role": 1, "action": 4}`)
		magenta(info)
		odometry(`{"header": {"frame_id": "cyan1/odom"}}`) // an unknown frame, so other topics count
		all := l.Beliefs()
		s := of(all, "cyan1").Status
		return of(all, "cyan1").Path != nil && of(all, "magenta1").Path != nil && s != nil && s.Action != ""
	})
	all := l.Beliefs()
	must.Equal(t, len(all), 2, "number of robots that believe something")
	for _, team := range []struct {
		robot        string
		sign, turn   float64
		role, action string
		dribbling    bool
	}{{"cyan1", 1, 0, "ACTIVE", "TurnForShoot", false}, {"magenta1", -1, math.Pi, "PASSIVE", "", true}} {
		b := of(all, team.robot)
		isAt(t, team.robot+" pose", b.Pose, false, team.sign*1.2, team.sign*-0.5, 0.5+team.turn)
		isAt(t, team.robot+" ball", b.Ball, false, team.sign*4, team.sign*1, 0)
		if s := b.Status; s == nil || s.Role != team.role || s.Action != team.action || s.Dribbling == nil ||
			*s.Dribbling != team.dribbling {
			t.Errorf("%s status: %+v, want %+v", team.robot, s, team)
		}
		isAt(t, team.robot+" velocity", b.Velocity, false, team.sign*1.5, team.sign*-0.2, 0)
		isAt(t, team.robot+" path", b.Path, false, team.sign*3, team.sign*2, 0)
		if b.Obstacles == nil || len(b.Obstacles.Places) != 2 ||
			!(math.Abs(b.Obstacles.Places[1].X-team.sign*6) < 1e-5) {
			t.Errorf("%s obstacles: %+v", team.robot, b.Obstacles)
		}
		must.Equal(t, b.Pose.Topic, "/"+team.robot+"/worldmodel/worldmodelinfo", "said on")
	}

	// At level truth the simulator publishes omnivision's topic, which has no subscriber.
	var topics []GraphTopic
	at := func(name string) *GraphTopic {
		i := slices.IndexFunc(topics, func(g GraphTopic) bool { return g.Name == name })
		if i < 0 {
			t.Fatalf("no topic %s among %d", name, len(topics))
		}
		return &topics[i]
	}
	r.until("a rate", func() bool {
		cyan(info)
		topics = must.Get(r.bridge.Graph(t.Context(), l))(t)
		return at("/cyan1/worldmodel/worldmodelinfo").Rate > 1
	})
	if g := at("/cyan1/omnivision/OmniVisionInfo"); len(g.Subscribers) > 0 || !g.Measured || g.Rate != 0 {
		t.Errorf("who looks at beliefs is a listener: %+v", g)
	}
	if g := at("/cyan1/worldmodel/worldmodelinfo"); !slices.Equal(g.Publishers, []string{"/robot"}) ||
		len(g.Subscribers) > 0 || g.Type != "nubot_common/WorldModelInfo" || g.Last == 0 {
		t.Errorf("%+v", g)
	}
	for _, p := range r.bridge.Topics() {
		if slices.Contains(p.Subscribers, "/beliefs") {
			t.Errorf("%s has the subscribers %v", p.Topic, p.Subscribers)
		}
	}
	if slices.ContainsFunc(topics, func(g GraphTopic) bool { return g.Name == "/cyan1/amcl_pose" }) {
		t.Error("a topic is listed because somebody looks for beliefs there")
	}

	r.until("the beliefs' node to leave", func() bool {
		g, err := r.node.Graph(t.Context())
		return err == nil && !slices.ContainsFunc(slices.Collect(mapValues(g.Subscribers)),
			func(nodes []string) bool { return slices.Contains(nodes, "/beliefs") })
	})
	if all := l.Beliefs(); len(all) > 0 {
		t.Errorf("%d beliefs are left", len(all))
	}
}

func mapValues[K comparable, V any](m map[K]V) func(func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// Messages that are too long are truncated. Messages with other fields or with numbers that are not finite are ignored,
// and so are stamps of other clocks.
func TestBeliefsOfHostileMessages(t *testing.T) {
	r := newRig(t, nil)
	l := believe(r)
	path, pose, ball, obstacles := say(r, "/cyan1/path", "nav_msgs/Path"), say(r, "/cyan1/amcl_pose",
		"std_msgs/String"), say(r, "/cyan1/ball", "geometry_msgs/PointStamped"), say(r, "/cyan1/obstacles",
		"geometry_msgs/PoseArray")
	const points = 30_000 // some 2 MB
	long := `{"header": {"frame_id": "map"}, "poses": [` +
		strings.TrimSuffix(strings.Repeat(`{"pose": {"position": {"x": 1}}},`, points), ",") + `]}`
	r.until("the path", func() bool {
		path(long)
		pose(`{"data": "here"}`)
		ball(`{"header": {"frame_id": "cyan1/base_link", "stamp": {"secs": 1700000000}}, "point": {"x": 2, "y": -1}}`)
		obstacles(`{"header": {"frame_id": "map"}, "poses": [{"position": {"x": 1e300}}, {"position": {"y": 3}}]}`)
		b := of(l.Beliefs(), "cyan1")
		return b.Path != nil && b.Ball != nil && b.Obstacles != nil
	})
	b := of(l.Beliefs(), "cyan1")
	if n := len(b.Path.Places); n != belief.MaxPath || b.Path.LeftOut != points-n {
		t.Errorf("a path of %d points, %d left out", n, b.Path.LeftOut)
	}
	if b.Pose != nil {
		t.Errorf("a text is a pose: %+v", b.Pose)
	}
	isAt(t, "ball", b.Ball, true, 2, -1, 0)
	if off := r.sim.Truth().Time - b.Ball.Stamp; off < 0 || off > beliefOld {
		t.Errorf("a stamp of another clock is %v old", off)
	}
	isAt(t, "obstacles", b.Obstacles, false, 0, 3, 0)
}
