package replay

import (
	"context"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

var (
	matchTime = flag.Duration("replay.match", 12*time.Second, "how long the match goes on in which is sought")
	seekCount = flag.Int("replay.seeks", 6, "how often")
)

// match returns a world of ten robots that play, on ODE, with cameras at objects.
func match(t *testing.T) *worlds.World {
	t.Helper()
	w := must.Get(worlds.Parse("match.toml", []byte(`
name = "match"
[[robot]]
for_each = [{ n = 1 }, { n = 2 }, { n = 3 }, { n = 4 }, { n = 5 }]
name = "cyan{n}"
model = "nubot"
team = "cyan"
pose = { x_m = -4, y_m = "{n}" }
sensor = [{ name = "omni", level = "objects" }, { name = "front", level = "objects" }]
[robot.player.chase_ball]
[[robot]]
for_each = [{ n = 1 }, { n = 2 }, { n = 3 }, { n = 4 }, { n = 5 }]
name = "magenta{n}"
model = "nubot"
team = "magenta"
pose = { x_m = 4, y_m = "{n}" }
sensor = [{ name = "omni", level = "objects" }, { name = "front", level = "objects" }]
[robot.player.chase_ball]
[[event]]
at_s = 1
every_s = 3
place = { name = "ball", y_m = 1, vx_m_s = 2 }
`)))(t)
	return w
}

// A service seeks back and forth while a replay is served and all cameras have subscribers. After each seek the state
// is the recorded one, and the clock shows its time. Memory does not grow. With -v the test prints how long seeks take.
// -replay.match 10m -replay.seeks 200 makes it a measurement.
func TestSeekWhileServing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.mcap")
	w := match(t)
	rec, run := recorded(t, path, w, recorder.Config{Program: "test", Exact: true})
	var hashes []uint64
	run.OnStep(func(s *physics.Snapshot) { hashes = append(hashes, s.Hash()) })
	must.Get(run.Run(t.Context(), omnipitch.Pace{For: *matchTime, Speed: timesync.Max}))(t)
	run.Close()
	must.Do(t, rec.Close())

	r, sim := replayed(t, path, omnipitch.Options{}, Config{Loop: true})
	s := &subscriber{t: t}
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { master.Close() })
	s.master = master.URI()
	bridge := must.Get(robotio.NewBridge(sim.Sim, s.node("/omnipitch"), robotio.Options{Seek: sim.Seek}))(t)
	t.Cleanup(func() { bridge.Close() })
	client := s.node("/client")
	var mu sync.Mutex
	came := map[time.Duration]time.Time{} // wall time at which the clock first showed a time since the last request
	must.Get(ros1.Subscribe(client, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) {
		mu.Lock()
		defer mu.Unlock()
		if at := m.Clock.Since(); came[at].IsZero() {
			came[at] = time.Now()
		}
	}))(t)
	for i := range w.Robots {
		must.Get(ros1.SubscribeRaw(client, "/"+w.Robots[i].Name+"/omnivision/OmniVisionInfo",
			func(*ros1.Source, []byte) {}))(t)
	}
	wrong := 0
	sim.OnStep(func(s *physics.Snapshot) {
		if s.Hash() != hashes[s.Step] {
			wrong++
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.RealTime})
		ended <- err
	}()
	random := rand.New(rand.NewPCG(1, 2))
	var took []time.Duration
	var memory [2]runtime.MemStats
	for i := range *seekCount {
		if i == *seekCount/2 {
			runtime.GC()
			runtime.ReadMemStats(&memory[0])
		}
		to := time.Duration(random.Int64N(int64(r.Length()/w.Time.Step))) * w.Time.Step
		mu.Lock()
		clear(came)
		mu.Unlock()
		asked := time.Now()
		must.Get(ros1.Call[msg.SeekRequest, msg.SeekResponse](ctx, client, "/simulation/seek",
			"omnipitch_msgs/Seek", &msg.SeekRequest{To: to.Seconds()}))(t)
		for shown := false; !shown; runtime.Gosched() {
			mu.Lock()
			// a slow subscriber receives only the newest message
			for at := to; at < to+time.Second && !shown; at += w.Time.Step {
				if came := came[at]; !came.IsZero() {
					took, shown = append(took, came.Sub(asked)), true
				}
			}
			mu.Unlock()
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&memory[1])
	cancel()
	if err := <-ended; err != nil || wrong > 0 {
		t.Errorf("%v; %d states are not the recorded ones", err, wrong)
	}
	slices.Sort(took)
	t.Logf("%d seeks in %v: median %v, the longest %v; heap %d, then %d kB", len(took), r.Length(), took[len(took)/2],
		took[len(took)-1], memory[0].HeapAlloc>>10, memory[1].HeapAlloc>>10)
	if memory[1].HeapAlloc > 2*memory[0].HeapAlloc+16<<20 {
		t.Errorf("the heap grew from %d to %d bytes", memory[0].HeapAlloc, memory[1].HeapAlloc)
	}
}
