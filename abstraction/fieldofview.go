package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// FieldOfView bounds the directions that a camera images, by their angles from the optical axis. If all angles of an
// object lie in the interval inner, the object is in the image. If they all lie outside of the interval outer, it is
// not. For other objects, callers must ask the camera model.
type FieldOfView struct {
	inner, outer interval      // angles, rad
	edged        bool          // the image has no distortion: edges bound it exactly, and inner and outer are unused
	edges        [4]mgl64.Vec3 // inward normals of the planes through the image's edges, in the optical frame
	rings        rings         // slopes that the camera images if its axis points up
}

// rings are two intervals of slopes of directions relative to the floor. The camera images every slope in inner at all
// azimuths, and no slope outside of outer at any azimuth.
type rings struct{ inner, outer interval }

// interval is an interval of numbers, with its lower end in the field from and its upper end in the field to. It is
// empty if the upper end is smaller than the lower end.
type interval struct{ from, to float64 }

const (
	fovAzimuths = 48
	fovStep     = spatial.Degree
	// fovMargin covers the directions between the sampled ones.
	fovMargin = 1.5 * fovStep
)

// NewFieldOfView computes the bounds by sampling a camera model. It returns nil, which bounds nothing, for cameras
// without a single viewpoint (optics.NonCentral), because what they image depends on the distance, too.
func NewFieldOfView(m optics.Model) *FieldOfView {
	if _, ok := m.(optics.NonCentral); ok {
		return nil
	}
	if p, ok := m.(optics.Pinhole); ok {
		return newEdges(p)
	}
	s := &FieldOfView{inner: interval{0, math.Pi}, outer: interval{math.Inf(1), math.Inf(-1)}}
	for k := range fovAzimuths {
		run := longestRun(m, 2*math.Pi*float64(k)/fovAzimuths, &s.outer)
		s.inner.from, s.inner.to = max(s.inner.from, run.from), min(s.inner.to, run.to)
	}
	margin := fovMargin
	if s.inner.from-s.outer.from < fovStep/10 && s.outer.to-s.inner.to < fovStep/10 {
		margin = fovStep / 10 // the image is round
	}
	if s.inner.from > 0 { // otherwise the optical axis itself is in the image
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

// tiltedRings returns the rings of a camera whose axis is tilted from straight up by an angle, rad.
func (s *FieldOfView) tiltedRings(angle float64) rings {
	// slope returns the slope of a direction at an angle from straight up.
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

// ringsAround returns the rings of a camera with the given optical axis in W. It returns false if the axis is far from
// vertical, or if there is no slope that the camera images at all azimuths.
func (s *FieldOfView) ringsAround(axisW mgl64.Vec3) (rings, bool) {
	const level, most = 1e-9, 0.2 // sines of angles from the vertical
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
	if axisW[2] < 0 { // it points down
		r.inner, r.outer = interval{-r.inner.to, -r.inner.from}, interval{-r.outer.to, -r.outer.from}
	}
	return r, r.inner.from < r.inner.to
}

// newEdges returns the field of view of a camera without distortion. The image extends half a pixel beyond the centres
// of its outermost pixels.
func newEdges(p optics.Pinhole) *FieldOfView {
	left, right := (-0.5-p.CX)/p.FX, (float64(p.Width)-0.5-p.CX)/p.FX
	top, bottom := (-0.5-p.CY)/p.FY, (float64(p.Height)-0.5-p.CY)/p.FY
	s := &FieldOfView{edged: true, edges: [4]mgl64.Vec3{{1, 0, -left}, {-1, 0, right}, {0, 1, -top}, {0, -1, bottom}}}
	for i := range s.edges {
		s.edges[i] = s.edges[i].Normalize()
	}
	return s
}

// longestRun returns the longest interval of angles from the optical axis that are in the image at an azimuth around
// the axis. It also extends all, so that it contains every angle in the image.
func longestRun(m optics.Model, azimuth float64, all *interval) interval {
	sin, cos := math.Sincos(azimuth)
	sees := func(angle float64) bool {
		along, beside := math.Cos(angle), math.Sin(angle)
		u, v, ok := m.Project(mgl64.Vec3{beside * cos, beside * sin, along})
		return ok && optics.Inside(m, u, v)
	}
	// last returns the last angle that is in the image, on the way from an angle inside to an angle outside.
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
	best, run := interval{1, 0}, interval{1, 0}
	for angle := 0.0; angle < math.Pi; angle += fovStep {
		seen, running := sees(angle), run.to >= run.from
		switch {
		case seen && !running && angle > 0:
			run = interval{last(angle, angle-fovStep), angle}
		case seen && !running:
			run = interval{angle, angle}
		case seen:
			run.to = angle
		case running:
			run.to = last(angle-fovStep, angle)
		}
		if run.to >= run.from {
			all.from, all.to = min(all.from, run.from), max(all.to, run.to)
			if best.to < best.from || run.to-run.from > best.to-best.from {
				best = run
			}
		}
		if !seen {
			run = interval{1, 0}
		}
	}
	return best
}

// contains reports whether the image contains all directions that are within radius, in rad, of a direction at an angle
// from the optical axis.
func (s *FieldOfView) contains(angle, radius float64) bool {
	return s != nil && angle-radius > s.inner.from && angle+radius < s.inner.to
}

// excludes reports whether the image contains no direction that is within radius, in rad, of a direction at an angle
// from the optical axis.
func (s *FieldOfView) excludes(angle, radius float64) bool {
	return s != nil && (angle-radius > s.outer.to || angle+radius < s.outer.from)
}
