package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// floorB converts a point of the floor from W to the robot's frame.
func (s *Environment) floorB(p mgl64.Vec2) mgl64.Vec2 {
	w := onFloor(p)
	return s.toB(&w).Vec2()
}

// trueLines appends all lines of the field, at their exact positions.
func (s *Environment) trueLines(into *ObjectList) {
	if s.Lines == nil {
		return
	}
	for i := range s.Lines.marks {
		switch m := &s.Lines.marks[i]; {
		case m.Kind == spatial.Segment:
			into.Lines = append(into.Lines, LineObject{s.floorB(m.A), s.floorB(m.B), 1})
		case fullCircle(m):
			into.Circles = append(into.Circles, s.floorB(m.A))
		}
	}
	for _, c := range s.Lines.crossings {
		into.Crossings = append(into.Crossings, CrossingObject{s.floorB(c.at), c.kind})
	}
}

// Streams of the pixel noise of lines' points.
const (
	lineStart uint64 = iota << 40
	lineEnd
	lineCrossing
	lineCircle
)

// perceiveLines appends the visible parts of lines, at the positions at which vision locates them.
func (v *Vision) perceiveLines(view *Viewpoint, env *Environment, noise random.Source, into *ObjectList) {
	if env.Lines == nil {
		return
	}
	v.pixels.Clear()
	f := lineDetector{view: view, maxRange: view.MaxRange, env: env, targets: &v.targets}
	f.detectSegments(env.Lines, &v.pixels)
	f.detectCrossings(env.Lines, &v.pixels)
	// locate returns the position at which vision locates the floor point that a pixel shows.
	locate := func(at [2]float64, item uint64) (mgl64.Vec2, bool) {
		nu, nv := v.errors.Normal(noise, streamLines, item)
		dirC, ok := view.Model.Unproject(at[0]+nu*v.cfg.PixelNoise, at[1]+nv*v.cfg.PixelNoise)
		if !ok {
			return mgl64.Vec2{}, false
		}
		p, ok := view.intersectPlane(dirC, 0)
		return env.toB(&p).Vec2(), ok
	}
	for i, s := range v.pixels.Segments {
		a, okA := locate(s.Start, lineStart|uint64(i))
		b, okB := locate(s.End, lineEnd|uint64(i))
		if okA && okB {
			into.Lines = append(into.Lines, LineObject{a, b, s.Confidence})
		}
	}
	for i, c := range v.pixels.Crossings {
		if p, ok := locate(c.At, lineCrossing|uint64(i)); ok {
			into.Crossings = append(into.Crossings, CrossingObject{p, c.Kind})
		}
	}
	for i := range env.Lines.marks {
		m := &env.Lines.marks[i]
		if !fullCircle(m) || f.visibleShare(m) < 0.25 {
			continue
		}
		// A circle is fitted to many points: its centre is as accurate as one of them.
		if at, ok := view.pixel(onFloor(m.A)); ok {
			if p, ok := locate(at, lineCircle|uint64(i)); ok {
				into.Circles = append(into.Circles, p)
			}
		}
	}
}

// visibleShare returns the fraction of a mark that is visible, from 0 to 1.
func (l *lineDetector) visibleShare(m *spatial.Mark) float64 {
	n := 0
	for k := range lineSteps {
		if _, ok := l.seePoint(onFloor(along(m, (float64(k)+0.5)/lineSteps)), BackgroundLabel); ok {
			n++
		}
	}
	return float64(n) / lineSteps
}

// unoccluded reports whether neither a target nor the robot itself occludes a point in W.
func (l *lineDetector) unoccluded(p mgl64.Vec3) bool {
	e := l.view
	dx, dy, dz := p[0]-e.PoseWC.Pos[0], p[1]-e.PoseWC.Pos[1], p[2]-e.PoseWC.Pos[2]
	point := targetView{toX: dx, toY: dy, reach: 1e-3, bottom: dz - 1e-3, top: dz + 1e-3}
	point.flat = math.Hypot(dx, dy)
	if point.flat <= point.reach {
		return true
	}
	point.sin = point.reach / point.flat
	point.cos = 1
	slope := dz / point.flat
	point.from, point.to = slope-1e-6, slope+1e-6
	if e.SelfOcclusion != nil {
		for _, own := range e.SelfOcclusion.at(bearing(&l.env.ahead, dx, dy)) {
			if float64(own.from) < slope && slope < float64(own.to) {
				return false
			}
		}
	}
	line := planeDir{x: dx / point.flat, y: dy / point.flat}
	for _, i := range l.targets.candidates {
		if s := &l.targets.all[i]; s.mayHide(&point) {
			o := occluder{s: s, t: &l.env.Targets[i]}
			var set slopes
			set.set(point.from, point.to)
			if line.subtractOccluder(&set, point.flat, &o, bearing(&o.t.ahead, dx, dy)); set.n == 0 {
				return false
			}
		}
	}
	return true
}
