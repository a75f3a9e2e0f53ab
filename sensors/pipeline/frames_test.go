//go:build cgo

package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// counting is a renderer that draws nothing. It counts its frames, and each frame waits for the gate, if there is one.
type counting struct {
	mu     sync.Mutex
	frames int
	gate   chan struct{}
}

func (c *counting) Render(*render.Batch) error {
	if c.gate != nil {
		<-c.gate
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frames++
	return nil
}

func (c *counting) Close() {}

func (c *counting) open(*render.Scene) (render.Renderer, error) { return c, nil }

func TestFramesComeAtTheirRateStampAndDelay(t *testing.T) {
	sim := simtest.New(t, simtest.World(t, "nubot-attack"), omnipitch.Options{NewRenderer: simtest.Grey})
	frames := 0
	sim.On("cyan1", "omni", func(o *sensors.Observation) {
		due := time.Duration(float64(frames) / 30 * float64(time.Second))
		if o.Stamp < due || o.Stamp >= due+5*time.Millisecond {
			t.Errorf("frame %d is stamped %v, want the first step from %v on", frames, o.Stamp, due)
		}
		if delay := sim.Truth().Time - o.Stamp; delay < 33*time.Millisecond || delay >= 38*time.Millisecond {
			t.Errorf("frame %d came %v after its capture, want 33 ms and at most a step", frames, delay)
		}
		if o.Level != abstraction.Raw || o.Color == nil || o.Color.Width != 640 || o.Frame != uint64(frames) {
			t.Errorf("observation %d is %+v", frames, o)
		}
		frames++
	})
	sim.Steps(210) // 1.05 s: the 30 frames of the first second, and one more that is due
	if frames != 31 {
		t.Errorf("%d frames in 1.05 s, want 31", frames)
	}
}

func TestNothingIsRenderedWithoutListeners(t *testing.T) {
	var renderer counting
	sim := simtest.New(t, simtest.World(t, "nubot-attack"), omnipitch.Options{NewRenderer: renderer.open})
	warm, wanted, got := renderer.frames, false, 0
	must.Get(sim.Listen("cyan1", "omni", pipeline.Listener{Observe: func(*sensors.Observation) { got++ },
		Wants: func(abstraction.Level) bool { return wanted }}))(t)
	sim.Steps(100)
	if n := renderer.frames - warm; warm > pipeline.Drawers || n != 0 {
		t.Errorf("%d frames were rendered to warm up and %d for nobody, want at most %d and 0", warm, n,
			pipeline.Drawers)
	}
	wanted = true
	sim.Steps(100)
	if got != 13 { // 14 frames have been captured since they are wanted; one is not yet delivered
		t.Errorf("%d frames came in 0.5 s, want 13", got)
	}
}

// Odometry integrates while nobody reads it, and then delivers no frame. A listener that comes later receives what it
// would have received otherwise, with the covariances.
func TestOdometryIsDeliveredToListenersOnly(t *testing.T) {
	const name = "cyan1"
	run := func(listened bool) (early uint64, late []sensors.OdometryReading) {
		sim := simtest.New(t, simtest.World(t, "planar"), omnipitch.Options{NewRenderer: simtest.Grey})
		if listened {
			sim.On(name, "odometry", func(*sensors.Observation) {})
		}
		drive := func(until time.Duration) {
			sim.Must(&action.Drive{Robot: name, VX: 0.8, VY: 0.3, Omega: 0.5})
			sim.Until(until)
		}
		drive(500 * time.Millisecond)
		sim.Must(&action.Place{Name: name, X: 1, Y: -2, Heading: 1})
		drive(700 * time.Millisecond)
		for _, r := range sim.Sensors().Reports() {
			if r.Robot == name && r.Sensor == "odometry" {
				early = r.Frames
			}
		}
		sim.On(name, "odometry", func(o *sensors.Observation) {
			late = append(late, *o.Reading.(*sensors.OdometryReading))
		})
		drive(time.Second)
		return early, late
	}
	early, want := run(true)
	if early < 70 {
		t.Errorf("%d frames in 0.7 s for a listener, want 70 or 71", early)
	}
	early, got := run(false)
	if early != 0 {
		t.Errorf("%d frames were delivered to nobody, want none", early)
	}
	if len(want) < 29 || want[0].PoseCov[0] <= 0 || !slices.Equal(got, want) {
		t.Errorf("a listener that comes after 0.7 s receives %d readings %v, want %d: %v", len(got), got[:min(1, len(got))],
			len(want), want[:min(1, len(want))])
	}
}

func TestAStepWaitsForALateFrameOnly(t *testing.T) {
	var renderer counting
	sim := simtest.New(t, simtest.World(t, "nubot-attack"), omnipitch.Options{NewRenderer: renderer.open})
	renderer.gate = make(chan struct{})
	got := 0
	sim.On("cyan1", "front", func(*sensors.Observation) { got++ })
	sim.Steps(6) // the frame of time 0 is due at 33 ms: physics continues
	if got != 0 {
		t.Errorf("%d frames before one was drawn", got)
	}
	go close(renderer.gate)
	sim.Steps(1) // at 35 ms the step waits for the frame
	must.Equal(t, got, 1, "frames at their time")
}

func TestOnlyImagesNeedADriver(t *testing.T) {
	none := omnipitch.Options{NewRenderer: func(*render.Scene) (render.Renderer, error) {
		return nil, fmt.Errorf("none: %w", render.ErrNoContext)
	}}
	if _, err := omnipitch.New(simtest.World(t, "nubot-attack"), none); !errors.Is(err, render.ErrNoContext) {
		t.Errorf("raw cameras without a driver: %v, want %v", err, render.ErrNoContext)
	}
	sim := simtest.New(t, simtest.World(t, "nubot-attack", simtest.AtLevel(abstraction.Truth)), none)
	if err := sim.Do(&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: abstraction.Raw}); !errors.Is(err,
		render.ErrNoContext) {
		t.Errorf("a switch to raw without a driver: %v, want %v", err, render.ErrNoContext)
	}
}

func TestTheFirstWantedImageStartsTheRenderer(t *testing.T) {
	sim := simtest.New(t, simtest.World(t, "nubot-attack"), omnipitch.Options{})
	wanted, got := false, 0
	must.Get(sim.Listen("cyan1", "front", omnipitch.Listener{
		Wants:   func(abstraction.Level) bool { return wanted },
		Observe: func(*sensors.Observation) { got++ },
	}))(t)
	sim.Steps(20)
	must.Do(t, sim.Replay().RestoreState(must.Get(sim.Replay().AppendState(nil))(t)))
	chosen := sim.Sensors().ChooseRenderer()
	must.Equal(t, sim.Sensors().Renderer().Name, "", "renderer of a run whose images nobody wants")
	wanted = true
	sim.Steps(20)
	must.Equal(t, sim.Sensors().Renderer().String(), chosen.String(), "renderer of a run with a wanted image")
	if got == 0 {
		t.Error("no image, want at least one")
	}
}

func TestCaptureLeavesTheScheduleAlone(t *testing.T) {
	sim := simtest.New(t, simtest.World(t, "nubot-attack"), omnipitch.Options{NewRenderer: simtest.Grey})
	sim.Steps(20)
	for _, level := range sensors.OmniKind.Levels() {
		if o := sim.Capture("cyan1", "omni", level); o.Level != level || o.Stamp != sim.Truth().Time {
			t.Errorf("%s: %+v", level, o)
		}
	}
	if l, _ := sim.Sensors().Level("cyan1", "omni"); l != abstraction.Raw {
		t.Errorf("the level is now %s, want raw", l)
	}
	if _, err := sim.Sensors().Capture("cyan1", "imu", abstraction.Raw); err == nil {
		t.Error("an imu was captured")
	}
}

// A frame at truth has no delay, but is delivered after the earlier frames at objects. It still shows the time of its
// capture, which is then several steps ago.
func TestTruthBehindSlowFramesShowsItsInstant(t *testing.T) {
	w := simtest.World(t, "nubot-attack")
	front := simtest.Sensor(t, w, "cyan1", "front")
	front.Level, front.Latency, front.Vision.Delay = abstraction.Objects, 0, 150*time.Millisecond
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	sim.Must(&action.Place{Name: "ball", X: 1, Y: 1, VX: 3, VY: -1})
	balls := map[time.Duration]mgl64.Vec3{}
	late := 0
	sim.On("cyan1", "front", func(o *sensors.Observation) {
		if o.Level != abstraction.Truth {
			return
		}
		if sim.Truth().Time-o.Stamp > 20*time.Millisecond {
			late++
		}
		if off := o.Objects.Detections[0].PosB.Sub(balls[o.Stamp]).Len(); !(off <= 1e-9) {
			t.Errorf("the frame of %v, delivered at %v, has the ball %v m off", o.Stamp, sim.Truth().Time, off)
		}
	})
	sim.OnStep(func(now *physics.Snapshot) {
		balls[now.Time] = now.Robots[0].PoseWB.Inverse().Apply(now.Ball.PosW)
	})
	sim.Steps(60)
	sim.Must(&action.SetLevel{Robot: "cyan1", Sensor: "front", Level: abstraction.Truth})
	sim.Steps(60)
	if late == 0 {
		t.Error("no frame waited for those before it")
	}
}

// The perception of cameras is the same from a worker and from the goroutine that steps. It is also the same with a new
// Cache and with the Cache of other worlds, with robots of the same and of other appearance.
func TestPerceptionDependsOnNoWorkerAndNoCache(t *testing.T) {
	perceived := func(world string, radius float64, opts omnipitch.Options, n int) (all []string) {
		w := simtest.World(t, world)
		w.Robots[0].Body.Radius *= radius
		for r := range w.Robots {
			for j := range w.Robots[r].Sensors {
				if c := &w.Robots[r].Sensors[j]; c.Kind.TakesImages() {
					c.Level = []abstraction.Level{abstraction.Objects, abstraction.Features,
						abstraction.Truth}[min(r, 2)]
				}
			}
		}
		sim := simtest.New(t, w, opts)
		for _, r := range w.Robots {
			sim.Must(&action.Drive{Robot: r.Name, VX: 0.5, Omega: 1})
			for _, c := range r.Sensors {
				if c.Kind.TakesImages() && !(r.Name == "magenta1" && c.Kind == sensors.OmniKind) { // features take long
					sim.On(r.Name, c.Name, func(o *sensors.Observation) {
						all = append(all, fmt.Sprint(sim.Truth().Time, simtest.Describe(o)))
					})
				}
			}
		}
		sim.Steps(n)
		return all
	}
	used := &omnipitch.Cache{}
	for _, name := range []string{"planar", "drives", "nubot-attack"} {
		perceived(name, 0.9, omnipitch.Options{Cache: used}, 0)
	}
	want := perceived("nubot-attack", 1, omnipitch.Options{}, 60)
	for name, opts := range map[string]omnipitch.Options{"no worker": {NoWorker: true}, "a cache": {Cache: used},
		"the same cache again": {Cache: used, NoWorker: true}} {
		if got := perceived("nubot-attack", 1, opts, 60); len(want) < 30 || !slices.Equal(got, want) {
			t.Errorf("%s: %d observations, otherwise %d, which are not the same", name, len(got), len(want))
		}
	}
}

// BenchmarkTenRobots steps ten driving robots on the planar engine, with a listener to every sensor.
func BenchmarkTenRobots(b *testing.B) {
	for _, level := range []abstraction.Level{abstraction.Features, abstraction.Objects, abstraction.Truth} {
		b.Run(string(level), func(b *testing.B) {
			w := simtest.World(b, "ten-robots", simtest.AtLevel(level))
			w.Physics.Engine = "planar"
			sim := simtest.New(b, w, omnipitch.Options{})
			for _, r := range w.Robots {
				sim.Must(&action.Drive{Robot: r.Name, VX: 0.5, Omega: 1.5})
			}
			sim.OnAll(func(*sensors.Observation) {})
			sim.Until(time.Second) // warm up caches and buffers
			b.ReportAllocs()
			for b.Loop() {
				sim.Steps(1)
			}
			b.ReportMetric(w.Time.Step.Seconds()/b.Elapsed().Seconds()*float64(b.N), "real_time_factor")
		})
	}
}
