package window

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// display is what a screen shows its images on: a window (*glwindow.Window), or a paper.
type display interface {
	Events() []viewer.Event
	Size() (width, height int)
	Closing() bool
	Show(*render.Image) error
}

// screen connects a run to its window. The goroutine that steps and the goroutine that draws share the fields below mu.
type screen struct {
	sim      *omnipitch.Sim
	window   display
	replay   *Replay // nil if the run is not a replay
	stepping stepping
	feeds    feeds

	// The following fields belong to the goroutine that draws.
	renderer      render.Renderer
	drawn         *scenery.Scenery // the scene that renderer renders
	viewer        *viewer.Viewer
	shown         state
	shapes        shapes
	outlines      map[string]*outline // of cameras' fields of view, by name
	scans         []scan              // reused
	picture       *render.Image
	cameraPicture *render.Image   // image of a robot's camera
	asked         viewer.Steering // the last command of the keys
	paused        bool
	seeking       sync.WaitGroup // at most one seek of a replay

	mu      sync.Mutex
	newest  state // the newest copied state; not yet shown if fresh is true
	fresh   bool
	said    string
	saidFor int  // number of frames for which said is still shown
	seeks   bool // reports whether a seek is in progress
}

func newScreen(window display, sim *omnipitch.Sim, replay *Replay) (*screen, error) {
	s := &screen{sim: sim, window: window, replay: replay, outlines: map[string]*outline{}}
	s.stepping.wanted.Store(true)
	if err := s.connect(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// connect subscribes to the simulation's steps and sensors.
func (s *screen) connect() error {
	world := s.sim.World()
	var targets []viewer.Target
	var robots []string
	for i := range world.Robots {
		robots = append(robots, world.Robots[i].Name)
		targets = append(targets, viewer.Target{Name: world.Robots[i].Name, Body: s.sim.Sensors().Scenery().Robot(i)})
	}
	targets = append(targets, viewer.Target{Name: "ball", Body: s.sim.Sensors().Scenery().Ball()})
	if err := s.listen(); err != nil {
		return err
	}
	s.viewer = viewer.New(targets, s.feeds.cameras, robots)
	s.copyState()
	s.sim.OnStep(s.update)
	return nil
}

// loop draws until the run ends or the window is closed. It must run on the thread that opened the window.
func (s *screen) loop(ctx context.Context, done <-chan struct{}) error {
	const frame = time.Second / 30
	tick := time.NewTicker(frame)
	defer tick.Stop()
	for {
		s.handle(ctx)
		if s.window.Closing() || s.viewer.Closing() {
			return nil
		}
		if err := s.draw(); err != nil {
			return err
		}
		select {
		case <-done:
			return nil
		case <-tick.C:
		}
	}
}

// handle processes the user's input.
func (s *screen) handle(ctx context.Context) {
	for _, e := range s.window.Events() {
		s.viewer.Handle(e)
	}
	s.steer()
	s.control()
	s.seek(ctx)
	s.feeds.want(s.viewer.Insets(), s.viewer.Shows(viewer.Rays))
	through, _ := s.viewer.Through()
	s.stepping.want(through, s.viewer)
}

// control pauses, resumes and steps the run and changes its speed as the keys ask.
func (s *screen) control() {
	clock := s.sim.Clock()
	if now := s.viewer.Paused(); now == s.paused { // the user has not pressed the key
		s.viewer.SetPaused(clock.Paused())
	} else if now {
		clock.Pause()
	} else {
		clock.Resume()
	}
	s.paused = s.viewer.Paused()
	clock.Advance(s.viewer.TakeSteps())
	clock.Poke()
	s.changeSpeed(s.viewer.TakeFaster())
}

// sayingTime is the number of frames for which a message is shown: four seconds.
const sayingTime = 120

// say shows a message. Any goroutine may call it.
func (s *screen) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said, s.saidFor = fmt.Sprintf(format, args...), sayingTime
}

// fail shows an error.
func (s *screen) fail(err error) {
	if err != nil && !errors.Is(err, omnipitch.ErrClosed) { // otherwise the window is about to close
		s.say("%v", err)
	}
}

// close releases observations and the renderer. The window stays open.
func (s *screen) close() {
	s.feeds.close()
	if s.renderer != nil {
		s.renderer.Close()
	}
}
