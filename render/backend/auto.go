package backend

import (
	"fmt"
	"math/bits"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/internal/kept"
	"github.com/omnipitch/omnipitch/render/optics"
)

// ChooseFor is like Choose. But if it chooses for Auto, and OpenGL has a graphics card, it measures whether OpenGL or
// the tile renderer draws images faster. The function samples returns such images of the scene's cameras; it is called
// only in this case. The result is kept for this process, and in the folder of KeepIn for later ones, so that runs with
// the same cameras in scenes of about the same size have the same renderer on the same machine.
func ChooseFor(asked string, scene *render.Scene, samples func() *render.Batch) Choice {
	c := Choose(asked, scene)
	if asked == c.Name || c.Name != openGL || scene.CubeMaps {
		return c
	}
	card, version := gl.Driver()
	between := candidates{card: card, driver: version, openGL: OpenGL, tile: Tile, now: time.Now}
	return between.choose(c, scene, samples())
}

// candidates are the renderers between which Auto chooses on a machine with a graphics card.
type candidates struct {
	card, driver string // their names
	openGL, tile func(*render.Scene) (render.Renderer, error)
	now          func() time.Time
}

// tileMargin is how many times as fast as OpenGL the tile renderer must be to be chosen. There are three reasons for a
// margin. A card leaves the processor to the physics, the perception and the robots' programs. A measurement draws all
// cameras at once with one renderer; but a run draws those that are due, with two renderers, which load a card better.
// And noise should not decide.
const tileMargin = 1.25

// choose returns the renderer that draws a batch faster. It returns fallback if ray casters draw all its views.
func (c *candidates) choose(fallback Choice, scene *render.Scene, b *render.Batch) Choice {
	b.Views = slices.DeleteFunc(b.Views, func(v render.View) bool { _, ok := v.Model.(optics.NonCentral); return ok })
	if len(b.Views) == 0 {
		return fallback
	}
	name, why := c.decide(c.seconds(scene, b))
	chosen := Choose(name, scene)
	chosen.Why = why
	return chosen
}

// decide returns the renderer to use, and the reason.
func (c *candidates) decide(seconds [2]float64, errs [2]error) (name, why string) {
	card := fmt.Sprintf("the graphics card (%s)", c.card)
	switch ratio := seconds[0] / seconds[1]; {
	case errs[0] != nil:
		return tileName, fmt.Sprintf("%s cannot draw this world's images: %v", card, errs[0])
	case errs[1] != nil:
		return openGL, fmt.Sprintf("the tile renderer cannot draw this world's images: %v", errs[1])
	case ratio >= tileMargin:
		return tileName, fmt.Sprintf("it draws this world's images %.1f times as fast as %s", ratio, card)
	case ratio > 1/tileMargin:
		return openGL, fmt.Sprintf("%s draws this world's images about as fast as the tile renderer, and leaves the "+
			"processor free", card)
	default:
		return openGL, fmt.Sprintf("%s draws this world's images %.1f times as fast as the tile renderer", card,
			1/ratio)
	}
}

// measured holds the times, in seconds, that this process has measured or read, by the texts of describe. It is locked
// during a measurement, so that a process does not make two at once.
var measured struct {
	sync.Mutex
	times map[string][2]float64
}

// seconds returns how long OpenGL and the tile renderer take for a batch. It measures if neither this process nor, as
// far as results are kept, an earlier one has. An error is that of the renderer that has failed.
func (c *candidates) seconds(scene *render.Scene, b *render.Batch) (seconds [2]float64, errs [2]error) {
	of := c.describe(scene, b)
	measured.Lock()
	defer measured.Unlock()
	if known, ok := measured.times[of]; ok {
		return known, errs
	}
	key := kept.KeyOf("renderers", []byte(of))
	values := seconds[:]
	if !kept.Read(key, kept.Slice(&values)) {
		if errs = c.measure(scene, b, &seconds); errs != [2]error{} {
			return seconds, errs
		}
		kept.Keep(key, kept.Slice(&values))
	}
	if measured.times == nil {
		measured.times = map[string][2]float64{}
	}
	copy(seconds[:], values)
	measured.times[of] = seconds
	return seconds, errs
}

// describe returns a text about what mostly decides which renderer is faster: the card, the processor, the size of the
// scene, and the kinds of images. Numbers of bodies, vertices and materials are given as numbers of binary digits, so
// that worlds that differ only by seed mostly have the same text. The text does not say where bodies and cameras are.
func (c *candidates) describe(scene *render.Scene, b *render.Batch) string {
	vectors, _ := Instructions()
	text := fmt.Appendf(nil, "%s, %s; %s, %s, %d threads\n", c.card, c.driver, cpuid.CPU.BrandName, vectors,
		runtime.GOMAXPROCS(0))
	bodies, vertices, textures := 0, 0, 0
	for i := range scene.Bodies {
		if b.PosesWB[i].Absent() {
			continue
		}
		bodies++
		for _, p := range scene.Bodies[i].Parts {
			vertices += len(scene.Meshes[p.Mesh].Vertices)
		}
	}
	for i := range scene.Materials {
		if scene.Materials[i].Texture != nil {
			textures++
		}
	}
	text = fmt.Appendf(text, "natural %v, %d lamps; binary digits: %d bodies, %d vertices, %d materials, %d textures\n",
		scene.Natural, len(scene.Light.Spots), bits.Len(uint(bodies)), bits.Len(uint(vertices)),
		bits.Len(uint(len(scene.Materials))), bits.Len(uint(textures)))
	for i := range b.Views {
		v := &b.Views[i]
		width, height := v.Model.Size()
		text = fmt.Appendf(text, "%T %d×%d color %s depth %s truth %s chip %s ranging %s\n", v.Model, width, height,
			fieldsSet(v.Color), fieldsSet(v.Depth), fieldsSet(v.Truth), fieldsSet(v.Chip), fieldsSet(v.Ranging))
	}
	return string(text)
}

// fieldsSet returns a digit for each field of a struct: 1 unless the field has its zero value. It returns "none" for a
// nil pointer.
func fieldsSet[T any](of *T) string {
	if of == nil {
		return "none"
	}
	var digits []byte
	for _, field := range reflect.ValueOf(of).Elem().Fields() {
		digit := byte('1')
		if field.IsZero() {
			digit = '0'
		}
		digits = append(digits, digit)
	}
	return string(digits)
}

// measure draws a batch by turns with OpenGL and the tile renderer, at least three times and for at least a tenth of a
// second, and sets seconds to the shortest time of each. Before that, each draws the batch once to warm up. measure
// ends with the first error, and closes the renderers.
func (c *candidates) measure(scene *render.Scene, b *render.Batch, seconds *[2]float64) (errs [2]error) {
	var renderers [2]render.Renderer
	for i, open := range [2]func(*render.Scene) (render.Renderer, error){c.openGL, c.tile} {
		if renderers[i], errs[i] = open(scene); errs[i] != nil {
			return errs
		}
		defer renderers[i].Close()
		if errs[i] = renderers[i].Render(b); errs[i] != nil {
			return errs
		}
	}
	for begun, turn := c.now(), 0; turn < 3 || c.now().Sub(begun) < time.Second/10; turn++ {
		for i, renderer := range renderers {
			from := c.now()
			if errs[i] = renderer.Render(b); errs[i] != nil {
				return errs
			}
			if t := max(c.now().Sub(from).Seconds(), 1e-9); turn == 0 || t < seconds[i] {
				seconds[i] = t
			}
		}
	}
	return errs
}
