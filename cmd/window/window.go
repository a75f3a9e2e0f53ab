// Package window shows a run in a window: what the viewer's camera or a robot's camera sees, and robots' images as insets.
package window

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	glwindow "github.com/omnipitch/omnipitch/render/gl/window"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Window is an empty window until Run shows a simulation in it.
type Window struct{ *glwindow.Window }

// Open opens a window. It belongs to the calling goroutine, which keeps its thread from then on; the caller closes it.
func Open(title string) (Window, error) {
	runtime.LockOSThread()
	const width, height = 960, 720
	w, err := glwindow.Open(title, width, height)
	return Window{w}, err
}

// Run runs a simulation until the run ends or the window is closed.
func (w Window) Run(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace) (*omnipitch.Report, error) {
	renderer, err := sim.NewRenderer()
	if err != nil {
		return nil, err
	}
	s := &screen{sim: sim, window: w.Window, renderer: renderer, insets: true, latest: map[string]*sensors.Observation{}}
	defer s.close()
	if err := s.connect(); err != nil {
		return nil, err
	}
	pace.Paused, pace.Progress = s.updateView, s.progress
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var report *omnipitch.Report
	var runErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		report, runErr = sim.Run(ctx, pace)
	}()
	err = s.loop(done)
	cancel()
	<-done
	if runErr != nil {
		return nil, runErr
	}
	return report, err
}

// screen is what a window shows of a run. The goroutine that steps and the one that draws meet in it.
type screen struct {
	sim           *omnipitch.Sim
	window        *glwindow.Window
	renderer      render.Renderer
	viewer        *viewer.Viewer
	picture       *render.Image
	cameraPicture *render.Image // of a robot's camera
	names         []string      // of the cameras that deliver images

	paused bool
	asked  viewer.Steering // of the robot that the keys drive

	mu      sync.Mutex
	closed  bool
	insets  bool
	through string
	poses   []spatial.Pose
	shading *render.Shading
	view    render.View // of the robot's camera that the window shows
	time    time.Duration
	factor  float64
	latest  map[string]*sensors.Observation // by camera
}

// connect follows the simulation's bodies and its cameras.
func (s *screen) connect() error {
	sim := s.sim
	world := sim.World()
	var targets []viewer.Target
	var robots []string
	for i, b := range sim.Scenery().Scene.Bodies {
		_, robot := world.Robot(b.Name)
		if robot || b.Name == "ball" {
			targets = append(targets, viewer.Target{Name: b.Name, Body: i})
		}
	}
	for i := range world.Robots {
		r := &world.Robots[i]
		robots = append(robots, r.Name)
		for j := range r.Sensors {
			if _, ok := sim.Camera(r.Name, r.Sensors[j].Name); !ok {
				continue
			}
			name := r.Name + "." + r.Sensors[j].Name
			s.names = append(s.names, name)
			_, err := sim.Listen(r.Name, r.Sensors[j].Name, omnipitch.Listener{
				Wants:   s.wantsInsets,
				Observe: func(o *sensors.Observation) { s.keep(name, o) },
			})
			if err != nil {
				return err
			}
		}
	}
	s.viewer = viewer.New(targets, s.names, robots)
	s.poses, s.shading = sim.Scenery().Poses(sim.Truth(), nil), sim.Scenery().Shading()
	sim.OnStep(s.update)
	return nil
}

func (s *screen) wantsInsets(abstraction.Level) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.insets
}

// keep holds on to a camera's latest image.
func (s *screen) keep(name string, o *sensors.Observation) {
	if o.Color == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.insets || s.closed {
		return
	}
	o.Retain()
	if old := s.latest[name]; old != nil {
		old.Release()
	}
	s.latest[name] = o
}

// update takes over the state after a step.
func (s *screen) update(now *physics.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.poses, s.shading, s.time = s.sim.Scenery().Poses(s.sim.Truth(), s.poses), s.sim.Scenery().Shading(), now.Time
	s.findView()
}

// findView finds the view of the robot's camera that the window shows. The goroutine that steps calls it, with mu held.
func (s *screen) findView() {
	s.view = render.View{}
	if robot, sensor, ok := strings.Cut(s.through, "."); ok {
		if camera, ok := s.sim.Camera(robot, sensor); ok {
			r := slices.IndexFunc(s.sim.World().Robots, func(r worlds.Robot) bool { return r.Name == robot })
			s.view = camera.View(abstraction.Ideal, &sensors.Instant{Snapshot: s.sim.Truth(), Robot: r})
		}
	}
}

// updateView is findView while the run is paused, when the user may have chosen another camera.
func (s *screen) updateView() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.findView()
}

func (s *screen) progress(p omnipitch.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.factor = p.Factor
}

// loop draws until the run ends or the window is closed. It belongs to the thread that opened the window.
func (s *screen) loop(done <-chan struct{}) error {
	const frame = time.Second / 30
	tick := time.NewTicker(frame)
	defer tick.Stop()
	for {
		for _, e := range s.window.Events() {
			s.viewer.Handle(e)
		}
		if err := s.steer(); err != nil {
			return err
		}
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

// control pauses the run and lets it go on as the keys say.
func (s *screen) control() {
	clock := s.sim.Clock()
	if paused := s.viewer.Paused(); paused != s.paused {
		if s.paused = paused; paused {
			clock.Pause()
		} else {
			clock.Resume()
		}
	}
	clock.Advance(s.viewer.TakeSteps())
	clock.Poke()
}

// draw draws one image of the window.
func (s *screen) draw() error {
	width, height := s.window.Size()
	if s.picture == nil || s.picture.Width != width || s.picture.Height != height {
		s.picture = render.NewImage(width, height)
	}
	s.mu.Lock()
	s.insets = s.viewer.Insets()
	s.through, _ = s.viewer.Through()
	frame := render.Batch{PosesWB: append([]spatial.Pose(nil), s.poses...), Shading: s.shading}
	view := s.view
	var insets []viewer.Inset
	var held []*sensors.Observation
	for _, name := range s.names {
		if o := s.latest[name]; o != nil && s.insets {
			o.Retain()
			held = append(held, o)
			insets = append(insets, viewer.Inset{Name: name, Picture: o.Color})
		}
	}
	status := fmt.Sprintf("%.2f s  %.2f x real time", s.time.Seconds(), s.factor)
	s.mu.Unlock()
	s.control()
	defer func() {
		for _, o := range held {
			o.Release()
		}
	}()

	if view.Model != nil {
		w, h := view.Model.Size()
		if s.cameraPicture == nil || s.cameraPicture.Width != w || s.cameraPicture.Height != h {
			s.cameraPicture = render.NewImage(w, h)
		}
		view.Color = s.cameraPicture
	} else {
		view.Model, view.PoseWC = s.viewer.Camera(width, height, frame.PosesWB)
		view.Color = s.picture
	}
	frame.Views = []render.View{view}
	if err := s.renderer.Render(&frame); err != nil {
		return err
	}
	if view.Color != s.picture {
		viewer.Fit(s.picture, view.Color)
	}
	s.viewer.Write(s.picture, insets, status)
	return s.window.Show(s.picture)
}

// close gives back the images and the renderer. The window stays.
func (s *screen) close() {
	s.mu.Lock()
	s.closed = true
	for name, o := range s.latest {
		o.Release()
		delete(s.latest, name)
	}
	s.mu.Unlock()
	s.renderer.Close()
}
