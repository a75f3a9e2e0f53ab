//go:build race && cgo

package serve

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/player"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// patience is how long a busy machine may take in addition until each wire has answered. It is a guess.
const patience = 5 * time.Minute

var wiresFor = flag.Duration("wires.for", 8*time.Second, "wall time for which clients send requests")

// wiredWorld has something for every wire and for nearly every action, and costs little.
const wiredWorld = `
name = "wired"
referee = "auto"
physics = { engine = "planar" }
team.cyan.radio = { delay_ms = 20, topic = [{ name = "ball", type = "geometry_msgs/Point" }] }
[[robot]]
name = "cyan1"
model = "nubot"
team = "cyan"
sensor = [
  { name = "omni", level = "objects", image = { width_px = 24, height_px = 24 } },
  { name = "front", level = "raw", image = { width_px = 16, height_px = 16 } },
  { name = "head", kind = "camera", level = "features", image = { width_px = 24, height_px = 24 }, head = {} },
  { name = "laser", kind = "laser" },
]
player = { patrol = { way_points = [{ x_m = 3 }, { x_m = -3 }], back_and_forth = true } }
[[robot]]
name = "cyan2"
model = "nubot"
team = "cyan"
number = 2
pose = { x_m = 2 }
sensor = [
  { name = "omni", level = "objects", image = { width_px = 24, height_px = 24 } },
  { name = "front", level = "objects", image = { width_px = 16, height_px = 16 } },
]
player = { pass_between = { with = ["cyan1"] } }
[[robot]]
name = "magenta1"
model = "nubot"
team = "magenta"
pose = { x_m = 4, y_m = 1 }
sensor = [
  { name = "omni", level = "truth", image = { width_px = 24, height_px = 24 } },
  { name = "front", level = "ideal", image = { width_px = 16, height_px = 16 } },
]
[[board]]
name = "board"
columns = 5
rows = 4
square_m = 0.1
hang = { x_m = 3, z_m = 0.5 }
[[event]]
name = "often"
repeat = true
when = { detects = { robot = "cyan1", sensor = "omni", name = "ball" }, for_s = 0.03 }
set_light = { lamp = 0.8, over_s = 0.1 }
[[event]]
at_s = 2
reset = {}
[[event]]
repeat = true
when = { topic_value = { topic = "/stop", field = "data", over = 0.5 } }
set_level = { robot = "cyan2", sensor = "omni", level = "truth" }
[[expect]]
name = "rate"
eventually = { sensor_rate = { robot = "cyan1", sensor = "front", over_hz = 5, window_s = 0.2 } }
`

// TestRaceOfAllWires runs a world and replays its recordings under the race detector, while clients of all wires send
// random requests: pages and WebSockets of the dashboard, ROS 1 nodes, rosbridge, Foxglove and Player. The
// requests restart and reload the world, switch levels, record, and seek. -wires.for 10m makes it a verification.
func TestRaceOfAllWires(t *testing.T) {
	const each = time.Minute // wall time of one run, and of one replay
	end := time.Now().Add(*wiresFor)
	for seed := uint64(1); time.Until(end) > 0; seed++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "run.mcap")
		for _, open := range []func(*exercise, string){(*exercise).run, (*exercise).replayed} {
			x := &exercise{t: t, dir: dir, world: simtest.Parse(t, wiredWorld)}
			x.exercise(seed, path, min(each, *wiresFor/2), open)
		}
	}
}

// exercise is one run or one replay with clients.
type exercise struct {
	t      *testing.T
	dir    string // of recordings
	world  *worlds.World
	sim    *omnipitch.Sim
	replay *replay.Replay // nil for a run
	server *Server
	player *player.Server
	page   Page
	tap    *recorder.Tap
	opts   omnipitch.Options

	close   []func() // called in reverse order
	answers [wires]atomic.Int64
}

// way is one of the ways to reach a simulation.
type way int

const (
	pageWire way = iota
	socketWire
	topicWire
	serviceWire
	rosbridgeWire
	foxgloveWire
	playerWire
	wires // number of wires
)

func (w way) String() string {
	return [...]string{"the dashboard", "the dashboard's WebSockets", "ROS 1 topics", "ROS 1 services", "rosbridge",
		"Foxglove's WebSocket", "Player"}[w]
}

// silent returns the wires that have not answered.
func (x *exercise) silent() (all []way) {
	for w := range wires {
		if x.answers[w].Load() == 0 {
			all = append(all, w)
		}
	}
	return all
}

// exercise opens a run or a replay and lets clients send requests for the wall time d, or longer on a busy machine:
// until each wire has answered.
func (x *exercise) exercise(seed uint64, path string, d time.Duration, open func(x *exercise, path string)) {
	x.t.Helper()
	x.opts = omnipitch.Options{NewRenderer: backend.RayCaster, Topics: robotio.NewTopics()}
	open(x, path)
	defer func() {
		for _, f := range slices.Backward(x.close) {
			f()
		}
	}()
	ctx, cancel := context.WithTimeout(x.t.Context(), d+patience)
	defer cancel()
	var clients sync.WaitGroup
	for i, client := range []func(*exercise, context.Context, *rand.Rand){
		(*exercise).requestPages, (*exercise).requestPages, (*exercise).requestFrames, (*exercise).followSockets,
		(*exercise).joinROS, (*exercise).joinROS, (*exercise).joinRosbridge, (*exercise).joinFoxglove,
		(*exercise).joinPlayer, (*exercise).reload,
	} {
		rnd := rand.New(rand.NewPCG(seed, uint64(i)))
		clients.Go(func() {
			for ctx.Err() == nil {
				client(x, ctx, rnd)
			}
		})
	}
	rnd := rand.New(rand.NewPCG(seed, uint64(wires)))
	clients.Go(func() {
		for begun := time.Now(); ctx.Err() == nil && (time.Since(begun) < d || x.silent() != nil); {
			pause(ctx, rnd, time.Second)
		}
		cancel()
	})
	_, err := x.sim.Run(ctx, omnipitch.Pace{Speed: timesync.RealTime})
	cancel()
	x.sim.Close() // a service call may wait for a step
	clients.Wait()
	if silent := x.silent(); err != nil {
		x.t.Error(err)
	} else if silent != nil {
		x.t.Errorf("no answer of %v", silent)
	}
	for w := range wires {
		x.t.Logf("%d answers of %v", x.answers[w].Load(), w)
	}
}

// run opens a run that is recorded into a file.
func (x *exercise) run(path string) {
	rec := must.Get(recorder.New(path, x.world, recorder.Config{Program: "test", Exact: true}))(x.t)
	x.tap = &recorder.Tap{}
	rec.Hook(&x.opts)
	x.tap.Hook(&x.opts)
	x.sim = must.Get(omnipitch.New(x.world, x.opts))(x.t)
	x.close = append(x.close, func() { must.Do(x.t, rec.Close()) }, x.sim.Close)
	rec.Follow(x.sim)
	x.tap.Follow(x.sim)
	x.connect(robotio.Options{})
}

// replayed opens a replay of a recording, which repeats itself.
func (x *exercise) replayed(path string) {
	rec := must.Get(replay.Open(path))(x.t)
	x.close = append(x.close, func() { rec.Close() })
	x.replay = must.Get(rec.NewSim(x.t.Context(), x.opts, replay.Config{Loop: true}))(x.t)
	x.sim = x.replay.Sim
	x.close = append(x.close, x.replay.Close)
	x.connect(robotio.Options{Seek: x.replay.Seek})
}

// connect opens all servers, at free ports of this machine.
func (x *exercise) connect(opts robotio.Options) {
	con := console.Streams{Out: io.Discard, Err: io.Discard, Quiet: true}
	flags := Flags{Rosbridge: "0", Foxglove: "0"}
	must.Do(x.t, flags.ROS1.UnmarshalText([]byte("embedded:0")))
	opts.Topics = x.opts.Topics.(*robotio.Topics)
	x.server = must.Get(Open(x.t.Context(), con, x.world, x.sim, opts, flags, Access{}))(x.t)
	x.close = append(x.close, x.server.Close, x.sim.Close)
	x.player = must.Get(player.Listen(x.sim, player.Config{Addr: "127.0.0.1:0"}))(x.t)
	x.close = append(x.close, func() { x.player.Close() }, x.sim.Close)
	web := Dashboard{Web: "0", Recordings: []string{x.dir}}
	x.page = must.Get(web.Open(con, Shown{Name: x.world.Name, Sim: x.sim, Replay: x.replay, Wires: x.server, Tap: x.tap,
		Recorder: recorder.Config{Program: "test"}, Renderer: "tile"}, flags, Access{}))(x.t)
	x.close = append(x.close, func() { must.Do(x.t, x.page.Close()) })
}

// reload restarts the world as run --watch does when a file changes.
func (x *exercise) reload(ctx context.Context, rnd *rand.Rand) {
	w, err := x.world.WithSeed(uint64(rnd.IntN(5)))
	if err == nil {
		err = x.sim.Restart(w)
	}
	if x.replay == nil && err != nil && ctx.Err() == nil {
		x.t.Error(err)
	}
	x.page.Reloaded(fmt.Errorf("seed %d", rnd.IntN(5)))
	pause(ctx, rnd, time.Second)
}

// pause waits for a random time up to most, or until ctx ends.
func pause(ctx context.Context, rnd *rand.Rand, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(rnd.Int64N(int64(most))))
	defer cancel()
	<-ctx.Done()
}

// one returns a random element of a list.
func one[T any](rnd *rand.Rand, list []T) T { return list[rnd.IntN(len(list))] }

// oneOf returns a random key of a map. It returns false if there is none.
func oneOf[T any](rnd *rand.Rand, all map[string]T) (key string, ok bool) {
	if len(all) == 0 {
		return "", false
	}
	return one(rnd, slices.Sorted(maps.Keys(all))), true
}

// graph returns the graph of nodes; an empty one if the master does not answer.
func (x *exercise) graph(ctx context.Context) *graph.State {
	g, err := x.server.ros.node.Graph(ctx)
	if err != nil {
		return &graph.State{}
	}
	return g
}
