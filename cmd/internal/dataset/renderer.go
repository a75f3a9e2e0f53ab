package dataset

import (
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
)

// sharedRenderer is one renderer for the simulation and the labels, because preparing a scene takes long.
type sharedRenderer struct {
	name string // of the backend; empty or backend.Auto: the fastest

	mu    sync.Mutex
	scene *render.Scene
	render.Renderer
}

// open returns the renderer, and makes it at the first call.
func (s *sharedRenderer) open(scene *render.Scene) (render.Renderer, error) {
	if err := s.ready(scene); err != nil {
		return nil, err
	}
	return lent{s}, nil
}

// ready makes the renderer unless it exists.
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

// Render renders a batch of images. Concurrent calls wait for each other.
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

// lent is the renderer for users that close what they open.
type lent struct{ *sharedRenderer }

// Close does nothing, because other users still need the renderer.
func (lent) Close() {}
