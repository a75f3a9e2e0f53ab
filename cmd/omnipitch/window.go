package main

import (
	"context"
	"fmt"
	"github.com/omnipitch/omnipitch/render/backend"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/gl/window"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/sensors"
)

// screen is a window on a run: between the goroutine that steps and the one that draws.
type screen struct {
	sim      *omnipitch.Sim
	window   *window.Window
	renderer render.Renderer
	viewer   *viewer.Viewer
	picture  *render.Image
	seen     *render.Image // through a robot's camera
	names    []string      // of the cameras that deliver pictures

	paused bool

	mu      sync.Mutex
	closed  bool
	insets  bool
	through string
	poses   []spatial.Pose
	view    render.View // of the camera that is looked through
	time    time.Duration
	factor  float64
	latest  map[string]*sensors.Observation // by camera
}

const windowWidth, windowHeight = 960, 720

// newScreen opens what a window shows besides the window itself.
func newScreen(sim *omnipitch.Sim, w *window.Window, drawing drawing) (*screen, error) {
	newRenderer := drawing.options().NewRenderer
	if newRenderer == nil {
		newRenderer = backend.OpenGL
	}
	renderer, err := newRenderer(sim.Scene())
	if err != nil {
		return nil, err
	}
	s := &screen{sim: sim, window: w, renderer: renderer, insets: true, latest: map[string]*sensors.Observation{}}
	world := sim.World()
	var targets []viewer.Target
	for i, b := range sim.Scene().Bodies {
		_, robot := world.Robot(b.Name)
		if robot || b.Name == "ball" {
			targets = append(targets, viewer.Target{Name: b.Name, Body: i})
		}
	}
	for i := range world.Robots {
		r := &world.Robots[i]
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
				s.close()
				return nil, err
			}
		}
	}
	s.viewer = viewer.New(targets, s.names)
	s.poses = sim.Poses(nil)
	sim.OnStep(s.note)
	return s, nil
}

func (s *screen) wantsInsets(abstraction.Level) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.insets
}

// keep holds on to a camera's latest picture.
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

// note takes down the state after a step.
func (s *screen) note(now *physics.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.poses, s.time = s.sim.Poses(s.poses), now.Time
	s.look()
}

// look finds where the camera is that is looked through. It belongs to the goroutine that steps, and mu is held.
func (s *screen) look() {
	s.view = render.View{}
	if robot, sensor, ok := strings.Cut(s.through, "."); ok {
		s.view, _ = s.sim.Look(robot, sensor)
	}
}

// lookAnew takes down where the camera is while the run is paused: another may have been chosen.
func (s *screen) lookAnew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
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

// draw draws one picture of the window.
func (s *screen) draw() error {
	width, height := s.window.Size()
	if s.picture == nil || s.picture.Width != width || s.picture.Height != height {
		s.picture = render.NewImage(width, height)
	}
	s.mu.Lock()
	s.insets = s.viewer.Insets()
	s.through, _ = s.viewer.Through()
	frame := render.Batch{PosesWB: append([]spatial.Pose(nil), s.poses...)}
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
		if s.seen == nil || s.seen.Width != w || s.seen.Height != h {
			s.seen = render.NewImage(w, h)
		}
		view.Color = s.seen
	} else {
		view.Model, view.PoseWC = s.viewer.Eye(width, height, frame.PosesWB)
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

// close gives back the pictures and the renderer. The window stays.
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

// runInWindow runs while the window is open.
func runInWindow(ctx context.Context, s *screen, run func(ctx context.Context) (*omnipitch.Report, error)) (*omnipitch.Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var report *omnipitch.Report
	var runErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		report, runErr = run(ctx)
	}()
	err := s.loop(done)
	cancel()
	<-done
	if runErr != nil {
		return nil, runErr
	}
	return report, err
}
