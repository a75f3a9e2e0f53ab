package contour

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// ScanLines is the number of scan lines of an image. NuBot's omni vision has as many radial ones (Xiao et al. 2017).
const ScanLines = 72

// Scan returns where a camera's k-th scan line begins and its step, pixels, and the number of its points: of radial ones, which an omni
// vision has, or of vertical ones, from the bottom up.
func Scan(width, height, k int, radial bool) (u, v, du, dv float64, steps int) {
	w, h := float64(width), float64(height)
	if radial {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / ScanLines)
		return (w - 1) / 2, (h - 1) / 2, cos, sin, int(math.Hypot(w, h) / 2)
	}
	return (float64(k) + 0.5) * w / ScanLines, h - 1, 0, -1, height
}

// scanLines are the directions that a camera's scan lines look along.
type scanLines struct{ all [ScanLines]scanLine }

// scanLine is a row of points in the image, one pixel apart.
type scanLine struct {
	u, v, du, dv float64
	runs         []scanRun
	normal       mgl64.Vec3 // of the plane through the viewpoint that its directions lie in, C
	spread       float64    // sine of the largest angle that they are off it
}

// scanRun is points of a scan line from one to another. The one at a share t of the way looks along from + t·(to − from), C.
type scanRun struct {
	first, last        float64
	from, to           mgl64.Vec3
	from2, to2, fromTo float64 // their products
}

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
				l.fit(dirs, first, 0, len(dirs)-1)
				l.flatten(dirs)
			}
			dirs, first = dirs[:0], i+1
		}
	}
	return s
}

// fit adds runs for directions from one to another, of which the first is that of a point.
func (l *scanLine) fit(dirs []mgl64.Vec3, point, from, to int) {
	const most = 0.15 // of a pixel: what a direction may be off by
	a, b, m := dirs[from], dirs[to], dirs[(from+to)/2]
	// Such weights of both ends that the middle is as it should be.
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
		good = d.Sub(dirs[i]).Len() <= most*dirs[i+1].Sub(dirs[i]).Len()
	}
	if !good && to-from > 1 {
		l.fit(dirs, point, from, (from+to)/2)
		l.fit(dirs, point, (from+to)/2, to)
		return
	}
	l.runs = append(l.runs, scanRun{float64(point + from), float64(point + to), a, b, a.LenSqr(), b.LenSqr(), a.Dot(b)})
}

// flatten sets the plane that directions lie in.
func (l *scanLine) flatten(dirs []mgl64.Vec3) {
	l.normal = dirs[0].Cross(dirs[len(dirs)-1])
	if n := l.normal.Len(); n > 1e-9 {
		l.normal = l.normal.Mul(1 / n)
	}
	for _, d := range dirs {
		l.spread = math.Max(l.spread, math.Abs(l.normal.Dot(d)))
	}
}
