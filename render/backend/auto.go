package backend

import (
	"fmt"
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
// the tile renderer draws images faster. The function images returns such images, of all cameras of the scene; it is
// called only in this case. The result is kept for this process, and in the folder of KeepIn for later ones, so that
// runs with the same cameras on the same machine have the same renderer.
func ChooseFor(asked string, scene *render.Scene, images func() *render.Batch) Choice {
	c := Choose(asked, scene)
	if asked == c.Name || c.Name != openGL || scene.CubeMaps {
		return c
	}
	card, version := gl.Driver()
	r := rivals{card: card, driver: version, openGL: OpenGL, tile: Tile}
	return r.choose(c, scene, images())
}

// rivals are the renderers between which Auto chooses on a machine with a graphics card.
type rivals struct {
	card, driver string // their names
	openGL, tile func(*render.Scene) (render.Renderer, error)
}

// tileMargin is how many times as fast as OpenGL the tile renderer must be to be chosen. A card leaves the processor to
// the physics, the perception and the robots' programs. And a run has two renderers, which load a card better than the
// one that is measured. The margin also keeps noise from deciding.
const tileMargin = 1.25

// choose returns the renderer that draws a batch faster. It returns byRule if ray casters draw all its views.
func (r *rivals) choose(byRule Choice, scene *render.Scene, b *render.Batch) Choice {
	b.Views = slices.DeleteFunc(b.Views, func(v render.View) bool { _, ok := v.Model.(optics.NonCentral); return ok })
	if len(b.Views) == 0 {
		return byRule
	}
	name, why := r.verdict(r.times(scene, b))
	c := Choose(name, scene)
	c.Why = why
	return c
}

// verdict returns the renderer to use, and the reason.
func (r *rivals) verdict(took [2]float64, errs [2]error) (name, why string) {
	card := fmt.Sprintf("the graphics card (%s)", r.card)
	switch ratio := took[0] / took[1]; {
	case errs[0] != nil:
		return withoutCard, fmt.Sprintf("%s cannot draw this world's images: %v", card, errs[0])
	case errs[1] != nil:
		return openGL, fmt.Sprintf("the tile renderer cannot draw this world's images: %v", errs[1])
	case ratio >= tileMargin:
		return withoutCard, fmt.Sprintf("it draws this world's images %.1f times as fast as %s", ratio, card)
	case ratio > 1/tileMargin:
		return openGL, fmt.Sprintf("%s draws this world's images about as fast as the tile renderer", card)
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

// times returns how long OpenGL and the tile renderer take for a batch, in seconds. It measures if neither this process
// nor, as far as results are kept, an earlier one has. An error is that of the renderer that has failed.
func (r *rivals) times(scene *render.Scene, b *render.Batch) (took [2]float64, errs [2]error) {
	of := r.describe(scene, b)
	measured.Lock()
	defer measured.Unlock()
	if took, ok := measured.times[of]; ok {
		return took, errs
	}
	key := kept.KeyOf("renderers", []byte(of))
	values := took[:]
	if !kept.Read(key, kept.Slice(&values)) {
		if errs = r.race(scene, b, &took); errs != [2]error{} {
			return took, errs
		}
		kept.Keep(key, kept.Slice(&values))
	}
	if measured.times == nil {
		measured.times = map[string][2]float64{}
	}
	copy(took[:], values)
	measured.times[of] = took
	return took, errs
}

// describe returns a text about all that decides which renderer is faster, but for the program. Worlds that differ only
// by seed mostly have the same text.
func (r *rivals) describe(scene *render.Scene, b *render.Batch) string {
	vectors, _ := Instructions()
	text := fmt.Appendf(nil, "%s, %s; %s, %s, %d threads; natural %v\n", r.card, r.driver, cpuid.CPU.BrandName, vectors,
		runtime.GOMAXPROCS(0), scene.Natural)
	for i := range b.Views {
		v := &b.Views[i]
		width, height := v.Model.Size()
		text = fmt.Appendf(text, "%T %d×%d color %v depth %v truth %v chip %v\n", v.Model, width, height,
			v.Color != nil, v.Depth != nil, v.Truth != nil, v.Chip != nil)
	}
	return string(text)
}

// race draws a batch by turns with OpenGL and the tile renderer, at least three times and for at least a tenth of a
// second, and sets took to the shortest time of each, in seconds. Before that, each draws the batch once to warm up.
// race ends with the first error, and closes the renderers.
func (r *rivals) race(scene *render.Scene, b *render.Batch, took *[2]float64) (errs [2]error) {
	var renderers [2]render.Renderer
	for i, open := range [2]func(*render.Scene) (render.Renderer, error){r.openGL, r.tile} {
		if renderers[i], errs[i] = open(scene); errs[i] != nil {
			return errs
		}
		defer renderers[i].Close()
		if errs[i] = renderers[i].Render(b); errs[i] != nil {
			return errs
		}
	}
	for begun, turn := time.Now(), 0; turn < 3 || time.Since(begun) < time.Second/10; turn++ {
		for i, renderer := range renderers {
			from := time.Now()
			if errs[i] = renderer.Render(b); errs[i] != nil {
				return errs
			}
			if t := max(time.Since(from).Seconds(), 1e-9); turn == 0 || t < took[i] {
				took[i] = t
			}
		}
	}
	return errs
}
