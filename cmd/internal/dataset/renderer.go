package dataset

import (
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
)

// sharedRenderer is one renderer that all of a simulation's work and the labels are drawn with: to prepare a scene
// takes long.
type sharedRenderer struct {
	name string // of the backend; empty or backend.Auto: the fastest

	mu    sync.Mutex
	scene *render.Scene
	render.Renderer
}

// open makes the renderer of a scene, or returns the one that there is.
func (s *sharedRenderer) open(scene *render.Scene) (render.Renderer, error) {
	if err := s.ready(scene); err != nil {
		return nil, err
	}
	return lent{s}, nil
}

// ready makes the renderer unless it is there.
func (s *sharedRenderer) ready(scene *render.Scene) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scene == scene {
		return nil
	}
	made, err := backend.Choose(s.name, scene).New(scene)
	if err != nil {
		return err
	}
	s.end()
	s.scene, s.Renderer = scene, made
	return nil
}

// Render draws one batch after the other.
func (s *sharedRenderer) Render(f *render.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Renderer.Render(f)
}

// end closes the renderer.
func (s *sharedRenderer) end() {
	if s.Renderer != nil {
		s.Renderer.Close()
	}
}

// lent is the renderer for who closes what he has opened.
type lent struct{ *sharedRenderer }

// Close leaves the renderer to the others.
func (lent) Close() {}
