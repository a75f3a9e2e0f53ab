package replay

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

var topicWorlds = flag.String("replay.worlds", "sensors", "worlds whose topics are compared with those of "+
	"replays")

// ofWallTime are topics that depend on wall time by design: the speed of the run, and logs of nodes.
var ofWallTime = []string{"/simulation/speed", "/rosout", "/rosout_agg"}

// newest is the topic of which slow subscribers receive only the newest message.
const newest = "/clock"

// published is a received message, with the sim time of the newest step.
type published struct {
	at   time.Duration
	data string
}

// subscriber receives everything that a simulation publishes. It takes the steps, so that it loses nothing.
type subscriber struct {
	t      testing.TB
	sim    *omnipitch.Sim
	bridge *robotio.Bridge
	master string

	levels map[string]int // number of messages on each sensor's level topic, which the bridge does not count

	mu  sync.Mutex
	now time.Duration
	got map[string][]published
}

func subscribe(t testing.TB, sim *omnipitch.Sim, opts robotio.Options) *subscriber {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	check(err)
	t.Cleanup(func() { master.Close() })
	s := &subscriber{t: t, sim: sim, master: master.URI(), levels: map[string]int{}, got: map[string][]published{}}
	sim.Sensors().OnLevel(func(c omnipitch.LevelChange) {
		r, _ := sim.World().Robot(c.Robot)
		s.levels[mapping.Under(msg.ROS1, r, c.Sensor+"/level")]++
	})
	node := s.node("/omnipitch")
	s.bridge, err = robotio.NewBridge(sim, node, opts)
	check(err)
	t.Cleanup(func() { s.bridge.Close() })
	other := s.node("/subscriber")
	graph, err := other.Graph(t.Context())
	check(err)
	var all []*ros1.Subscriber
	for topic := range graph.Publishers {
		if slices.Contains(ofWallTime, topic) {
			continue
		}
		sub, err := ros1.SubscribeRaw(other, topic, func(_ *ros1.Source, b []byte) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.got[topic] = append(s.got[topic], published{s.now, string(b)})
		})
		check(err)
		sub.Confirm()
		all = append(all, sub)
	}
	for slices.ContainsFunc(all, func(s *ros1.Subscriber) bool { return len(s.Connections()) == 0 }) {
		runtime.Gosched()
	}
	return s
}

func (s *subscriber) node(name string) *ros1.Node {
	s.t.Helper()
	n := must.Get(ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: s.master}))(s.t)
	s.t.Cleanup(func() { n.Close() })
	return n
}

// step takes a step, and waits for the messages that it publishes.
func (s *subscriber) step() {
	s.t.Helper()
	must.Do(s.t, s.sim.Step())
	for !s.complete() {
		runtime.Gosched()
	}
	s.mu.Lock()
	s.now = s.sim.Truth().Time + s.sim.World().Time.Step
	s.mu.Unlock()
}

// all returns the received messages.
func (s *subscriber) all() map[string][]published {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.got)
}

func (s *subscriber) complete() bool {
	sent := maps.Clone(s.levels)
	for _, r := range s.bridge.Topics() {
		if !r.Taken {
			sent[r.Topic] += int(r.Messages)
		}
		if r.Dropped > 0 && r.Topic != newest {
			s.t.Fatalf("%s: %d messages were dropped", r.Topic, r.Dropped)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for topic, n := range sent {
		if topic != newest && !slices.Contains(ofWallTime, topic) && len(s.got[topic]) < n {
			return false
		}
	}
	return true
}

// talkative returns a shipped world, with small images and many messages.
func talkative(t testing.TB, name string) *worlds.World {
	t.Helper()
	w := must.Get(worlds.Load(name))(t)
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			if image := w.Robots[i].Sensors[k].Image; image != nil {
				image.Width, image.Height = 24, 24
			}
		}
	}
	return w
}

// The bytes and the order of messages on all topics equal those of the recorded run: from the beginning, over a
// restart, from any moment, and after seeking back. The recording has the same bytes.
func TestTopicsAreThoseOfTheRun(t *testing.T) {
	const n = 240
	for _, world := range strings.Fields(*topicWorlds) {
		t.Run(world, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.mcap")
			w := talkative(t, world)
			rec, sim := recorded(t, path, w, recorder.Config{Program: "test", Exact: true})
			defer sim.Close()
			was := subscribe(t, sim, robotio.Options{})
			topics, err := rec.Topics(was.node("/recorder"), recording.TopicsConfig{Patterns: []string{"*"}})
			if err != nil {
				t.Fatal(err)
			}
			for !topics.Connected() {
				runtime.Gosched()
			}
			for i := range n {
				robot := &w.Robots[0]
				if i%30 == 7 {
					err = sim.Do(&action.Drive{Robot: robot.Name, VX: 1, Omega: float64(i) / n},
						&action.Dribble{Robot: robot.Name, Enable: true})
				}
				if i == n*2/3 {
					err = sim.Restart(nil)
				}
				if err != nil {
					t.Fatal(err)
				}
				was.step()
			}
			must.Do(t, topics.Close())
			must.Do(t, rec.Close())
			recorded := recordedTopics(t, path)
			live := was.all()
			for topic, got := range live {
				if want := texts(got); topic != newest && !slices.Equal(recorded[topic], want) {
					t.Errorf("%s: the recording has %d messages, a subscriber got %d others", topic,
						len(recorded[topic]), len(want))
				}
			}
			if len(live) < 5 {
				t.Fatalf("only %d topics have messages", len(live))
			}
			for _, from := range []int{0, 75} {
				r, replay := replayed(t, path, omnipitch.Options{}, Config{From: time.Duration(from) * w.Time.Step})
				is := subscribe(t, replay.Sim, robotio.Options{Seek: replay.Seek})
				for replay.Now() < r.Length() {
					is.step()
				}
				before := is.all()
				compare(t, fmt.Sprintf("from step %d", from), live, before, from)
				replay.seeks.add(75 * w.Time.Step)
				for range 20 {
					is.step()
				}
				after := is.all()
				for topic, got := range before {
					after[topic] = after[topic][len(got):]
				}
				compare(t, "after going back", live, after, 75)
			}
		})
	}
}

// compare compares the messages published from a step on. Messages before that may be latched ones.
func compare(t *testing.T, when string, was, is map[string][]published, from int) {
	t.Helper()
	const step = 5 * time.Millisecond
	for _, topic := range slices.Sorted(maps.Keys(was)) {
		if topic == newest && len(is[topic]) > 0 {
			continue
		}
		first, all := 0, was[topic]
		if from > 0 {
			first = slices.IndexFunc(all, func(p published) bool { return p.at >= time.Duration(from)*step })
		}
		got := texts(is[topic])
		if len(got) == 0 && when != "after going back" && first >= 0 {
			t.Errorf("%s: %s: nothing, want %d messages", when, topic, len(all)-first)
		}
		want := texts(all)
		switch {
		case first < 0: // a latched message
			want = want[len(want)-1:]
		case first > 0 && len(got) > 0 && strings.HasSuffix(topic, "/level") && got[0] == want[first-1]:
			want = want[first-1:]
		default:
			want = want[first:]
		}
		if when == "after going back" || first < 0 {
			want = want[:min(len(want), len(got))]
		}
		if !slices.Equal(got, want) {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: %s: %d messages, want %d: they part at message %d:\n%.300q\n%.300q", when, topic, len(got),
				len(want), at, got[min(at, len(got)):][:min(1, len(got)-at)],
				want[min(at, len(want)):][:min(1, len(want)-at)])
		}
	}
}

func texts(all []published) (data []string) {
	for _, p := range all {
		data = append(data, p.data)
	}
	return data
}

// recordedTopics returns the messages of topics in a recording.
func recordedTopics(t *testing.T, path string) map[string][]string {
	t.Helper()
	r := must.Get(recording.Open(path))(t)
	defer r.Close()
	all := map[string][]string{}
	for messages := r.Messages(0, nil); ; {
		m, err := messages.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all[m.Channel.Topic] = append(all[m.Channel.Topic], string(bytes.Clone(m.Data)))
	}
}
