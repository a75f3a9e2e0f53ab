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
	"github.com/omnipitch/omnipitch/render/beams"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors/outline"
)

// Cache keeps data that takes long to compute, and shares it between the sensors of a world, between robots of the same
// model, and between similar worlds. Cached data never changes. The zero value of Cache is ready for use, and any
// goroutine may use it.
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
	surfaces    map[parts]*beams.Form
	beamed      *render.Scene // the scene of the field beams, of which only one is kept, because it is large
	beams       *beams.Model
}

// mostKept is the maximum number of entries of each kind. Without a limit, memory would grow with every new world if
// the worlds all differ, because then no entry is reused.
const mostKept = 256

// known is a cached value with its key. A key may hold pointers. Two keys are equal if the values to which their
// pointers point are equal.
type known[K, V any] struct {
	key   K
	value V
}

// vantage is the key for what a robot occludes: the robot's appearance, and the position of the camera on the robot.
// Bodies that share their parts have the same appearance.
type vantage struct {
	parts   *render.Part
	without string // names of the parts that the camera does not see
	posB    mgl64.Vec3
}

// selfOcclusion returns the directions that a robot occludes for a camera at a position on the robot.
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

// silhouette returns the silhouette of a body of a scene.
func (c *Cache) silhouette(scene *render.Scene, body *render.Body) *abstraction.Silhouette {
	c.mu.Lock()
	defer c.mu.Unlock()
	return shared(&c.silhouettes, unsafe.SliceData(body.Parts), func() *abstraction.Silhouette {
		prisms := outline.Largest(scene, body)
		return alike(&c.outlines, prisms, func() *abstraction.Silhouette { return abstraction.NewSilhouette(prisms) })
	})
}

// parts is a range of a body's parts: the first part and the number of parts.
type parts struct {
	first *render.Part
	n     int
}

// form returns the form of some parts of a scene. It returns nil if no part can occlude anything.
func (c *Cache) form(scene *render.Scene, of []render.Part) *contour.Form {
	c.mu.Lock()
	defer c.mu.Unlock()
	return shared(&c.forms, parts{unsafe.SliceData(of), len(of)}, func() *contour.Form {
		plain, marked := outline.Pieces(scene, of, onCard)
		return contour.NewForm(alike(&c.hulls, plain, func() *contour.Hulls { return contour.NewHulls(plain) }), marked)
	})
}

// surface returns the surface of a body of a scene. It returns nil if the body has none.
func (c *Cache) surface(scene *render.Scene, body *render.Body) *beams.Form {
	c.mu.Lock()
	defer c.mu.Unlock()
	return shared(&c.surfaces, parts{unsafe.SliceData(body.Parts), len(body.Parts)}, func() *beams.Form {
		return beams.NewForm(scene, body.Parts)
	})
}

// fieldOfView returns the bounds of a camera's view.
func (c *Cache) fieldOfView(m optics.Model) *abstraction.FieldOfView {
	c.mu.Lock()
	defer c.mu.Unlock()
	return alike(&c.fields, m, func() *abstraction.FieldOfView { return abstraction.NewFieldOfView(m) })
}

// beamModel returns a scene prepared for the beams of lidars.
func (c *Cache) beamModel(scene *render.Scene) (*beams.Model, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.beamed == scene {
		return c.beams, nil
	}
	m, err := beams.New(scene)
	if err == nil {
		c.beamed, c.beams = scene, m
	}
	return m, err
}

// linesOf returns a field's markings.
func (c *Cache) linesOf(f *physics.Field) *abstraction.Lines {
	c.mu.Lock()
	defer c.mu.Unlock()
	marks := f.Marks()
	return alike(&c.lines, marks, func() *abstraction.Lines { return abstraction.NewLines(marks) })
}

// shared returns the cached value for a key. If there is no such value, it builds the value and keeps it.
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

// alike is like shared, but compares keys by content: see the type known.
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
