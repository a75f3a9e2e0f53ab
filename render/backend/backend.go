// Package backend chooses what renders a render.Scene: OpenGL, the tile renderer, a ray caster or a path tracer. It
// renders nothing itself; its renderers obey the rules of render.Renderer.
//
//	renderer, err := backend.Choose(backend.Auto, scene).New(scene)
//	err = renderer.Render(batch)
package backend

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/internal/kept"
	"github.com/omnipitch/omnipitch/render/internal/pathtrace"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
	"github.com/omnipitch/omnipitch/render/internal/tile"
	"github.com/omnipitch/omnipitch/render/optics"
)

// OpenGL makes a renderer that uses OpenGL and needs no display. Tasks that OpenGL does not support go to other
// renderers: the tile renderer draws depth images with reflectance, and a ray caster renders cameras without a single
// viewpoint. A graphics card also draws the ground truth of images. Without a card the tile renderer does, because it
// is several times as fast as OpenGL on the processor.
func OpenGL(scene *render.Scene) (render.Renderer, error) { return openGLBy(gl.New, scene) }

// OpenGLGrouped is like OpenGL, but draws views in groups on every driver, as OpenGL does on a graphics card. Tests use
// it.
func OpenGLGrouped(scene *render.Scene) (render.Renderer, error) {
	return openGLBy(gl.NewGrouped, scene)
}

func openGLBy(open func(*render.Scene) (*gl.Renderer, error), scene *render.Scene) (render.Renderer, error) {
	r, err := open(scene)
	if err != nil {
		return nil, err
	}
	if chips, err := tile.NewChips(); err == nil {
		r.SetVectors(chips)
	}
	return &mixed{Renderer: r, scene: scene, truths: r.DrawsTruth()}, nil
}

// OpenGLRenderer renders with OpenGL alone. It supports no cameras without a single viewpoint, and the ground truth of
// images only on a graphics card. Benchmarks and tests use it; other code calls OpenGL.
type OpenGLRenderer = gl.Renderer

// NewOpenGL makes an OpenGLRenderer. If the machine lacks a driver, the error wraps render.ErrNoContext.
func NewOpenGL(scene *render.Scene) (*OpenGLRenderer, error) { return gl.New(scene) }

// KeepIn sets the folder in which renderers keep what they compute for a hall and its bodies, for the next process of
// the same program. Its files take at most 128 MiB. Without a folder nothing is kept.
func KeepIn(dir string) { kept.In(dir) }

// Instructions returns the name of the instruction set that the tile renderer uses. Images are the same with avx2 and
// avx512. It fails if the environment asks for a set that the processor lacks.
func Instructions() (string, error) { return tile.Instructions() }

// Tile makes a renderer that uses the processor's vector instructions and needs no driver. It leaves the images of
// cameras without a single viewpoint to a ray caster.
func Tile(scene *render.Scene) (render.Renderer, error) {
	r, err := tile.New(scene)
	if err != nil {
		return nil, err
	}
	return &mixed{Renderer: r, scene: scene, truths: true, reflectances: true}, nil
}

// Match is a render.Matcher: semi-global matching with the processor's vector instructions and two threads.
func Match(left, right *render.Image, s *render.Stereo, into *render.Depth) error {
	return tile.Match(left, right, s, into)
}

// Reference is the name of the backend that traces paths of light. Tests compare the light of the other backends with
// it. It takes thousands of times as long as the other backends.
const Reference = "reference"

// PathTracer returns a constructor of renderers that trace paths of light.
func PathTracer(how render.Tracing) func(*render.Scene) (render.Renderer, error) {
	return func(scene *render.Scene) (render.Renderer, error) { return pathtrace.New(scene, how) }
}

// RayCaster makes a renderer that follows rays, for every camera. It is the slowest of the renderers of plain light.
func RayCaster(scene *render.Scene) (render.Renderer, error) { return raycast.New(scene) }

// mixed uses its Renderer for the images of cameras with a single viewpoint. For the rest of a batch it uses other
// renderers, which it creates when they are first needed.
type mixed struct {
	render.Renderer
	truths, reflectances bool // what the Renderer draws
	scene                *render.Scene
	tiles                render.Renderer // for truths and reflectances otherwise; nil until it is needed
	rays                 render.Renderer // for cameras without a single viewpoint; nil until it is needed

	drawn, tiled, cast render.Batch // the parts of a batch for the Renderer, for tiles and for rays
}

func (m *mixed) Render(f *render.Batch) error {
	for _, b := range []*render.Batch{&m.drawn, &m.tiled, &m.cast} {
		b.PosesWB, b.Shading, b.Views = f.PosesWB, f.Shading, b.Views[:0]
	}
	for _, v := range f.Views {
		if _, ok := v.Model.(optics.NonCentral); ok {
			m.cast.Views = append(m.cast.Views, v)
			continue
		}
		truth := v.Truth != nil && !m.truths
		// Shaders draw no reflectances. The processor measures with them anyway: no shader applies Ranging.DarkRange.
		reflects := v.Depth != nil && v.Depth.Reflectance != nil && !m.reflectances
		if truth || reflects {
			tiled := v
			tiled.Color, tiled.CubeFace = nil, 0
			if truth {
				v.Truth = nil
			} else {
				tiled.Truth = nil
			}
			if reflects {
				v.Depth = nil
			} else {
				tiled.Depth = nil
			}
			m.tiled.Views = append(m.tiled.Views, tiled)
		}
		if v.Color != nil || v.Depth != nil || v.Truth != nil {
			m.drawn.Views = append(m.drawn.Views, v)
		}
	}
	switch {
	case len(m.tiled.Views)+len(m.cast.Views) > 0:
		return m.drawParts()
	case len(m.drawn.Views) > 0:
		return m.Renderer.Render(&m.drawn)
	}
	return nil
}

// drawParts draws all parts of a batch. A graphics card draws its part while the processor draws the others.
func (m *mixed) drawParts() error {
	var drawn error
	var drawing sync.WaitGroup
	if len(m.drawn.Views) > 0 {
		drawing.Go(func() { drawn = m.Renderer.Render(&m.drawn) })
	}
	tiled := m.drawWith(&m.tiles, func() (render.Renderer, error) { return tile.New(m.scene) }, &m.tiled)
	cast := m.drawWith(&m.rays, func() (render.Renderer, error) { return raycast.New(m.scene) }, &m.cast)
	drawing.Wait()
	return cmp.Or(drawn, tiled, cast)
}

// drawWith renders a batch with a renderer. If the renderer is nil, drawWith first calls create to make it. For an
// empty batch drawWith does nothing.
func (m *mixed) drawWith(r *render.Renderer, create func() (render.Renderer, error), b *render.Batch) error {
	if len(b.Views) == 0 {
		return nil
	}
	if *r == nil {
		made, err := create()
		if err != nil {
			return err
		}
		*r = made
	}
	return (*r).Render(b)
}

func (m *mixed) Close() {
	for _, r := range []render.Renderer{m.Renderer, m.tiles, m.rays} {
		if r != nil {
			r.Close()
		}
	}
}

// backends lists all backends.
var backends = []Choice{
	{Name: openGL, New: OpenGL},
	{Name: tileName, New: Tile},
	{Name: "raycast", New: RayCaster},
	{Name: Reference, New: PathTracer(render.Tracing{})},
}

const (
	openGL   = "opengl"
	tileName = "tile" // of the fastest backend on a machine without a graphics card
)

// Auto asks for the fastest backend on this machine.
const Auto = "auto"

// Choice is a backend and the reason why it was chosen.
type Choice struct {
	Name string `json:"name"` // one of Names, except Auto
	Why  string `json:"why"`
	// New makes a renderer. If the machine lacks a driver, the error wraps render.ErrNoContext.
	New func(*render.Scene) (render.Renderer, error) `json:"-"`
}

func (c Choice) String() string { return c.Name + ", since " + c.Why }

// Names returns the names that Choose accepts.
func Names() []string {
	names := []string{Auto}
	for _, b := range backends {
		names = append(names, b.Name)
	}
	return names
}

// Plain returns the names of the backends that render plain light, which is fast.
func Plain() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return name == Auto || name == Reference })
}

// Check returns an error unless the name of a backend is one of Names, or empty. An empty name means Auto.
func Check(asked string) error {
	if asked != "" && !slices.Contains(Names(), asked) {
		return fmt.Errorf("renderer = %q: must be one of %s", asked, strings.Join(Names(), ", "))
	}
	return nil
}

// NeedsDriver reports whether the backend that Choose returns cannot render without an OpenGL driver, on a machine that
// may lack it.
func NeedsDriver(asked string, scene *render.Scene) bool {
	return asked == openGL || (asked == "" || asked == Auto) && scene.CubeMaps
}

// Choose returns the backend with the given name, which must pass Check, for a scene. The scene may be nil if no image
// is made from a cube map. Auto takes OpenGL if it has a graphics card, which it finds out once per process, and never
// fails. ChooseFor measures in this case.
func Choose(asked string, scene *render.Scene) Choice {
	if i := slices.IndexFunc(backends, func(b Choice) bool { return b.Name == asked }); i >= 0 {
		c := backends[i]
		c.Why = "it was asked for"
		return c
	}
	if scene != nil && scene.CubeMaps {
		c := Choose(openGL, scene)
		c.Why = "a camera has mirror.method = \"cube\""
		return c
	}
	name := tileName
	card, why := gl.GraphicsCard()
	if card {
		name = openGL
	}
	c := Choose(name, scene)
	c.Why = why
	return c
}

// Machine describes the parts of the machine that affect the images of a backend: the OpenGL driver, the instruction
// set, or the architecture.
func Machine(name string) string {
	switch name {
	case openGL:
		if card, driver := gl.Driver(); card != "" {
			return name + " (" + card + ", " + driver + ")"
		}
		_, why := gl.GraphicsCard()
		return name + " (" + why + ")"
	case tileName:
		if vectors, err := Instructions(); err == nil {
			return name + " (" + vectors + ")"
		}
	}
	return name + " (" + runtime.GOARCH + ")"
}
