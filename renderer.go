package omnipitch

import (
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
)

// drawing is what draws a Sim's images.
type drawing struct {
	mu     sync.Mutex
	choice backend.Choice // made when a renderer is
}

// NewRenderer makes a renderer of what there is to be seen (Scenery().Scene), of the kind that draws the cameras'
// images. The caller closes it. It may be called from any goroutine.
func (s *Sim) NewRenderer() (render.Renderer, error) { return s.newRenderer(s.Scenery().Scene) }

func (s *Sim) newRenderer(scene *render.Scene) (render.Renderer, error) {
	if s.opts.NewRenderer != nil {
		return s.opts.NewRenderer(scene)
	}
	s.drawing.mu.Lock()
	defer s.drawing.mu.Unlock()
	s.drawing.choice = backend.Choose(s.opts.Renderer, scene) // Restart may be for another world
	if s.drawing.choice.Name == backend.Reference {
		return backend.PathTracer(s.opts.Tracing)(scene)
	}
	return s.drawing.choice.New(scene)
}

// Renderer returns what draws images, and why; without a name as long as nothing has been drawn, or if
// Options.NewRenderer draws. It may be called from any goroutine.
func (s *Sim) Renderer() backend.Choice {
	s.drawing.mu.Lock()
	defer s.drawing.mu.Unlock()
	return s.drawing.choice
}
