package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Sight is which directions a camera sees, as cones around its optical axis: what lies wholly within the inner ones is in the
// image, what lies wholly outside the outer ones is not. Between them only the camera model can tell.
type Sight struct {
	inner, outer cone
	// edges are the normals, inwards and in the optical frame, of the planes through the edges of a picture without distortion, and
	// edged whether there is nothing else to it.
	edges [4]mgl64.Vec3
	edged bool
}

// cone holds directions whose angle from the optical axis is at least from and at most to, rad.
type cone struct{ from, to float64 }

const (
	sightAzimuths = 48
	sightStep     = math.Pi / 180
	// sightMargin is for what happens between the directions that are looked at.
	sightMargin = 1.5 * sightStep
)

// NewSight looks where a camera sees. It returns nil, which never decides anything, for cameras whose rays do not meet in one
// point: there the distance matters too.
func NewSight(m optics.Model) *Sight {
	if _, ok := m.(optics.NonCentral); ok {
		return nil
	}
	if p, ok := m.(optics.Pinhole); ok {
		return newEdges(p)
	}
	s := &Sight{inner: cone{0, math.Pi}, outer: cone{math.Inf(1), math.Inf(-1)}}
	for k := range sightAzimuths {
		run := longest(m, 2*math.Pi*float64(k)/sightAzimuths, &s.outer)
		s.inner.from, s.inner.to = max(s.inner.from, run.from), min(s.inner.to, run.to)
	}
	if s.inner.from > 0 { // else the axis itself is seen, all around
		s.inner.from += sightMargin
	} else {
		s.inner.from = math.Inf(-1)
	}
	s.inner.to -= sightMargin
	s.outer.from -= sightMargin
	s.outer.to += sightMargin
	return s
}

// newEdges returns the sight of a camera without distortion, whose picture ends half a pixel around its pixels' middles.
func newEdges(p optics.Pinhole) *Sight {
	left, right := (-0.5-p.CX)/p.FX, (float64(p.Width)-0.5-p.CX)/p.FX
	top, bottom := (-0.5-p.CY)/p.FY, (float64(p.Height)-0.5-p.CY)/p.FY
	s := &Sight{edged: true, edges: [4]mgl64.Vec3{{1, 0, -left}, {-1, 0, right}, {0, 1, -top}, {0, -1, bottom}}}
	for i := range s.edges {
		s.edges[i] = s.edges[i].Normalize()
	}
	return s
}

// longest returns the longest run of angles that are seen at an azimuth, and widens all to everything that is.
func longest(m optics.Model, azimuth float64, all *cone) cone {
	best, run := cone{1, 0}, cone{1, 0}
	sin, cos := math.Sincos(azimuth)
	for angle := 0.0; angle < math.Pi; angle += sightStep {
		along, beside := math.Cos(angle), math.Sin(angle)
		u, v, ok := m.Project(mgl64.Vec3{beside * cos, beside * sin, along})
		if !ok || !optics.Inside(m, u, v) {
			run = cone{1, 0}
			continue
		}
		if run.to < run.from {
			run.from = angle
		}
		run.to = angle
		all.from, all.to = min(all.from, angle), max(all.to, angle)
		if best.to < best.from || run.to-run.from > best.to-best.from {
			best = run
		}
	}
	return best
}

// holds tells whether all that is within radius, rad, of a direction at an angle from the axis is seen.
func (s *Sight) holds(angle, radius float64) bool {
	return s != nil && angle-radius > s.inner.from && angle+radius < s.inner.to
}

// misses tells whether nothing of it is.
func (s *Sight) misses(angle, radius float64) bool {
	return s != nil && (angle-radius > s.outer.to || angle+radius < s.outer.from)
}
