// Package backend chooses what draws a render scene: OpenGL, the tile renderer or a ray caster. It draws nothing itself; its renderers obey the rules of
// render.Renderer.
//
//	renderer, err := backend.Choose(backend.Auto, scene).New(scene)
//	err = renderer.Render(batch)
package backend

import (
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/gl"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/raycast"
	"github.com/omnipitch/omnipitch/render/tile"
)

// OpenGL makes a renderer that draws without a display. Cameras without a single viewpoint and the truth of images,
// which OpenGL cannot draw, are left to a ray caster.
func OpenGL(scene *render.Scene) (render.Renderer, error) {
	r, err := gl.New(scene)
	if err != nil {
		return nil, err
	}
	return &mixed{Renderer: r, scene: scene}, nil
}

// Tile makes a renderer that draws on the processor, with its vector instructions and without a driver. Cameras without a single viewpoint and the truth of
// images are left to a ray caster.
func Tile(scene *render.Scene) (render.Renderer, error) {
	r, err := tile.New(scene)
	if err != nil {
		return nil, err
	}
	return &mixed{Renderer: r, scene: scene}, nil
}

// RayCaster makes a renderer that follows rays, for every camera. It is the slowest.
func RayCaster(scene *render.Scene) (render.Renderer, error) { return raycast.New(scene) }

// mixed draws cameras with a single viewpoint by its Renderer and casts rays for the rest.
type mixed struct {
	render.Renderer
	scene           *render.Scene
	rays            *raycast.Renderer // made when the first such camera is drawn
	central, others render.Batch
}

func (m *mixed) Render(f *render.Batch) error {
	m.central = render.Batch{PosesWB: f.PosesWB, Shading: f.Shading, Views: m.central.Views[:0]}
	m.others = render.Batch{PosesWB: f.PosesWB, Shading: f.Shading, Views: m.others.Views[:0]}
	for i := range f.Views {
		if _, ok := f.Views[i].Model.(optics.NonCentral); ok {
			m.others.Views = append(m.others.Views, f.Views[i])
			continue
		}
		v := f.Views[i]
		v.Truth = nil
		if v.Color != nil || v.Depth != nil {
			m.central.Views = append(m.central.Views, v)
		}
		if v.Truth = f.Views[i].Truth; v.Truth != nil {
			v.Color, v.Depth, v.CubeFace = nil, nil, 0
			m.others.Views = append(m.others.Views, v)
		}
	}
	if len(m.central.Views) > 0 {
		if err := m.Renderer.Render(&m.central); err != nil {
			return err
		}
	}
	if len(m.others.Views) == 0 {
		return nil
	}
	if m.rays == nil {
		rays, err := raycast.New(m.scene)
		if err != nil {
			return err
		}
		m.rays = rays
	}
	return m.rays.Render(&m.others)
}

func (m *mixed) Close() {
	m.Renderer.Close()
	if m.rays != nil {
		m.rays.Close()
	}
}
