package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// FieldOfView is which directions a camera sees, as cones around its optical axis: what lies wholly within the inner ones is in the
// image, what lies wholly outside the outer ones is not. Between them only the camera model can tell.
type FieldOfView struct {
	inner, outer cone
	// edges are the normals, inwards and in the optical frame, of the planes through the edges of a picture without distortion, and
	// edged whether there is nothing else to it.
	edges [4]mgl64.Vec3
	edged bool
	rings rings // of a camera whose axis points up
}

// rings are the slopes, over W's floor, all of which a camera sees all around, inner, and beyond which it sees none, outer.
type rings struct{ inner, outer interval }

// interval is one of slopes.
type interval struct{ from, to float64 }

// cone holds directions whose angle from the optical axis is at least from and at most to, rad.
type cone struct{ from, to float64 }

const (
	sightAzimuths = 48
	sightStep     = math.Pi / 180
	// sightMargin is for what happens between the directions that are looked at.
	sightMargin = 1.5 * sightStep
)

// NewFieldOfView looks where a camera sees. It returns nil, which never decides anything, for cameras whose rays do not meet in one
// point: there the distance matters too.
func NewFieldOfView(m optics.Model) *FieldOfView {
	if _, ok := m.(optics.NonCentral); ok {
		return nil
	}
	if p, ok := m.(optics.Pinhole); ok {
		return newEdges(p)
	}
	s := &FieldOfView{inner: cone{0, math.Pi}, outer: cone{math.Inf(1), math.Inf(-1)}}
	for k := range sightAzimuths {
		run := longestRun(m, 2*math.Pi*float64(k)/sightAzimuths, &s.outer)
		s.inner.from, s.inner.to = max(s.inner.from, run.from), min(s.inner.to, run.to)
	}
	margin := sightMargin
	if s.inner.from-s.outer.from < sightStep/10 && s.outer.to-s.inner.to < sightStep/10 {
		margin = sightStep / 10 // the image is round
	}
	if s.inner.from > 0 { // else the axis itself is seen, all around
		s.inner.from += margin
	} else {
		s.inner.from = math.Inf(-1)
	}
	s.inner.to -= margin
	s.outer.from -= margin
	s.outer.to += margin
	s.rings = s.tiltedRings(0)
	return s
}

// tiltedRings returns the rings of a camera whose axis points up but for an angle.
func (s *FieldOfView) tiltedRings(angle float64) rings {
	// slope returns that of what lies at an angle off straight up.
	slope := func(off float64) float64 {
		switch {
		case off <= 0:
			return math.Inf(1)
		case off >= math.Pi:
			return math.Inf(-1)
		}
		return 1 / math.Tan(off)
	}
	return rings{
		inner: interval{slope(s.inner.to - angle), slope(s.inner.from + angle)},
		outer: interval{slope(s.outer.to + angle), slope(s.outer.from - angle)},
	}
}

// ringsAround returns the rings of a camera with an axis in W, and false if that is so far from upright that they say little,
// or that there is nothing that it sees all ringsAround.
func (s *FieldOfView) ringsAround(axisW mgl64.Vec3) (rings, bool) {
	const level, most = 1e-9, 0.2 // sines of the angle from upright
	if s == nil {
		return rings{}, false
	}
	sin2, r := axisW[0]*axisW[0]+axisW[1]*axisW[1], s.rings
	if sin2 > most*most {
		return rings{}, false
	}
	if sin2 > level*level {
		r = s.tiltedRings(math.Asin(math.Sqrt(sin2)))
	}
	if axisW[2] < 0 { // what is above is below
		r.inner, r.outer = interval{-r.inner.to, -r.inner.from}, interval{-r.outer.to, -r.outer.from}
	}
	return r, r.inner.from < r.inner.to
}

// newEdges returns the sight of a camera without distortion, whose picture ends half a pixel around its pixels' middles.
func newEdges(p optics.Pinhole) *FieldOfView {
	left, right := (-0.5-p.CX)/p.FX, (float64(p.Width)-0.5-p.CX)/p.FX
	top, bottom := (-0.5-p.CY)/p.FY, (float64(p.Height)-0.5-p.CY)/p.FY
	s := &FieldOfView{edged: true, edges: [4]mgl64.Vec3{{1, 0, -left}, {-1, 0, right}, {0, 1, -top}, {0, -1, bottom}}}
	for i := range s.edges {
		s.edges[i] = s.edges[i].Normalize()
	}
	return s
}

// longestRun returns the longestRun run of angles that are seen at an azimuth, and widens all to everything that is.
func longestRun(m optics.Model, azimuth float64, all *cone) cone {
	sin, cos := math.Sincos(azimuth)
	sees := func(angle float64) bool {
		along, beside := math.Cos(angle), math.Sin(angle)
		u, v, ok := m.Project(mgl64.Vec3{beside * cos, beside * sin, along})
		return ok && optics.Inside(m, u, v)
	}
	// last returns the last angle that is seen on the way from one that is to one that is not.
	last := func(seen, unseen float64) float64 {
		for range 20 {
			if middle := (seen + unseen) / 2; sees(middle) {
				seen = middle
			} else {
				unseen = middle
			}
		}
		return seen
	}
	best, run := cone{1, 0}, cone{1, 0}
	for angle := 0.0; angle < math.Pi; angle += sightStep {
		seen, running := sees(angle), run.to >= run.from
		switch {
		case seen && !running && angle > 0:
			run = cone{last(angle, angle-sightStep), angle}
		case seen && !running:
			run = cone{angle, angle}
		case seen:
			run.to = angle
		case running:
			run.to = last(angle-sightStep, angle)
		}
		if run.to >= run.from {
			all.from, all.to = min(all.from, run.from), max(all.to, run.to)
			if best.to < best.from || run.to-run.from > best.to-best.from {
				best = run
			}
		}
		if !seen {
			run = cone{1, 0}
		}
	}
	return best
}

// contains tells whether all that is within radius, rad, of a direction at an angle from the axis is seen.
func (s *FieldOfView) contains(angle, radius float64) bool {
	return s != nil && angle-radius > s.inner.from && angle+radius < s.inner.to
}

// excludes tells whether nothing of it is.
func (s *FieldOfView) excludes(angle, radius float64) bool {
	return s != nil && (angle-radius > s.outer.to || angle+radius < s.outer.from)
}
