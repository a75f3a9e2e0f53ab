package gl

import (
	"math"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/refine"
)

// batch is runs of indices that one call draws.
type batch struct {
	counts  []int32
	offsets []uintptr // bytes
}

func (b *batch) reset() { b.counts, b.offsets = b.counts[:0], b.offsets[:0] }

func (b *batch) add(l level) {
	const size = 4 // bytes of an index
	offset := uintptr(l.first) * size
	if n := len(b.counts) - 1; n >= 0 && b.offsets[n]+uintptr(b.counts[n])*size == offset {
		b.counts[n] += l.count // neighbours in the buffer become one run
		return
	}
	b.counts = append(b.counts, l.count)
	b.offsets = append(b.offsets, offset)
}

func (b *batch) draw() {
	if len(b.counts) > 0 {
		// The pointer argument is an offset into the bound buffer.
		gl.MultiDrawElements(gl.TRIANGLES, &b.counts[0], gl.UNSIGNED_INT, (*unsafe.Pointer)(unsafe.Pointer(&b.offsets[0])), int32(len(b.counts)))
	}
}

// patterns is the number of values of render.Pattern.
const patterns = int(render.Net) + 1

// visible is the parts of one body that a view shows, by pattern.
type visible struct {
	body     int
	distance float64
	poseCB   spatial.Pose // of the body in the optical frame
	parts    []int        // of the body
	runs     [patterns]batch
}

// visibility is the visible bodies of a view, nearest first. It reuses its memory.
type visibility struct {
	items []visible
	order []int // into items
}

// collect lists the visible parts of all bodies.
func (s *visibility) collect(bodies []body, posesWB []spatial.Pose, c *camera, hidden []render.Hidden) {
	if len(s.items) != len(bodies) {
		s.items = make([]visible, len(bodies))
		s.order = make([]int, 0, len(bodies))
	}
	s.order = s.order[:0]
	for i := range bodies {
		b := &bodies[i]
		poseCB := c.poseCW.Mul(posesWB[i])
		centreC := poseCB.Apply(b.centre)
		if len(b.parts) == 0 || !c.mayShow(centreC, b.radius) {
			continue
		}
		item := &s.items[i]
		item.body, item.distance, item.poseCB = i, centreC.Len()-b.radius, poseCB
		for k := range item.runs {
			item.runs[k].reset()
		}
		item.parts = item.parts[:0]
		eyeB := poseCB.Inverse().Pos
		for k := range b.parts {
			p := &b.parts[k]
			if isHidden(hidden, i, p.name) {
				continue
			}
			centreC := poseCB.Apply(p.centre)
			if c.mayShow(centreC, p.radius) {
				item.runs[p.pattern].add(p.level(c, p.box.distance(eyeB), c.bend(centreC, p.radius)))
				item.parts = append(item.parts, k)
			}
		}
		if len(item.parts) == 0 {
			continue
		}
		s.order = append(s.order, i)
		for k := len(s.order) - 1; k > 0 && s.items[s.order[k]].distance < s.items[s.order[k-1]].distance; k-- {
			s.order[k], s.order[k-1] = s.order[k-1], s.order[k]
		}
	}
}

// nearby is the distance, metres, within which the curves of parts may have four times the error: these parts are the robot's own, under
// its mirror, which no vision measures, and they are most of a mirror camera's triangles.
const nearby = 0.6

// level returns the coarsest triangles that are fine enough for a camera at a distance from the part's nearest point. An edge that
// subtends an angle deviates from its curve by bend·angle²/8 pixels.
func (p *part) level(c *camera, distance, bend float64) level {
	l := p.levels[0]
	if c.curved() {
		off := refine.Flat
		if c.mirrored && distance < nearby {
			off *= 4
		}
		longest := distance * math.Sqrt(8*off/math.Max(bend, 1))
		for i := 1; i < len(p.levels) && l.edge > longest; i++ {
			l = p.levels[i]
		}
	}
	return l
}

func isHidden(hidden []render.Hidden, body int, part string) bool {
	for _, h := range hidden {
		if h.Body == body && h.Part == part {
			return true
		}
	}
	return false
}
