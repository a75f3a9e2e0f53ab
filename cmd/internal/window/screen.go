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

// display is a window on the screen: *glwindow.Window.
type display interface {
	Events() []viewer.Event
	Gamepad() viewer.Gamepad
	Size() (width, height int)
	Closing() bool
	Show(*render.Image) error
}

// screen is what a window shows of a run. The goroutine that steps and the one that draws meet in it, under mu.
type screen struct {
	sim      *omnipitch.Sim
	window   display
	replay   *Replay // nil for a run that is none
	stepping stepping
	feeds    feeds

	// What follows belongs to the goroutine that draws.
	renderer      render.Renderer
	drawn         *scenery.Scenery // by the renderer
	viewer        *viewer.Viewer
	shown         state
	shapes        shapes
	outlines      map[string]*outline // of cameras' fields of view
	scans         []scan              // memory
	picture       *render.Image
	cameraPicture *render.Image   // of a robot's camera
	asked         viewer.Steering // of the robot that the user drives
	paused        bool
	seeking       sync.WaitGroup // of a replay: at most one

	mu      sync.Mutex
	newest  state // not yet shown, if fresh
	fresh   bool
	said    string
	saidFor int  // frames that it is still shown for
	seeks   bool // a seek is under way
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

// connect follows the simulation's bodies and its sensors.
func (s *screen) connect() error {
	world := s.sim.World()
	var targets []viewer.Target
	var robots []string
	for i := range world.Robots {
		robots = append(robots, world.Robots[i].Name)
		targets = append(targets, viewer.Target{Name: world.Robots[i].Name, Body: s.sim.Scenery().Robot(i)})
	}
	targets = append(targets, viewer.Target{Name: "ball", Body: s.sim.Scenery().Ball()})
	if err := s.listen(); err != nil {
		return err
	}
	s.viewer = viewer.New(targets, s.feeds.cameras, robots)
	s.take()
	s.sim.OnStep(s.update)
	return nil
}

// loop draws until the run ends or the window is closed. It belongs to the thread that opened the window.
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

// handle does what the user asks for.
func (s *screen) handle(ctx context.Context) {
	for _, e := range s.window.Events() {
		s.viewer.Handle(e)
	}
	s.viewer.HandleGamepad(s.window.Gamepad())
	s.steer()
	s.drop()
	s.control()
	s.seek(ctx)
	s.feeds.want(s.viewer.Insets(), s.viewer.Shows(viewer.Rays))
	through, _ := s.viewer.Through()
	s.stepping.want(through, s.viewer)
}

// control pauses the run, lets it go on, and changes its speed as the keys say.
func (s *screen) control() {
	clock := s.sim.Clock()
	if now := s.viewer.Paused(); now == s.paused { // the user has not asked
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

// sayingTime is how many frames a sentence is shown for: four seconds.
const sayingTime = 120

// say shows a sentence. It may be called from any goroutine.
func (s *screen) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said, s.saidFor = fmt.Sprintf(format, args...), sayingTime
}

// fail shows what has not been done, and why.
func (s *screen) fail(err error) {
	if err != nil && !errors.Is(err, omnipitch.ErrClosed) { // else the window is about to close
		s.say("%v", err)
	}
}

// close gives back what is held. The window stays.
func (s *screen) close() {
	s.feeds.close()
	if s.renderer != nil {
		s.renderer.Close()
	}
}
