// Package window shows a run in a window: the image of the viewer's own camera or of a robot's camera, robots' images
// as insets, and overlays that the user chooses. Keys can drive a robot.
package window

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
	glwindow "github.com/omnipitch/omnipitch/render/window"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// Window is a window on the screen. It is empty until Run shows a simulation in it.
type Window struct{ *glwindow.Window }

// Open opens a window and locks the calling goroutine to its thread. Only that goroutine may use the window, and it
// must close the window.
func Open(title string) (Window, error) {
	runtime.LockOSThread()
	const width, height = 960, 720
	w, err := glwindow.Open(title, width, height)
	return Window{w}, err
}

// Replay contains the functions with which the window controls a replay. Times are since the start of the recorded run.
type Replay struct {
	Stop     func()        // cancels a seek in progress
	From, To time.Duration // the range that can be shown
	// Seek continues the run from another time. It returns when the state of that time has been reached.
	Seek func(ctx context.Context, to time.Duration) error
	Now  func() time.Duration // returns the present time; the goroutine that steps calls it
}

// Run runs a simulation until the run ends or the window is closed. replay is nil for a run that is not a replay. The
// report is nil if the window was closed during a seek.
func (w Window) Run(ctx context.Context, sim *omnipitch.Sim, replay *Replay, pace omnipitch.Pace) (*omnipitch.Report,
	error) {
	return run(ctx, w.Window, sim, replay, pace)
}

func run(ctx context.Context, on display, sim *omnipitch.Sim, replay *Replay, pace omnipitch.Pace) (*omnipitch.Report,
	error) {
	s, err := newScreen(on, sim, replay)
	if err != nil {
		return nil, err
	}
	defer s.close()
	pace.Paused, pace.Progress = s.copyState, nil
	outside := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var report *omnipitch.Report
	var runErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		report, runErr = sim.Run(ctx, pace)
	}()
	err = s.loop(ctx, done)
	cancel()
	if replay != nil {
		replay.Stop()
	}
	<-done
	s.seeking.Wait()
	if errors.Is(runErr, context.Canceled) && outside.Err() == nil {
		return nil, err
	} else if runErr != nil {
		return nil, runErr
	}
	return report, err
}

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
	replay   *Replay // the replay; nil if the run is not a replay
	stepping stepping
	feeds    feeds

	// The following fields belong to the goroutine that draws.
	renderer      render.Renderer
	drawn         *scenery.Scenery // the scene that renderer renders
	viewer        *viewer.Viewer
	shown         state
	shapes        shapes
	outlines      map[string]*outline // edges of the cameras' fields of view, by name
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
	saidFor int  // number of frames for which the text said is still shown
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
	if !world.Ball.Absent {
		targets = append(targets, viewer.Target{Name: "ball", Body: s.sim.Sensors().Scenery().Ball()})
	}
	if err := s.listen(); err != nil {
		return err
	}
	s.viewer = viewer.New(targets, s.feeds.images.names, robots)
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
	if now := s.viewer.Paused(); now == s.paused { // no key was pressed: take over the clock's state
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

// Still runs a simulation from its start until the sim time end. It returns the image that the window would show at
// that time if the user had first pressed the given keys.
func Still(sim *omnipitch.Sim, width, height int, keys string, end time.Duration) (*render.Image, error) {
	p := &paper{width: width, height: height}
	s, err := newScreen(p, sim, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for _, k := range keys {
		p.events = append(p.events, viewer.Event{Kind: viewer.Key, Key: k}, viewer.Event{Kind: viewer.Release, Key: k})
	}
	s.handle(context.Background())
	for sim.Truth().Time < end {
		if err := sim.Step(); err != nil {
			return nil, err
		}
	}
	s.copyState()
	err = s.draw()
	return p.image, err
}

// paper is a display that keeps the last image.
type paper struct {
	width, height int
	events        []viewer.Event // the next events to return
	closing       bool
	image         *render.Image
}

func (p *paper) Events() []viewer.Event {
	now := p.events
	p.events = nil
	return now
}

func (p *paper) Size() (int, int) { return p.width, p.height }
func (p *paper) Closing() bool    { return p.closing }

func (p *paper) Show(im *render.Image) error {
	p.image = im
	return nil
}
