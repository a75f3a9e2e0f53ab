package contour

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// ScanLines is the number of scan lines of an image. NuBot's omni vision has as many radial ones (Xiao et al. 2017).
const ScanLines = 72

// Scan returns the start and the step of a camera's k-th scan line, pixels, and its number of points. Scan lines are
// radial for an omni vision, else vertical from the bottom up.
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

// fan is a range of directions of a scan line that lie in a plane: sums of the first and the last, C, with non-negative
// weights.
type fan struct {
	from, to           mgl64.Vec3
	from2, to2, fromTo float64    // their dot products
	normal             mgl64.Vec3 // of the plane
	runs               []scanRun
}

// scanRun is a range of points of a scan line. The point at a fraction t looks along a + t·(b − a), weights of a fan's
// directions.
type scanRun struct {
	first, last float64
	a, b        [2]float64
}

const (
	offFan  = 0.05 // of a pixel: largest error of a direction in its fan's plane
	offRun  = 0.15 // of a pixel: largest error in its run
	fanWide = -0.5 // cosine of the angle of the widest fan
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

// fit appends fans for directions, the first of which is that of a point.
func (l *scanLine) fit(dirs []mgl64.Vec3, point int) {
	last := len(dirs) - 1
	f := fan{from: dirs[0], to: dirs[last], from2: 1, to2: 1, fromTo: dirs[0].Dot(dirs[last]),
		normal: dirs[0].Cross(dirs[last])}
	sin := f.normal.Len()
	good := f.fromTo > fanWide && sin > 0
	if good {
		f.normal = f.normal.Mul(1 / sin)
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

// fit appends runs for a range of directions, the first of which is that of a point.
func (f *fan) fit(dirs []mgl64.Vec3, point, from, to int) {
	a, b, m := dirs[from], dirs[to], dirs[(from+to)/2]
	// Weights of both ends that are exact for the middle.
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

// weights returns the weights of a direction.
func (f *fan) weights(d *mgl64.Vec3) [2]float64 {
	p, q, det := dot(d, &f.from), dot(d, &f.to), 1-f.fromTo*f.fromTo
	if det < 1e-12 { // all directions are the same
		return [2]float64{1, 0}
	}
	return [2]float64{math.Max(0, (p-q*f.fromTo)/det), math.Max(0, (q-p*f.fromTo)/det)}
}

// pointAt returns the point, between two of the scan line, whose direction is at a fraction of the fan.
func (f *fan) pointAt(share float64) float64 {
	x, y := 1-share, share
	for i := range f.runs {
		r := &f.runs[i]
		if beyond := r.b[0]*y - r.b[1]*x; beyond <= 0 || i == len(f.runs)-1 {
			past := math.Max(0, r.a[0]*y-r.a[1]*x)
			if beyond >= 0 {
				return r.last
			}
			return r.first + (r.last-r.first)*past/(past-beyond)
		}
	}
	return 0
}

// weightsAt returns the weights of the direction of a point.
func (f *fan) weightsAt(point float64) [2]float64 {
	i := 0
	for i+1 < len(f.runs) && f.runs[i].last < point {
		i++
	}
	r := &f.runs[i]
	t := (point - r.first) / (r.last - r.first)
	return [2]float64{r.a[0] + t*(r.b[0]-r.a[0]), r.a[1] + t*(r.b[1]-r.a[1])}
}
