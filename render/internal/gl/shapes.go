package gl

/*
#include <stdint.h>
#include <EGL/egl.h>

typedef struct {
	int64_t index, instance; // where they begin, bytes
	int32_t indices, instances;
} call;

// draw draws each call's triangles for its instances. go-gl has no such function that takes an offset.
static void draw(const call *calls, int n, unsigned attribute) {
	static void (*instance)(unsigned, int, unsigned, int, const void *);
	static void (*elements)(unsigned, int, unsigned, const void *, int);
	if (!elements) {
		instance = (void (*)(unsigned, int, unsigned, int, const void *))eglGetProcAddress("glVertexAttribIPointer");
		elements = (void (*)(unsigned, int, unsigned, const void *, int))eglGetProcAddress("glDrawElementsInstanced");
	}
	enum { INT = 0x1404, UNSIGNED_INT = 0x1405, TRIANGLES = 4 };
	for (int i = 0; i < n; i++) {
		instance(attribute, 2, INT, 8, (const void *)(intptr_t)calls[i].instance);
		elements(TRIANGLES, calls[i].indices, UNSIGNED_INT, (const void *)(intptr_t)calls[i].index, calls[i].instances);
	}
}
*/
import "C"

import (
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// shapes holds the triangles of all bodies as they are drawn for several views at once: one draw call for each level of
// a part draws it for all views that show it, and for all bodies that share it.
type shapes struct {
	all    []shape
	of     [][]int // for each body and part, the index in all of its first level
	levels []int   // for of's indices, indices in all
	buffer uint32  // of instances
	upload []instance
	calls  []C.call // of one pattern
}

// shape is a level of a part.
type shape struct {
	pattern   render.Pattern
	material  int
	level     *raster.Level
	call      C.call
	instances []instance
}

// instance is a body in a view.
type instance struct{ view, body int32 }

const instanceSize = int(unsafe.Sizeof(instance{}))

func newShapes(bodies []raster.Body) shapes {
	type key struct {
		first    int32
		pattern  render.Pattern
		material int
	}
	var s shapes
	known := map[key]int{}
	for i := range bodies {
		var parts []int
		for k := range bodies[i].Parts {
			p := &bodies[i].Parts[k]
			parts = append(parts, len(s.levels))
			for l := range p.Levels {
				as := key{p.Levels[l].First, p.Pattern, p.Material}
				if _, ok := known[as]; !ok {
					known[as] = len(s.all)
					s.all = append(s.all, shape{pattern: p.Pattern, material: p.Material, level: &p.Levels[l]})
				}
				s.levels = append(s.levels, known[as])
			}
		}
		s.of = append(s.of, parts)
	}
	gl.GenBuffers(1, &s.buffer)
	return s
}

// collect makes the list of instances of the given views, and uploads it.
func (s *shapes) collect(seen []raster.Visibility) {
	for i := range s.all {
		s.all[i].instances = s.all[i].instances[:0]
	}
	for view := range seen {
		v := &seen[view]
		for _, i := range v.Order {
			for _, shown := range v.Bodies[i].Parts {
				of := &s.all[s.levels[s.of[i][shown.Part]+int(shown.Level)]]
				of.instances = append(of.instances, instance{int32(view), int32(i)})
			}
		}
	}
	s.upload = s.upload[:0]
	for i := range s.all {
		of := &s.all[i]
		of.call = C.call{index: 4 * C.int64_t(of.level.First), instance: C.int64_t(len(s.upload) * instanceSize),
			indices: C.int32_t(of.level.Count), instances: C.int32_t(len(of.instances))}
		s.upload = append(s.upload, of.instances...)
	}
	if len(s.upload) > 0 {
		gl.BindBuffer(gl.ARRAY_BUFFER, s.buffer)
		gl.BufferData(gl.ARRAY_BUFFER, len(s.upload)*instanceSize, gl.Ptr(&s.upload[0].view), gl.STREAM_DRAW)
	}
}

// draw draws all instances of the shapes with the given pattern. textures, if not nil, are those of materials. The
// geometry's vertex array must be bound.
func (s *shapes) draw(with *program, pattern render.Pattern, textures []uint32) {
	s.calls = s.calls[:0]
	for i := range s.all {
		of := &s.all[i]
		if of.pattern != pattern || len(of.instances) == 0 {
			continue
		}
		if len(s.calls) == 0 {
			gl.UseProgram(with.id)
			gl.BindBuffer(gl.ARRAY_BUFFER, s.buffer)
		}
		s.calls = append(s.calls, of.call)
		if textures != nil {
			gl.ActiveTexture(gl.TEXTURE0 + textureUnit)
			gl.BindTexture(gl.TEXTURE_2D, textures[of.material])
			C.draw(&s.calls[len(s.calls)-1], 1, instanceAttribute)
		}
	}
	if textures == nil && len(s.calls) > 0 {
		C.draw(&s.calls[0], C.int(len(s.calls)), instanceAttribute)
	}
}

// instanceAttribute is the vertex attribute that holds an instance.
const instanceAttribute = 7

// perInstance makes the instance's attribute of the bound vertex array advance once per instance.
func perInstance() {
	gl.EnableVertexAttribArray(instanceAttribute)
	gl.VertexAttribDivisor(instanceAttribute, 1)
}

// everyView makes a vertex array whose instances are the views 0 to n − 1.
func everyView(n int) (array uint32) {
	var buffer uint32
	gl.GenVertexArrays(1, &array)
	gl.BindVertexArray(array)
	gl.GenBuffers(1, &buffer)
	gl.BindBuffer(gl.ARRAY_BUFFER, buffer)
	views := make([]instance, n)
	for i := range views {
		views[i].view = int32(i)
	}
	gl.BufferData(gl.ARRAY_BUFFER, n*instanceSize, gl.Ptr(&views[0].view), gl.STATIC_DRAW)
	gl.VertexAttribIPointerWithOffset(instanceAttribute, 2, gl.INT, int32(instanceSize), 0)
	perInstance()
	return array
}
