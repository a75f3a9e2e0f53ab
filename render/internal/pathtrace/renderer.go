package pathtrace

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/light"
)

// errClosed is returned by a closed Renderer.
var errClosed = errors.New("render/pathtrace: renderer is closed")

// Renderer draws batches of views of one scene. It is a render.Renderer.
type Renderer struct {
	mu      sync.Mutex
	in      *render.Scene
	how     render.Tracing
	caster  *raycast.Renderer // computes depths and ground truth; nil once closed
	carpet  *rays.Carpet
	picture *rays.Picture
	albedos map[float32]*albedos
	chips   chip.Processor
}

var (
	_ render.Renderer = (*Renderer)(nil)
	_ render.Unwarmed = (*Renderer)(nil)
)

// New prepares a scene for drawing. The scene must not change afterwards.
func New(in *render.Scene, how render.Tracing) (*Renderer, error) {
	if how.Samples == 0 {
		how.Samples = render.DefaultSamples
	}
	if how.Samples < 0 {
		return nil, fmt.Errorf("render/pathtrace: %d samples: must not be negative", how.Samples)
	}
	caster, err := raycast.New(in)
	if err != nil {
		return nil, fmt.Errorf("render/pathtrace: %w", err)
	}
	carpet := rays.NewUsedCarpet(in)
	return &Renderer{in: in, how: how, caster: caster, carpet: &carpet, picture: rays.NewPicture(&in.Room),
		albedos: map[float32]*albedos{}}, nil
}

// Unwarmed implements render.Unwarmed.
func (r *Renderer) Unwarmed() {}

// Render fills the images of all views of a batch. It returns when they are complete, or when Tracing.Stop ends the
// tracing.
func (r *Renderer) Render(f *render.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.caster == nil {
		return errClosed
	}
	cast := render.Batch{PosesWB: f.PosesWB, Shading: f.Shading}
	for _, v := range f.Views {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("render/pathtrace: %w", err)
		}
		v.Radiance = nil
		if v.Depth == nil && v.Truth == nil && v.CubeFace == 0 {
			continue
		}
		v.Color, v.Chip = nil, nil
		cast.Views = append(cast.Views, v)
	}
	// the ray caster also validates the batch
	if err := r.caster.Render(&cast); err != nil {
		return err
	}
	if slices.ContainsFunc(f.Views, func(v render.View) bool { return v.Color != nil || v.Radiance != nil }) {
		r.trace(f)
	}
	return nil
}

// trace renders the colour images of a batch that the ray caster has validated.
func (r *Renderer) trace(f *render.Batch) {
	with := f.Shading
	if with == nil {
		with = &r.in.Shading
	}
	t := r.newScene(f, with)
	for i := range f.Views {
		v := &f.Views[i]
		if v.Color == nil && v.Radiance == nil {
			continue
		}
		c := newCanvas(t, v, &with.Light)
		c.tree, c.surfaces = t.tree, t.surfaces
		if len(v.Hidden) > 0 {
			c.tree, c.surfaces = place(r.in, f.PosesWB, func(body int, part string) bool {
				return slices.Contains(v.Hidden, render.Hidden{Body: body, Part: part})
			})
		}
		c.draw(&r.how)
		if v.Color != nil {
			colors := *v
			colors.Depth = nil // the ray caster already filled it
			r.chips.Start(&colors)
		}
	}
	r.chips.Wait()
}

// newScene prepares the scene for tracing the paths of a batch.
func (r *Renderer) newScene(f *render.Batch, with *render.Shading) *scene {
	t := &scene{materials: prepare(with.Materials, r.albedos), carpet: r.carpet, picture: r.picture}
	t.carpet.Color = rays.Vec32(with.Carpet)
	if t.sheen = float32(r.in.Floor.Sheen); t.sheen > 0 {
		t.pile = pileAlbedos()
	}
	t.tree, t.surfaces = place(r.in, f.PosesWB, nil)
	in := light.Illuminate(r.in, with)
	t.light(r.in, &in, with)
	return t
}

// Close frees the renderer. It may be called more than once.
func (r *Renderer) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.caster != nil {
		r.caster.Close()
		r.caster = nil
	}
}
