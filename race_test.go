package omnipitch

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// withoutPictures loads planar with only its first robots, a turning camera, and small images that nothing requests at
// first.
func withoutPictures(t *testing.T) *worlds.World {
	t.Helper()
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	w.Robots = w.Robots[:3]
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			c := &w.Robots[i].Sensors[j]
			if c.Image != nil {
				c.Image.Width, c.Image.Height = 24, 24
				c.Level = abstraction.Objects
			}
			if c.Kind == sensors.CameraKind {
				c.Head = &sensors.HeadConfig{PanLimit: 2, TiltLimit: 1, Speed: 4}
			}
		}
	}
	return w
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

func (r countedRenderer) Close() {
	r.of.open.Add(-1)
	r.Renderer.Close()
}

// Several goroutines call everything that any goroutine may call, while the world steps from a start without images,
// and after its end. It runs under the race detector (make test). No renderer stays open.
func TestRaceOfAllThatAnyoneMayCall(t *testing.T) {
	w := withoutPictures(t)
	var renderers counted
	s, err := New(w, Options{NewRenderer: renderers.new})
	if err != nil {
		t.Fatal(err)
	}
	if renderers.made.Load() != 0 {
		t.Fatal("a world without pictures has made a renderer")
	}
	for _, r := range w.Robots {
		for _, c := range r.Sensors {
			if _, err := s.Listen(r.Name, c.Name, Listener{Observe: func(*sensors.Observation) {}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.OnStep(func(now *physics.Snapshot) {
		if err := s.Do(&action.AimHead{Robot: "cyan2", Sensor: "front", Pan: now.Time.Seconds(), Tilt: 0}); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	var others sync.WaitGroup
	const enough = 150
	var switches atomic.Int32
	for k := range 4 {
		rnd := rand.New(rand.NewPCG(7, uint64(k)))
		others.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				robot := &w.Robots[rnd.IntN(len(w.Robots))]
				c := &robot.Sensors[rnd.IntN(len(robot.Sensors))]
				levels := c.Kind.Levels()
				switch rnd.IntN(9) {
				case 0, 1:
					if err := s.Do(&action.SetLevel{Robot: robot.Name, Sensor: c.Name,
						Level: levels[rnd.IntN(len(levels))]}); err == nil {
						switches.Add(1)
					} else if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					fault := c.Kind.Faults()[rnd.IntN(len(c.Kind.Faults()))]
					if err := errors.Join(s.Do(&action.BreakSensor{Robot: robot.Name, Sensor: c.Name, Fault: fault}),
						s.Do(&action.HealSensor{Robot: robot.Name, Sensor: c.Name})); err != nil &&
						!errors.Is(err, ErrClosed) {
						t.Error(err)
					}
				case 2:
					if _, err := s.Sensors().Level(robot.Name, c.Name); err != nil {
						t.Error(err)
					}
				case 3:
					remove, err := s.Listen(robot.Name, c.Name, Listener{Observe: func(*sensors.Observation) {}})
					if err != nil {
						t.Error(err)
					}
					remove()
				case 4:
					stop := s.Clock().After(0, func(time.Duration) {
						if err := s.Do(&action.Place{Name: robot.Name, X: robot.Pose.X, Y: robot.Pose.Y,
							Heading: robot.Pose.Heading}); err != nil {
							t.Error(err)
						}
					})
					stop()
					s.Clock().After(time.Millisecond, func(time.Duration) { _ = s.Truth().Time })
				case 5:
					hold := &player.Hold{Limits: player.Limits{Speed: 1, Accel: 1}}
					if err := s.Do(&action.Play{Robot: robot.Name, Choice: player.Choice{Hold: hold}},
						&action.Drive{Robot: robot.Name, VX: rnd.Float64()}); err != nil && !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
				case 6:
					if _, err := s.Ask(ctx, nil, &action.Dribble{Robot: robot.Name, Enable: true}); err != nil &&
						!errors.Is(err, ErrClosed) && ctx.Err() == nil {
						t.Error(err)
					}
				case 7:
					if err := errors.Join(s.Do(&action.SetSpeed{Speed: "max"}, &action.Extend{Robot: robot.Name,
						To: "in"})); err != nil && !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					s.Clock().Lockstep().Ack(robot.Name, s.Clock().Time())
					_, _, _ = s.Clock().Factor(), s.Sensors().Scenery().Labels(), s.Sensors().Scenery().Scene
				case 8:
					if err := s.Do(&action.Reset{}); err != nil && !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					_ = s.World().Seed
				}
			}
		})
	}
	for s.Truth().Time < time.Hour && switches.Load() < enough {
		if _, err := s.Run(ctx, Pace{For: 50 * time.Millisecond, Speed: timesync.Max}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close() // the other goroutines continue their calls
	if err := s.Do(&action.SetLevel{Robot: "cyan2", Sensor: "omni", Level: abstraction.Raw}); !errors.Is(err,
		ErrClosed) {
		t.Errorf("a switch after the end: %v", err)
	}
	cancel()
	others.Wait()
	if made, open := renderers.made.Load(), renderers.open.Load(); made != pipeline.Drawers || open != 0 {
		t.Errorf("%d renderers were made and %d are open, want %d and 0", made, open, pipeline.Drawers)
	}
	if switches.Load() < enough {
		t.Errorf("only %d switches", switches.Load())
	}
}

// A renderer that is being opened during Close is closed. After Close no renderer is opened.
func TestRaceOfOpeningAndClosing(t *testing.T) {
	var renderers counted
	opening, goOn := make(chan struct{}), make(chan struct{})
	var first sync.Once
	s, err := New(withoutPictures(t), Options{NewRenderer: func(scene *render.Scene) (render.Renderer, error) {
		first.Do(func() {
			close(opening)
			<-goOn
		})
		return renderers.new(scene)
	}})
	if err != nil {
		t.Fatal(err)
	}
	switched := make(chan error, 1)
	go func() { switched <- s.Do(&action.SetLevel{Robot: "cyan2", Sensor: "omni", Level: abstraction.Raw}) }()
	select {
	case <-opening:
	case err := <-switched:
		t.Fatalf("a switch to raw ended without a renderer: %v", err)
	}
	steps(t, s, 20) // steps do not wait for a goroutine that waits for a renderer
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
	if made, open := renderers.made.Load(), renderers.open.Load(); made != pipeline.Drawers || open != 0 {
		t.Errorf("%d renderers were made and %d are open, want %d and 0", made, open, pipeline.Drawers)
	}
	for name, err := range map[string]error{
		"SetLevel": s.Do(&action.SetLevel{Robot: "cyan2", Sensor: "omni", Level: abstraction.Ideal}), "Step": s.Step(),
		"Place":   s.Do(&action.Place{Name: "ball"}),
		"Capture": func() error { _, err := s.Sensors().Capture("cyan2", "omni", abstraction.Ideal); return err }(),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s after the end: %v, want %v", name, err, ErrClosed)
		}
	}
	if made := renderers.made.Load(); made != pipeline.Drawers {
		t.Errorf("%d renderers were made after the end", made-pipeline.Drawers)
	}
}
