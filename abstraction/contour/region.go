package contour

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// span is an interval of a row of pixels, in pixels.
type span struct{ from, to float32 }

// mostSpans is the maximum number of intervals of a row. A body with wheels, rods and a tower has fewer, even if others
// occlude it partly. The gaps before further intervals count as covered.
const mostSpans = 10

// spans are disjoint intervals in ascending order that do not touch.
type spans struct {
	n  int
	at [mostSpans]span
}

// add adds an interval.
func (s *spans) add(from, to float32) {
	if s.n == 0 {
		s.n, s.at[0] = 1, span{from, to}
		return
	}
	i := 0
	for i < s.n && s.at[i].to < from {
		i++
	}
	j := i
	for j < s.n && s.at[j].from <= to {
		from, to = min(from, s.at[j].from), max(to, s.at[j].to)
		j++
	}
	if i == j {
		if s.n == mostSpans {
			i = min(i, s.n-1)
			s.at[i].from, s.at[i].to = min(from, s.at[i].from), max(to, s.at[i].to)
			return
		}
		copy(s.at[i+1:s.n+1], s.at[i:s.n])
		s.n++
	} else if j > i+1 {
		copy(s.at[i+1:], s.at[j:s.n])
		s.n -= j - i - 1
	}
	s.at[i] = span{from, to}
}

// subtract removes an interval.
func (s *spans) subtract(from, to float32) {
	for i := 0; i < s.n; i++ {
		a := &s.at[i]
		switch {
		case a.to <= from:
		case a.from >= to:
			return
		case a.from < from && a.to > to:
			if s.n < mostSpans {
				copy(s.at[i+2:s.n+1], s.at[i+1:s.n])
				s.n++
				s.at[i+1] = span{to, a.to}
			}
			a.to = from
			return
		case a.from < from:
			a.to = from
		case a.to > to:
			a.from = to
			return
		default:
			copy(s.at[i:], s.at[i+1:s.n])
			s.n--
			i--
		}
	}
}

// size returns the total length.
func (s *spans) size() (sum float32) {
	for i := range s.n {
		sum += s.at[i].to - s.at[i].from
	}
	return sum
}

func (s *spans) contains(u float32) bool {
	for i := range s.n {
		if u < s.at[i].from {
			return false
		}
		if u <= s.at[i].to {
			return true
		}
	}
	return false
}

// region is the part of an image that a body covers, without occlusion.
type region struct {
	body   *body
	rows   []spans // of all rows of the image
	first  int     // first row that the body covers
	last   int     // less than first if the body covers no row
	extent extent  // includes parts outside of the image
}

// extent is a rectangle in the image, in pixels.
type extent struct{ minU, maxU, minV, maxV float64 }

func noExtent() extent { return extent{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)} }

func (e *extent) add(u, v float64) {
	// not math.Min, which is slower: this code runs for every corner
	if u < e.minU {
		e.minU = u
	}
	if u > e.maxU {
		e.maxU = u
	}
	if v < e.minV {
		e.minV = v
	}
	if v > e.maxV {
		e.maxV = v
	}
}

func (e *extent) widen(o *extent) {
	e.minU, e.maxU, e.minV, e.maxV = min(e.minU, o.minU), max(e.maxU, o.maxU), min(e.minV, o.minV), max(e.maxV, o.maxV)
}

func (e *extent) overlaps(o *extent) bool {
	return e.minU < o.maxU && o.minU < e.maxU && e.minV < o.maxV && o.minV < e.maxV
}

// within reports whether the extent is entirely in an image.
func (e *extent) within(width, height int) bool {
	return e.minU > -0.5 && e.minV > -0.5 && e.maxU < float64(width)-0.5 && e.maxV < float64(height)-0.5
}

// reset clears the region for an image with the given number of rows.
func (r *region) reset(height int) {
	if len(r.rows) < height {
		r.rows = make([]spans, height)
		r.first, r.last = 0, -1
	}
	for v := r.first; v <= r.last; v++ {
		r.rows[v].n = 0
	}
	r.first, r.last, r.extent = height, -1, noExtent()
}

// covers reports whether the region covers the centre of a pixel.
func (r *region) covers(u, v int) bool {
	return v >= r.first && v <= r.last && float64(u) >= r.extent.minU && float64(u) <= r.extent.maxU &&
		r.rows[v].contains(float32(u))
}

// Box is a number of pixels and their bounding box.
type Box struct{ Pixels, MinU, MaxU, MinV, MaxV int }

// addRun adds the pixels of row v from one column to another.
func (b *Box) addRun(from, to, v int) {
	if from > to {
		return
	}
	if b.Pixels == 0 {
		*b = Box{0, from, to, v, v}
	}
	b.Pixels += to - from + 1
	b.MinU, b.MaxU, b.MinV, b.MaxV = min(b.MinU, from), max(b.MaxU, to), min(b.MinV, v), max(b.MaxV, v)
}

// Boxes are three boxes of a target: of all pixels that show any part of it, of the pixels that it fills by at least
// half, and of the pixels that show its marked part. An Image sets Half rightly only for balls.
type Boxes struct{ All, Half, Marked Box }

// Add adds a pixel that shows a part of a target.
func (b *Boxes) Add(u, v int, half, marked bool) {
	b.All.addRun(u, u, v)
	if half {
		b.Half.addRun(u, u, v)
	}
	if marked {
		b.Marked.addRun(u, u, v)
	}
}

// Margins of the intervals of a row, in pixels. An interval contains a pixel if the pixel's centre is outside of it by
// at most the margin. A pixel shows a body if at least one of its four samples does. The samples are offset from its
// centre in u and v, as in rendered images.
const (
	sampled = 0.2
	halfway = 0.125 // from here on two samples
)

// ScanLines is the number of scan lines of an image. It equals the number of radial scan lines of NuBot's omni vision
// (Xiao et al. 2017).
const ScanLines = 72

// Scan returns the k-th scan line of a camera: its start and step in pixels, and its number of points. Scan lines are
// radial for an omni camera. For other cameras they are vertical, from the bottom up.
func Scan(width, height, k int, radial bool) (u, v, du, dv float64, steps int) {
	w, h := float64(width), float64(height)
	if radial {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / ScanLines)
		return (w - 1) / 2, (h - 1) / 2, cos, sin, int(math.Hypot(w, h) / 2)
	}
	return (float64(k) + 0.5) * w / ScanLines, h - 1, 0, -1, height
}

// scanLines are the directions of a camera's scan lines.
type scanLines struct{ all [ScanLines]scanLine }

// scanLine is a line of points in the image, one pixel apart.
type scanLine struct {
	u, v, du, dv float64
	fans         []fan
}

// fan is a range of directions of a scan line that lie in a plane. Each direction is a weighted sum of the range's
// first and last direction, in C, with non-negative weights.
type fan struct {
	from, to           mgl64.Vec3
	from2, to2, fromTo float64    // their dot products
	normal             mgl64.Vec3 // of the plane
	middle             mgl64.Vec3 // unit vector between from and to; 0 if they are far apart
	runs               []scanRun
}

// scanRun is a range of points of a scan line. The direction of the point at a fraction t of the range has the weights
// a + t·(b − a) in its fan.
type scanRun struct {
	first, last float64
	a, b        [2]float64
}

const (
	offFan  = 0.05 // largest error of a direction in its fan's plane, as a fraction of a pixel
	offRun  = 0.15 // largest error of a direction in its run, as a fraction of a pixel
	fanWide = -0.5 // cosine of the largest angle between the first and last direction of a fan
)

func (c *Camera) newScanLines(radial bool) *scanLines {
	s := &scanLines{}
	var dirs []mgl64.Vec3
	for k := range s.all {
		l := &s.all[k]
		var steps int
		l.u, l.v, l.du, l.dv, steps = Scan(c.width, c.height, k, radial)
		dirs = dirs[:0]
		first := 0
		for i := range steps + 1 {
			u, v := l.u+float64(i)*l.du, l.v+float64(i)*l.dv
			d, ok := mgl64.Vec3{}, false
			if i < steps && optics.Inside(c.model, u, v) {
				d, ok = c.model.Unproject(u, v)
			}
			if ok {
				dirs = append(dirs, d.Normalize())
				continue
			}
			if len(dirs) > 1 {
				l.fit(dirs, first)
			}
			dirs, first = dirs[:0], i+1
		}
	}
	return s
}

// fit appends fans that represent the given directions. The argument point is the index of the first direction's point.
func (l *scanLine) fit(dirs []mgl64.Vec3, point int) {
	last := len(dirs) - 1
	f := fan{from: dirs[0], to: dirs[last], from2: 1, to2: 1, fromTo: dirs[0].Dot(dirs[last]),
		normal: dirs[0].Cross(dirs[last])}
	sin := f.normal.Len()
	good := f.fromTo > fanWide && sin > 0
	if good {
		f.normal, f.middle = f.normal.Mul(1/sin), f.from.Add(f.to).Normalize()
	}
	for i := 1; i < last && good; i++ {
		good = math.Abs(f.normal.Dot(dirs[i])) <= offFan*dirs[i+1].Sub(dirs[i]).Len()
	}
	if !good && last > 1 {
		l.fit(dirs[:last/2+1], point)
		l.fit(dirs[last/2:], point+last/2)
		return
	}
	f.fit(dirs, point, 0, last)
	l.fans = append(l.fans, f)
}

// fit appends runs that represent the directions with indices between two limits. The argument point is the index of
// the point of dirs[0].
func (f *fan) fit(dirs []mgl64.Vec3, point, from, to int) {
	a, b, m := dirs[from], dirs[to], dirs[(from+to)/2]
	// Weights of both ends such that the run is exact at its middle.
	c, p, q := a.Dot(b), m.Dot(a), m.Dot(b)
	t := float64((from+to)/2-from) / float64(to-from)
	wa, wb := 1.0, 1.0
	if det := 1 - c*c; t > 0 && det > 1e-12 {
		wa, wb = (p-q*c)/det/(1-t), (q-p*c)/det/t
	}
	a, b = a.Mul(wa), b.Mul(wb)
	good := wa > 0 && wb > 0
	for i := from + 1; i < to && good; i++ {
		d := a.Add(b.Sub(a).Mul(float64(i-from) / float64(to-from))).Normalize()
		good = d.Sub(dirs[i]).Len() <= offRun*dirs[i+1].Sub(dirs[i]).Len()
	}
	if !good && to-from > 1 {
		f.fit(dirs, point, from, (from+to)/2)
		f.fit(dirs, point, (from+to)/2, to)
		return
	}
	f.runs = append(f.runs, scanRun{float64(point + from), float64(point + to), f.weights(&a), f.weights(&b)})
}

// weights returns the weights of a direction in the fan.
func (f *fan) weights(d *mgl64.Vec3) [2]float64 {
	p, q, det := dot(d, &f.from), dot(d, &f.to), 1-f.fromTo*f.fromTo
	if det < 1e-12 { // all directions are the same
		return [2]float64{1, 0}
	}
	return [2]float64{math.Max(0, (p-q*f.fromTo)/det), math.Max(0, (q-p*f.fromTo)/det)}
}

// pointAt returns the point of the scan line, between two pixels in general, whose direction is at a fraction of the
// fan.
func (f *fan) pointAt(share float64) float64 {
	x, y := 1-share, share
	for i := range f.runs {
		r := &f.runs[i]
		if beyond := r.b[0]*y - r.b[1]*x; beyond <= 0 || i == len(f.runs)-1 {
			past := max(0, r.a[0]*y-r.a[1]*x)
			if beyond >= 0 {
				return r.last
			}
			return r.first + (r.last-r.first)*past/(past-beyond)
		}
	}
	return 0
}

// weightsAt returns the weights in the fan of the direction of a point.
func (f *fan) weightsAt(point float64) [2]float64 {
	i := 0
	for i+1 < len(f.runs) && f.runs[i].last < point {
		i++
	}
	r := &f.runs[i]
	t := (point - r.first) / (r.last - r.first)
	return [2]float64{r.a[0] + t*(r.b[0]-r.a[0]), r.a[1] + t*(r.b[1]-r.a[1])}
}
