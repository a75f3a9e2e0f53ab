package tile

// #include "call.h"
import "C"

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// fixedLight is the natural light around the vertices of a part of a static body. It is computed when an image first
// shows the vertices, and again after the hall's light has changed.
type fixedLight struct {
	computing sync.Mutex
	known     atomic.Int64 // number of vertices, from the part's first vertex on, whose light is computed
	of        []C.float    // as C.draw.own
}

// byParts reports whether a moving body is so large that each of its parts needs its own probe.
func byParts(b *raster.Body) bool {
	const wide = 1 // metres
	return b.Radius > wide
}

// makeProbes allocates the light around all bodies. The system provides memory for the light around vertices only when
// the light is computed.
func (n *natural) makeProbes(g *raster.Geometry, memory *memory) {
	n.probes, n.fixed = make([][]C.probe, len(g.Bodies)), make([][]fixedLight, len(g.Bodies))
	total := 0
	for i := range g.Bodies {
		b := &g.Bodies[i]
		switch {
		case b.Static:
			for k := range b.Parts {
				total += lightSize(verticesOf(&b.Parts[k]))
			}
		case byParts(b):
			n.probes[i] = newArray[C.probe](memory, len(b.Parts))
		default:
			n.probes[i] = newArray[C.probe](memory, 1)
		}
	}
	left := newArray[C.float](memory, total)
	for i := range g.Bodies {
		b := &g.Bodies[i]
		if !b.Static {
			continue
		}
		n.fixed[i] = make([]fixedLight, len(b.Parts))
		for k := range b.Parts {
			size := lightSize(verticesOf(&b.Parts[k]))
			n.fixed[i][k].of, left = left[:size:size], left[size:]
		}
	}
}

// verticesOf returns the number of vertices of all levels of a part.
func verticesOf(p *raster.Part) (most int) {
	for i := range p.Levels {
		most = max(most, p.Levels[i].Vertices)
	}
	return most
}

// lightSize returns the number of floats of the light around vertices: whole blocks, as C.draw.own has them.
func lightSize(vertices int) int {
	return (vertices + C.LIT_TOGETHER - 1) / C.LIT_TOGETHER * C.LIT_TOGETHER * C.PROBE_SIZE
}

// forget marks the light around static bodies as outdated.
func (n *natural) forget() {
	for i := range n.fixed {
		for k := range n.fixed[i] {
			n.fixed[i][k].known.Store(0)
		}
	}
}

// surround passes the light around a part of a body to a draw call of its first vertices. It computes the light around
// the vertices of static bodies for images with colours. Several workers may call it at the same time.
func (n *natural) surround(d *C.draw, g *raster.Geometry, body, part, vertices int, poseWB spatial.Pose, colours bool) {
	for k, x := range n.open[body][part] {
		d.open[k] = C.float(x)
	}
	if !g.Bodies[body].Static {
		d.probe = &n.probes[body][min(part, len(n.probes[body])-1)]
		return
	}
	f := &n.fixed[body][part]
	d.own = first(f.of)
	if !colours || int(f.known.Load()) >= vertices {
		return
	}
	f.computing.Lock()
	defer f.computing.Unlock()
	from := g.Bodies[body].Parts[part].FirstVertex
	for i := int(f.known.Load()); i < vertices; i++ {
		probe := n.field.Probe(bounded(poseWB.Apply(spatial.Vec64(g.Vertices[from+i].Pos))))
		to := f.of[i/C.LIT_TOGETHER*C.LIT_TOGETHER*C.PROBE_SIZE+i%C.LIT_TOGETHER:]
		for j := range probe {
			for c := range probe[j] {
				to[(9*c+j)*C.LIT_TOGETHER] = C.float(probe[j][c])
			}
		}
	}
	f.known.Store(max(f.known.Load(), int64(vertices)))
}

// place computes the light around a moving body, or around each of its parts.
func (n *natural) place(b *raster.Body, to []C.probe, poseWB spatial.Pose) {
	for i := range to {
		centre, radius := b.Centre, b.Radius
		if byParts(b) {
			centre, radius = b.Parts[i].Centre, b.Parts[i].Radius
		}
		p := bounded(poseWB.Apply(centre))
		low, high := max(p[2]-radius, 0), max(p[2]+radius, 0.01)
		to[i].low, to[i].per_height = C.float(low), C.float(1/(high-low))
		for k, z := range [2]float64{low, high} {
			p[2] = z
			probe := n.field.Probe(p)
			for c := range 3 {
				for j := range probe {
					to[i].of[k][c][j] = C.float(probe[j][c])
				}
			}
		}
	}
}

// bounded replaces the coordinates of a point that are not numbers or too large by 0.
func bounded(p mgl64.Vec3) mgl64.Vec3 {
	for axis := range p {
		if !(math.Abs(p[axis]) < 1e6) {
			p[axis] = 0
		}
	}
	return p
}
