package sensors

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors/outline"
)

// Cache keeps what sensors share that takes long to make: those of one world, where robots of one model differ in none
// of it, and those of worlds that are alike. What it keeps does not change. The zero value is ready, and any goroutine
// may use it.
type Cache struct {
	chips       chip.Processor
	mu          sync.Mutex
	occlusions  map[vantage]*abstraction.SelfOcclusion
	silhouettes map[*render.Part]*abstraction.Silhouette
	forms       map[parts]*contour.Form
	hulls       []known[[][]mgl64.Vec3, *contour.Hulls]
	outlines    []known[[]abstraction.Prism, *abstraction.Silhouette]
	lines       []known[[]spatial.Mark, *abstraction.Lines]
	fields      []known[optics.Model, *abstraction.FieldOfView]
}

// mostKept bounds what a Cache keeps of each kind: where each world differs, nothing is won by keeping it all.
const mostKept = 256

// known is what was made for a key that may hold pointers, to be compared by what they point to.
type known[K, V any] struct {
	key   K
	value V
}

// vantage is a place on a robot; bodies that share their parts look alike.
type vantage struct {
	parts   *render.Part
	without string // parts that the camera does not see
	posB    mgl64.Vec3
}

// selfOcclusion returns what a robot hides from a camera at a place on it.
func (c *Cache) selfOcclusion(site Site, posB mgl64.Vec3) *abstraction.SelfOcclusion {
	c.mu.Lock()
	defer c.mu.Unlock()
	var without []string
	for _, h := range site.Hidden {
		without = append(without, h.Part)
	}
	return shared(&c.occlusions, vantage{unsafe.SliceData(site.Body.Parts), strings.Join(without, "\n"), posB},
		func() *abstraction.SelfOcclusion {
			return abstraction.NewSelfOcclusion(outline.Prisms(site.Scene, site.Body, without), posB)
		})
}

// silhouette returns that of a body of a scene.
func (c *Cache) silhouette(scene *render.Scene, body *render.Body) *abstraction.Silhouette {
	c.mu.Lock()
	defer c.mu.Unlock()
	return shared(&c.silhouettes, unsafe.SliceData(body.Parts), func() *abstraction.Silhouette {
		prisms := outline.Largest(scene, body)
		return alike(&c.outlines, prisms, func() *abstraction.Silhouette { return abstraction.NewSilhouette(prisms) })
	})
}

// parts are some of a body's, by the first and their number.
type parts struct {
	first *render.Part
	n     int
}

// form returns that of parts of a scene; nil if nothing of them can hide anything.
func (c *Cache) form(scene *render.Scene, of []render.Part) *contour.Form {
	c.mu.Lock()
	defer c.mu.Unlock()
	return shared(&c.forms, parts{unsafe.SliceData(of), len(of)}, func() *contour.Form {
		plain, marked := outline.Pieces(scene, of, onCard)
		return contour.NewForm(alike(&c.hulls, plain, func() *contour.Hulls { return contour.NewHulls(plain) }), marked)
	})
}

// fieldOfView returns what bounds a camera's view.
func (c *Cache) fieldOfView(m optics.Model) *abstraction.FieldOfView {
	c.mu.Lock()
	defer c.mu.Unlock()
	return alike(&c.fields, m, func() *abstraction.FieldOfView { return abstraction.NewFieldOfView(m) })
}

// linesOf returns a field's markings.
func (c *Cache) linesOf(f *physics.Field) *abstraction.Lines {
	c.mu.Lock()
	defer c.mu.Unlock()
	marks := f.Marks()
	return alike(&c.lines, marks, func() *abstraction.Lines { return abstraction.NewLines(marks) })
}

// shared returns what was made for a key, or makes it.
func shared[K comparable, V any](all *map[K]V, key K, build func() V) V {
	if v, ok := (*all)[key]; ok {
		return v
	}
	if *all == nil || len(*all) == mostKept {
		*all = map[K]V{}
	}
	v := build()
	(*all)[key] = v
	return v
}

// alike returns what was made for a key that is alike, or makes it.
func alike[K, V any](all *[]known[K, V], key K, build func() V) V {
	for i := range *all {
		if k := &(*all)[i]; reflect.DeepEqual(k.key, key) {
			return k.value
		}
	}
	if len(*all) == mostKept {
		*all = nil
	}
	v := build()
	*all = append(*all, known[K, V]{key, v})
	return v
}
