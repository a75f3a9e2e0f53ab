package raycast

import (
	"errors"
	"fmt"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// errClosed is returned by a closed Renderer.
var errClosed = errors.New("render/raycast: renderer is closed")

// Renderer draws batches of views of one scene. It is a render.Renderer.
type Renderer struct {
	mu      sync.Mutex
	scene   *render.Scene
	shading *render.Shading // shading for which model and lights are currently set
	model   *model          // nil once closed
	lights  *lights
	frames  []rays.Frame
	rays    rayCache
	canvas  canvas
	chips   chip.Processor
}

var _ render.Renderer = (*Renderer)(nil)

// New prepares a scene for drawing. The scene must not change afterwards.
func New(scene *render.Scene) (*Renderer, error) {
	if err := scene.Validate(); err != nil {
		return nil, fmt.Errorf("render/raycast: %w", err)
	}
	r := &Renderer{scene: scene, shading: &scene.Shading, model: newModel(scene), lights: newLights(scene)}
	r.lights.natural = newNatural(scene, &r.model.room)
	return r, nil
}

var abilities = render.Abilities{NonCentral: true, MirrorDepth: true, Reflectance: true, Truth: true}

// Render fills the images of all views of a batch. It returns when they are complete.
func (r *Renderer) Render(f *render.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.model == nil {
		return errClosed
	}
	shading, err := f.Check(r.scene, &abilities)
	if err != nil {
		return fmt.Errorf("render/raycast: %w", err)
	}
	r.shade(shading)
	r.frames = r.frames[:0]
	for i := range f.PosesWB {
		r.frames = append(r.frames, rays.NewFrame(f.PosesWB[i]))
	}
	if n := r.lights.natural; n != nil {
		n.shadowMap.Draw(f.PosesWB)
	} else {
		r.lights.shadeStatic(r.model, r.frames)
		r.lights.shadeMoving(r.model, r.frames, rays.InParallel)
	}
	for i := range f.Views {
		v := &f.Views[i]
		r.canvas.draw(v, r.rays.get(v.Model), r.model, r.lights, f.PosesWB, r.frames)
		r.chips.Start(v)
	}
	r.chips.Wait()
	return nil
}

// shade sets the shading of the following views.
func (r *Renderer) shade(with *render.Shading) {
	if with == r.shading {
		return
	}
	r.model.shade(with)
	r.lights.shade(with, &r.scene.Floor)
	if n := r.lights.natural; n != nil {
		n.shadowMap = n.shadowMap.Shade(with)
	}
	r.shading = with
}

// Close frees the renderer. It may be called more than once.
func (r *Renderer) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.model, r.lights, r.rays, r.canvas = nil, nil, rayCache{}, canvas{}
}
