//go:build cgo

package omnipitch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// withoutImages loads planar with only its first robots, a turning camera, and small images that nothing requests at
// first.
func withoutImages(t *testing.T) *worlds.World {
	t.Helper()
	return simtest.World(t, "planar", func(w *worlds.World) { w.Robots = w.Robots[:3] },
		simtest.AtLevel(abstraction.Objects), simtest.EachSensor(func(c *sensors.Config) {
			if c.Image != nil {
				c.Image.Width, c.Image.Height = 24, 24
			}
			if c.Kind == sensors.CameraKind {
				c.Head = &sensors.HeadConfig{PanLimit: 2, TiltLimit: 1, Speed: 4}
			}
		}))
}

// counted makes ray casters, and counts the open ones.
type counted struct{ made, open atomic.Int32 }

type countedRenderer struct {
	render.Renderer
	of *counted
}

func (c *counted) new(scene *render.Scene) (render.Renderer, error) {
	r, err := backend.RayCaster(scene)
	if err == nil {
		c.made.Add(1)
		c.open.Add(1)
	}
	return countedRenderer{r, c}, err
}

// check fails the test unless all renderers of one Sim were made and closed.
func (c *counted) check(t *testing.T) {
	t.Helper()
	if made, open := c.made.Load(), c.open.Load(); made != pipeline.Drawers || open != 0 {
		t.Errorf("%d renderers were made and %d are open, want %d and 0", made, open, pipeline.Drawers)
	}
}

func (r countedRenderer) Close() {
	r.of.open.Add(-1)
	r.Renderer.Close()
}

// Several goroutines call everything that any goroutine may call, while the world steps from a start without images,
// and after its end. It runs under the race detector (make test). No renderer stays open.
func TestRaceOfAllThatAnyoneMayCall(t *testing.T) {
	w := withoutImages(t)
	var renderers counted
	s := simtest.New(t, w, omnipitch.Options{NewRenderer: renderers.new})
	if renderers.made.Load() != 0 {
		t.Fatal("a world without images has made a renderer")
	}
	ignore := func(*sensors.Observation) {}
	s.OnAll(ignore)
	s.OnStep(func(now *physics.Snapshot) {
		s.Must(&action.AimHead{Robot: "cyan2", Sensor: "front", Pan: now.Time.Seconds(), Tilt: 0})
	})
	ctx, cancel := context.WithCancel(t.Context())
	var others sync.WaitGroup
	const enough = 150
	var switches atomic.Int32
	open := func(err error) { // reports an error of an open Sim
		if err != nil && !errors.Is(err, omnipitch.ErrClosed) && ctx.Err() == nil {
			t.Error(err)
		}
	}
	for k := range 4 {
		rnd := rand.New(rand.NewPCG(7, uint64(k)))
		others.Go(func() {
			for ctx.Err() == nil {
				robot := &w.Robots[rnd.IntN(len(w.Robots))]
				c := &robot.Sensors[rnd.IntN(len(robot.Sensors))]
				levels, faults := c.Kind.Levels(), c.Kind.Faults()
				switch rnd.IntN(9) {
				case 0, 1:
					err := s.Do(&action.SetLevel{Robot: robot.Name, Sensor: c.Name,
						Level: levels[rnd.IntN(len(levels))]})
					if open(err); err == nil {
						switches.Add(1)
					}
					open(s.Do(&action.BreakSensor{Robot: robot.Name, Sensor: c.Name,
						Fault: faults[rnd.IntN(len(faults))]}))
					open(s.Do(&action.HealSensor{Robot: robot.Name, Sensor: c.Name}))
				case 2:
					_, err := s.Sensors().Level(robot.Name, c.Name)
					open(err)
					if _, is := s.Sensors().Model(robot.Name, c.Name); is != (c.Image != nil) {
						t.Errorf("%s.%s has a camera model: %v", robot.Name, c.Name, is)
					}
				case 3:
					remove, err := s.Listen(robot.Name, c.Name, omnipitch.Listener{Observe: ignore})
					open(err)
					remove()
				case 4:
					stop := s.Clock().After(0, func(time.Duration) {
						s.Must(&action.Place{Name: robot.Name, X: robot.Pose.X, Y: robot.Pose.Y,
							Heading: robot.Pose.Heading})
					})
					stop()
					s.Clock().After(time.Millisecond, func(time.Duration) { _ = s.Truth().Time })
				case 5:
					hold := &player.Hold{Limits: player.Limits{Speed: 1, Accel: 1}}
					open(s.Do(&action.Play{Robot: robot.Name, Choice: player.Choice{Hold: hold}},
						&action.Drive{Robot: robot.Name, VX: rnd.Float64()}))
				case 6:
					_, err := s.Ask(ctx, nil, &action.Dribble{Robot: robot.Name, Enable: true})
					open(err)
				case 7:
					open(s.Do(&action.SetSpeed{Speed: "max"}, &action.Extend{Robot: robot.Name, To: "in"}))
					s.Clock().Lockstep().Ack(robot.Name, s.Clock().Time())
					_, _, _ = s.Clock().Factor(), s.Sensors().Scenery().Labels(), s.Sensors().Scenery().Scene
					_, _ = s.Sensors().ChooseRenderer(), s.Sensors().Renderer()
				case 8:
					open(s.Do(&action.Reset{}))
					_ = s.World().Seed
				}
			}
		})
	}
	for s.Truth().Time < time.Hour && switches.Load() < enough {
		must.Get(s.Run(ctx, omnipitch.Pace{For: 50 * time.Millisecond, Speed: timesync.Max}))(t)
	}
	s.Close() // the other goroutines continue their calls
	if err := s.Do(&action.SetLevel{Robot: "cyan2", Sensor: "omni", Level: abstraction.Raw}); !errors.Is(err,
		omnipitch.ErrClosed) {
		t.Errorf("a switch after the end: %v, want %v", err, omnipitch.ErrClosed)
	}
	cancel()
	others.Wait()
	renderers.check(t)
	if switches.Load() < enough {
		t.Errorf("%d switches, want %d", switches.Load(), enough)
	}
}

// A renderer that is being opened during Close is closed. After Close no renderer is opened.
func TestRaceOfOpeningAndClosing(t *testing.T) {
	var renderers counted
	opening, goOn := make(chan struct{}), make(chan struct{})
	var first sync.Once
	newRenderer := func(scene *render.Scene) (render.Renderer, error) {
		first.Do(func() {
			close(opening)
			<-goOn
		})
		return renderers.new(scene)
	}
	s := simtest.New(t, withoutImages(t), omnipitch.Options{NewRenderer: newRenderer})
	switched := make(chan error, 1)
	go func() { switched <- s.Do(&action.SetLevel{Robot: "cyan2", Sensor: "omni", Level: abstraction.Raw}) }()
	select {
	case <-opening:
	case err := <-switched:
		t.Fatalf("a switch to raw ended without a renderer: %v", err)
	}
	s.Steps(20) // steps do not wait for a goroutine that waits for a renderer
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.Close()
	}()
	close(goOn)
	if err := <-switched; err != nil {
		t.Error(err)
	}
	<-closed
	for name, err := range map[string]error{
		"SetLevel": s.Do(&action.SetLevel{Robot: "cyan2", Sensor: "omni", Level: abstraction.Ideal}), "Step": s.Step(),
		"Place":   s.Do(&action.Place{Name: "ball"}),
		"Capture": func() error { _, err := s.Sensors().Capture("cyan2", "omni", abstraction.Ideal); return err }(),
	} {
		if !errors.Is(err, omnipitch.ErrClosed) {
			t.Errorf("%s after the end: %v, want %v", name, err, omnipitch.ErrClosed)
		}
	}
	renderers.check(t)
}
