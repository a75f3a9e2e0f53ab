package robotio

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// every gives a robot one sensor of each kind, with small images. The robot has no joints to read.
func every(w *worlds.World, profiles ...string) {
	r := &w.Robots[0]
	r.ROS1.Profiles = profiles
	for _, kind := range sensors.Kinds() {
		given := slices.ContainsFunc(r.Sensors, func(c sensors.Config) bool { return c.Kind == kind })
		if !given && kind != "joints" && kind != "feet" {
			add(r, string(kind), kind, abstraction.Truth)
		}
	}
	for i := range r.Sensors {
		if img := r.Sensors[i].Image; img != nil {
			img.Width, img.Height = 32, 24
			r.Sensors[i].Latency, r.Sensors[i].Vision.Lines = 0, true
		}
		r.Sensors[i].Rate = 20
	}
	w.Robots = w.Robots[:1]
	w.Look = worlds.LookPlain            // for speed
	w.Robots[0].Pose = worlds.Pose{X: 5} // in front of the goal
	w.Ball.X, w.Ball.Y = 7, 0
}

// received counts the messages of every topic of a robot's profiles and checks that each is complete.
type received struct {
	mu     sync.Mutex
	counts map[string]int
	broken []error
}

func (h *received) count(topic string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.counts[topic]
}

func (h *received) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.counts)
}

// subscribeAll subscribes to every topic of the bridge.
func subscribeAll(t *testing.T, r *rig) *received {
	h := &received{counts: map[string]int{}}
	done := map[string]bool{}
	for _, o := range r.bridge.publishers {
		topic := o.Name
		if done[topic] {
			continue
		}
		done[topic] = true
		p := must.Get(dynamic.NewPicker(o.Topic, nil))(t)
		must.Get(ros1.SubscribeAs(r.robot, topic, o.Topic, func(b []byte) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.counts[topic]++
			if _, err := p.Pick(b); err != nil {
				h.broken = append(h.broken, fmt.Errorf("%s: %w", topic, err))
			}
			return nil
		}))(t)
	}
	r.until("all topics to connect", func() bool {
		return !slices.ContainsFunc(r.bridge.publishers, func(o *topicPublisher) bool { return !o.wanted() })
	})
	return h
}

// With each shipped profile of ROS 1 and at each level, exactly the topics that the level feeds carry messages. Each
// message is complete.
func TestLevelsFeedTopics(t *testing.T) {
	for _, name := range mapping.ProfileNames() {
		if p := must.Get(mapping.Contents(name))(t); !slices.Contains(p.Speaks, msg.ROS1) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := newRigWith(t, omnipitch.Options{NewRenderer: backend.RayCaster},
				func(w *worlds.World) { every(w, name) })
			h := subscribeAll(t, r)
			latched := func(o *topicPublisher) bool { return o.Context.Sensor == nil && o.Publish.Rate == 0 }
			for _, o := range r.bridge.publishers {
				if latched(o) {
					r.until(o.Name, func() bool { return h.count(o.Name) == 1 })
				}
			}
			for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Ideal, abstraction.Pose,
				abstraction.Features, abstraction.Objects, abstraction.Truth} {
				levels := map[sensors.Kind]abstraction.Level{}
				for i := range r.sim.World().Robots[0].Sensors {
					cfg := &r.sim.World().Robots[0].Sensors[i]
					levels[cfg.Kind] = abstraction.Raw
					if level.In(cfg.Kind.Levels()) {
						levels[cfg.Kind] = level
					}
					r.do(&action.SetLevel{Robot: "cyan1", Sensor: cfg.Name, Level: levels[cfg.Kind]})
				}
				settle(r)
				h.reset()
				before := map[*topicPublisher]uint64{}
				for _, o := range r.bridge.publishers {
					before[o] = o.flow.messages.Load()
				}
				for _, o := range r.bridge.publishers {
					topic := o.Name
					if o.Context.Robot == nil || latched(o) {
						continue
					}
					if o.Context.Sensor == nil || o.FedAt(levels[o.Context.Sensor.Kind]) {
						r.until(fmt.Sprintf("%s at %s", topic, level), func() bool { return h.count(topic) > 0 })
					}
				}
				settle(r)
				for _, o := range r.bridge.publishers {
					if n := o.flow.messages.Load() - before[o]; o.Context.Sensor != nil &&
						!o.FedAt(levels[o.Context.Sensor.Kind]) && n > 0 {
						t.Errorf("%s: %d messages at %s, which does not feed it", o.Name, n, level)
					}
				}
			}
			for _, err := range h.broken {
				t.Error(err)
			}
		})
	}
}

// settle simulates until the frames in flight have arrived.
func settle(r *rig) {
	end := r.sim.Truth().Time + 200e6
	r.until("frames under way", func() bool { return r.sim.Truth().Time > end })
}

// A team's own profile, with its own message definitions next to it, works without Go code.
func TestOwnProfile(t *testing.T) {
	dir := must.Dir(t, map[string]string{
		"myteam_msgs/Ball.msg":  "Header header\nint16 bearing_deg\nuint16 range_mm\nbool known\n",
		"myteam_msgs/Drive.msg": "float32 forward\nfloat32 turn\n",
		"myteam_msgs/Fire.srv":  "uint8 power\n---\nbool fired\nstring why\n",
		"team.toml": `types = ["std", "myteam_msgs/.."]
length = "mm"
angle = "deg"
frame = "{team}/{robot}"
[[publish]]
topic = "eye/ball"
type = "myteam_msgs/Ball"
from = "omni"
levels = ["objects", "truth"]
message = { bearing_deg = "ball.bearing", range_mm = "ball.distance", known = "ball.seen" }
[[subscribe]]
topic = "motors"
type = "myteam_msgs/Drive"
do.drive = { vx = "forward", omega = "turn" }
[[service]]
name = "fire"
type = "myteam_msgs/Fire"
do.kick = { way = { text = "flat" }, speed = "power" }
answer = { fired = "answer.kicked" }
`,
	})
	r := newRig(t, func(w *worlds.World) {
		free(w)
		w.Robots[0].ROS1.Profiles = []string{filepath.Join(dir, "team.toml")}
		w.Robots[0].ROS1.Namespace = "/blue"
		w.Robots[0].ROS1.Rename = map[string]string{"motors": "/drive"}
		w.Robots[0].Pose = worlds.Pose{}
		w.Ball.X, w.Ball.Y = 0, 2
	})
	ball := must.Get(r.bridge.Types().Message("myteam_msgs/Ball"))(t)
	p := must.Get(dynamic.NewPicker(ball, []string{"header.frame_id", "bearing_deg", "range_mm", "known"}))(t)
	got := make(chan []dynamic.Scalar, 100)
	must.Get(ros1.SubscribeAs(r.robot, "/blue/eye/ball", ball, func(b []byte) error {
		v, err := p.Pick(b)
		if len(got) < cap(got) {
			got <- v
		}
		return err
	}))(t)
	r.until("the ball", func() bool { return len(got) > 0 })
	if v := <-got; v[0].Text != "cyan/cyan1" || v[1].Number != 90 || v[2].Number != 2000 || v[3].Number != 1 {
		t.Errorf("got %+v, want the ball 2000 mm away at 90°", v)
	}

	type drive struct{ Forward, Turn float32 }
	reach(t, r, "/drive", "myteam_msgs/Drive", &drive{Forward: 500, Turn: 45}, physics.PlanarTwist{VX: 0.5,
		Omega: 0.785})
	type fire struct{ Power uint8 }
	type fired struct {
		Fired bool
		Why   string
	}
	if call[fire, fired](r, "/blue/fire", "myteam_msgs/Fire", &fire{200}).Fired {
		t.Error("fired without a ball")
	}
}

func TestProfileErrors(t *testing.T) {
	for _, c := range must.Cases(t, "testdata/profile_errors.txt") {
		w := must.Get(worlds.Load("nubot-attack"))(t)
		w.Robots[0].ROS1.Profiles = []string{must.File(t, "team.toml", c.Text)}
		err := Check(w)
		must.Fail(t, err, c.Want[0], c.Name)
		must.Fail(t, err, "team.toml:", c.Name)
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("%s: %d characters: %v", c.Name, len(err.Error()), err)
		}
	}
}

// Image memory is returned to its pool even if a message contains the image in its middle, or twice.
func TestPicturesGoBack(t *testing.T) {
	dir := must.Dir(t, map[string]string{
		"my_msgs/Two.msg": "uint8[] first\nuint8[] second\nuint8[] again\nuint8[] last\n",
		"two.toml": `types = ["std", "."]
[[publish]]
topic = "two"
type = "my_msgs/Two"
from = "camera"
levels = ["raw", "ideal"]
message = { first = "color.rgb8", second = "color.bgr8", again = "color.rgb8", last = "color.png" }
`,
	})
	r := newRigWith(t, omnipitch.Options{NewRenderer: backend.RayCaster}, func(w *worlds.World) {
		every(w, filepath.Join(dir, "two.toml"))
		for i := range w.Robots[0].Sensors {
			if s := &w.Robots[0].Sensors[i]; s.Kind == sensors.CameraKind {
				s.Level = abstraction.Ideal
			}
		}
	})
	def := r.bridge.publishers[0].Topic
	type two struct{ First, Second, Again, Last []byte }
	codec := must.Get(msg.Compile[two](def))(t)
	got := make(chan two, 100)
	must.Get(ros1.SubscribeAs(r.robot, "/cyan1/two", def, func(b []byte) error {
		var m two
		err := codec.Decode(b, &m)
		if len(got) < cap(got) {
			got <- m
		}
		return err
	}))(t)
	var seen []*sensors.Observation
	must.Get(r.sim.Listen("cyan1", "front", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		if !slices.Contains(seen, o) {
			seen = append(seen, o)
		}
	}}))(t)
	r.until("some pictures", func() bool { return len(got) > 20 })
	m := <-got
	if len(m.First) != 32*24*3 || !slices.Equal(m.First, m.Again) || m.First[0] != m.Second[2] ||
		m.First[2] != m.Second[0] || string(m.Last[1:4]) != "PNG" {
		t.Errorf("%d, %d, %d, %d bytes", len(m.First), len(m.Second), len(m.Again), len(m.Last))
	}
	if len(seen) > 8 { // those in flight and a few more
		t.Errorf("%d observations for %d pictures: they do not come back", len(seen), len(got)+1)
	}
}

// If two profiles include a third, its topics are published once. Topics of the world are published once for all
// robots.
func TestSharedEntriesOnce(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		w.Robots[0].ROS1.Profiles = []string{"simatch", "humanoid", "standard"}
		w.Robots[1].ROS1.Profiles = []string{"humanoid", "simatch"}
	})
	count := map[string]int{}
	for _, o := range r.bridge.publishers {
		count[o.Name]++
	}
	for topic, want := range map[string]int{"/cyan1/odom": 1, "/cyan1/omnivision/OmniVisionInfo": 1,
		"/gazebo/model_states": 1, "/markers": 1, "/tf": 2 + 2} {
		if count[topic] != want { // odometry, heads and truth of two robots publish transforms
			t.Errorf("%s is fed %d times, want %d", topic, count[topic], want)
		}
	}
}

// If profiles define the same topic of the world differently, only that of the first robot publishes it.
func TestWorldTopicsHaveOneProfile(t *testing.T) {
	for _, profiles := range [][]string{{"simatch", "nubot"}, {"nubot", "simatch"}} {
		r := newRig(t, func(w *worlds.World) {
			w.Robots[0].ROS1.Profiles, w.Robots[1].ROS1.Profiles = profiles[:1], profiles[1:]
		})
		var fed []string
		for _, o := range r.bridge.publishers {
			if o.Name == "/gazebo/model_states" {
				fed = append(fed, o.Profile)
			}
		}
		want := map[string]string{"simatch": "simatch", "nubot": "gazebo"}[profiles[0]]
		if len(fed) != 1 || fed[0] != want {
			t.Errorf("profiles %v: model_states is fed by %v, want %s", profiles, fed, want)
		}
	}
}

// A robot cannot have two types of the same service.
func TestProfilesDisagree(t *testing.T) {
	w := must.Get(worlds.Load("nubot-attack"))(t)
	w.Robots[1].ROS1.Profiles = []string{"nubot", "hawking"}
	const want = "of profile hawking: service /magenta1/Shoot has type "
	must.Fail(t, Check(w), want)
}

// An unknown text in an action is refused while the simulation runs. A kick that is neither flat nor a lob does not
// report success.
func TestUnknownTextsAreRefused(t *testing.T) {
	dir := must.Dir(t, map[string]string{
		"my_msgs/Kick.srv": "string way\n---\n",
		"my_msgs/Way.msg":  "string way\n",
		"own.toml": `types = ["std", "."]
names = { none = "keep" }
[[service]]
name = "kick"
type = "my_msgs/Kick"
do.kick = { way = "way", speed = 3 }
[[subscribe]]
topic = "shoot"
type = "my_msgs/Way"
do.kick = { way = "way", speed = 3 }
`,
	})
	r := newRig(t, func(w *worlds.World) { w.Robots[0].ROS1.Profiles = []string{filepath.Join(dir, "own.toml")} })
	type (
		kick   struct{ Way string }
		kicked struct{}
	)
	ask := func(way string) error {
		done := make(chan error, 1)
		go func() {
			_, err := ros1.Call[kick, kicked](t.Context(), r.robot, "/cyan1/kick", "my_msgs/Kick", &kick{way})
			done <- err
		}()
		r.until("an answer", func() bool { return len(done) > 0 })
		return <-done
	}
	const want = `way = "flaat": must be one of flat, lob, none; did you mean flat?`
	must.Fail(t, ask("flaat"), want, "the service answers")
	for _, way := range []string{"flat", "none", "keep"} {
		if err := ask(way); err != nil {
			t.Errorf("%s: %v", way, err)
		}
	}
	pub := advertise[kick](r, "/cyan1/shoot", "my_msgs/Way")
	refused := r.refusal(func() { pub.Publish(&kick{"flaat"}) })
	must.Fail(t, refused, "/cyan1/shoot: ")
	must.Fail(t, refused, want)
}
