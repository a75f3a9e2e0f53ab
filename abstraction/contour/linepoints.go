package contour

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// painter finds where scan lines cross markings. Its memory is reused.
type painter struct {
	eye     mgl64.Vec3 // W
	runs    []floorRun // of the scan line
	painted []stretch  // of the scan line, in rising order
	far2    float64    // square of the range, m²
}

// stretch is points of a scan line, from one to another.
type stretch struct{ first, last int }

// LinePoints adds the middles of markings on all scan lines, pixels, as far as they are visible and nearer than a range, metres. Radial scan
// lines are for a camera that sees the floor straight below it.
func (im *Image) LinePoints(marks []spatial.Mark, poseWC spatial.Pose, radial bool, maxRange float64, into [][2]float64) [][2]float64 {
	p := &im.painter
	p.eye, p.far2 = poseWC.Pos, maxRange*maxRange
	rot := poseWC.Rotation()
	lines := im.camera.scan(radial)
	for k := range lines.all {
		l := &lines.all[k]
		n := spatial.Turn(&rot, l.normal[0], l.normal[1], l.normal[2])
		p.painted, p.runs = p.painted[:0], p.runs[:0]
		for i := range marks {
			if !p.mayCross(&marks[i], &n, l.spread) {
				continue
			}
			if len(p.runs) == 0 && !p.lay(l, &rot) {
				break
			}
			p.crossAll(&marks[i])
		}
		into = im.appendMiddles(l, into)
	}
	return into
}

// floorRun is a scan run in W, with the places on the floor where it begins and ends.
type floorRun struct {
	scanRun
	fromX, fromY, toX, toY float64
}

// horizon is the slope down of what looks just below the horizon.
const horizon = 1e-4

// lay sets the runs of a scan line that meet the floor in range, and tells whether there are any.
func (p *painter) lay(l *scanLine, rot *mgl64.Mat3) bool {
	for i := range l.runs {
		r := floorRun{scanRun: l.runs[i]}
		a, b := &r.from, &r.to
		*a, *b = spatial.Turn(rot, a[0], a[1], a[2]), spatial.Turn(rot, b[0], b[1], b[2])
		if a[2] > -horizon || b[2] > -horizon {
			from, to := 0.0, 1.0
			if d := b.Sub(*a); !clip(a[2]+horizon, d[2], &from, &to) {
				continue
			}
			r.cut(from, to)
		}
		h := p.eye[2]
		if h*h*a.LenSqr() > p.far2*a[2]*a[2] && h*h*b.LenSqr() > p.far2*b[2]*b[2] && a[0]*b[0]+a[1]*b[1] > 0 {
			continue // farther out it is no nearer
		}
		r.fromX, r.fromY = p.eye[0]-h*a[0]/a[2], p.eye[1]-h*a[1]/a[2]
		r.toX, r.toY = p.eye[0]-h*b[0]/b[2], p.eye[1]-h*b[1]/b[2]
		p.runs = append(p.runs, r)
	}
	return len(p.runs) > 0
}

// cut leaves of a run what is between two shares of it.
func (r *scanRun) cut(from, to float64) {
	d, length := r.to.Sub(r.from), r.last-r.first
	r.first, r.last = r.first+from*length, r.first+to*length
	r.from, r.to = r.from.Add(d.Mul(from)), r.from.Add(d.Mul(to))
}

// crossAll adds the points of all runs that lie on a marking.
func (p *painter) crossAll(m *spatial.Mark) {
	if m.Kind != spatial.Segment {
		reach := m.Radius + m.Width
		for i := range p.runs {
			r := &p.runs[i]
			if math.Min(r.fromX, r.toX) <= m.A[0]+reach && math.Max(r.fromX, r.toX) >= m.A[0]-reach &&
				math.Min(r.fromY, r.toY) <= m.A[1]+reach && math.Max(r.fromY, r.toY) >= m.A[1]-reach {
				p.cross(m, &r.scanRun)
			}
		}
		return
	}
	nx, ny := m.A[1]-m.B[1], m.B[0]-m.A[0]
	half := m.Width / 2 * math.Hypot(nx, ny)
	for i := range p.runs {
		r := &p.runs[i]
		a := nx*(r.fromX-m.A[0]) + ny*(r.fromY-m.A[1])
		b := nx*(r.toX-m.A[0]) + ny*(r.toY-m.A[1])
		if a > half && b > half || a < -half && b < -half {
			continue
		}
		p.cross(m, &r.scanRun)
	}
}

// mayCross tells whether a scan line with a plane's normal, W, may cross a marking.
func (p *painter) mayCross(m *spatial.Mark, n *mgl64.Vec3, spread float64) bool {
	aside := func(at *[2]float64) (off, slack float64) {
		x, y, z := at[0]-p.eye[0], at[1]-p.eye[1], -p.eye[2]
		return n[0]*x + n[1]*y + n[2]*z, spread * (math.Abs(x) + math.Abs(y) + math.Abs(z))
	}
	a, slack := aside(&m.A)
	if m.Kind != spatial.Segment {
		return math.Abs(a) <= m.Radius+m.Width+slack
	}
	b, more := aside(&m.B)
	slack = m.Width + math.Max(slack, more)
	return !(a > slack && b > slack || a < -slack && b < -slack)
}

// cross adds the points of a run that lie on a marking.
func (p *painter) cross(m *spatial.Mark, r *scanRun) {
	from, to := 0.0, 1.0
	d := r.to.Sub(r.from)
	// The floor's point of a direction D is eye − D·eyeZ/D_z, so that what is linear in the point is linear along the run.
	x, y, h := p.eye[0]-m.A[0], p.eye[1]-m.A[1], p.eye[2]
	switch m.Kind {
	case spatial.Segment:
		ex, ey := m.B[0]-m.A[0], m.B[1]-m.A[1]
		length := math.Hypot(ex, ey)
		if length == 0 {
			return
		}
		ex, ey = ex/length, ey/length
		half := m.Width / 2
		// side narrows to where (nx, ny)·point ≤ most.
		side := func(nx, ny, most float64) bool {
			k := most - nx*x - ny*y
			at := func(v *mgl64.Vec3) float64 { return h*(nx*v[0]+ny*v[1]) + k*v[2] }
			return clip(at(&r.from), at(&d), &from, &to)
		}
		if side(-ey, ex, half) && side(ey, -ex, half) && side(ex, ey, length+half) && side(-ex, -ey, half) {
			p.add(r, &d, from, to)
		}
	default:
		outer, inner := m.Radius+m.Width/2, m.Radius-m.Width/2
		if m.Kind == spatial.Spot {
			outer, inner = m.Radius, 0
		}
		qx, qy := -x*r.from[2]+h*r.from[0], -y*r.from[2]+h*r.from[1]
		sx, sy := -x*d[2]+h*d[0], -y*d[2]+h*d[1]
		// disc narrows to where a point is within a radius of the middle.
		disc := func(radius float64, lo, hi *float64) bool {
			r2 := radius * radius
			return clipQuadratic(sx*sx+sy*sy-r2*d[2]*d[2], sx*qx+sy*qy-r2*d[2]*r.from[2], qx*qx+qy*qy-r2*r.from[2]*r.from[2], lo, hi)
		}
		if !disc(outer, &from, &to) {
			return
		}
		a, b := from, to
		if m.Kind == spatial.Spot || inner <= 0 || !disc(inner, &a, &b) {
			p.addArc(m, r, &d, from, to)
			return
		}
		if a > from {
			p.addArc(m, r, &d, from, a)
		}
		if b < to {
			p.addArc(m, r, &d, b, to)
		}
	}
}

// clip narrows [from, to] to where at + t·slope ≤ 0, and tells whether anything is left.
func clip(at, slope float64, from, to *float64) bool {
	switch {
	case slope > 0:
		*to = math.Min(*to, -at/slope)
	case slope < 0:
		*from = math.Max(*from, -at/slope)
	case at > 0:
		return false
	}
	return *from <= *to
}

// clipQuadratic narrows [from, to] to where a·t² + 2·b·t + c ≤ 0, an interval within it, and tells whether anything is left.
func clipQuadratic(a, b, c float64, from, to *float64) bool {
	d := b*b - a*c
	if a <= 0 { // outside of a hyperbola's branches, which begin or end before the horizon
		if a == 0 {
			return clip(c, 2*b, from, to)
		}
		if d <= 0 {
			return true
		}
		root := math.Sqrt(d)
		first, second := (-b+root)/a, (-b-root)/a // first ≤ second
		if *to <= first || *from >= second {
			return true
		}
		if *from < first {
			*to = first
		} else {
			*from = second
		}
		return *from <= *to
	}
	if d < 0 {
		return false
	}
	root := math.Sqrt(d)
	*from, *to = math.Max(*from, (-b-root)/a), math.Min(*to, (-b+root)/a)
	return *from <= *to
}

// place returns where a share of a run meets the floor, from below the eye, metres; beyond is the square of its distance from the eye.
func (p *painter) place(r *scanRun, d *mgl64.Vec3, t float64) (x, y, beyond float64) {
	dx, dy, dz := r.from[0]+t*d[0], r.from[1]+t*d[1], r.from[2]+t*d[2]
	k := -p.eye[2] / dz
	return k * dx, k * dy, k * k * (dx*dx + dy*dy + dz*dz)
}

// points returns the points between two shares of a run, without those out of range.
func (p *painter) points(r *scanRun, d *mgl64.Vec3, from, to float64) (first, last int) {
	length := r.last - r.first
	first, last = int(math.Ceil(r.first+from*length-1e-9)), int(math.Floor(r.first+to*length+1e-9))
	out := func(k int) bool {
		_, _, beyond := p.place(r, d, (float64(k)-r.first)/length)
		return beyond > p.far2
	}
	for first <= last && out(first) {
		first++
	}
	for first <= last && out(last) {
		last--
	}
	return first, last
}

func (p *painter) add(r *scanRun, d *mgl64.Vec3, from, to float64) {
	if first, last := p.points(r, d, from, to); first <= last {
		p.insert(stretch{first, last})
	}
}

// addArc adds the points between two shares of a run that lie on an arc.
func (p *painter) addArc(m *spatial.Mark, r *scanRun, d *mgl64.Vec3, from, to float64) {
	first, last := p.points(r, d, from, to)
	if m.Kind == spatial.Arc && m.Sweep < 2*math.Pi-1e-9 {
		off := func(k int) bool {
			x, y, _ := p.place(r, d, (float64(k)-r.first)/(r.last-r.first))
			return m.Distance(p.eye[0]+x, p.eye[1]+y) > m.Width/2
		}
		for first <= last && off(first) {
			first++
		}
		for first <= last && off(last) {
			last--
		}
	}
	if first <= last {
		p.insert(stretch{first, last})
	}
}

// insert adds a stretch in its place.
func (p *painter) insert(s stretch) {
	p.painted = append(p.painted, s)
	for i := len(p.painted) - 1; i > 0 && p.painted[i].first < p.painted[i-1].first; i-- {
		p.painted[i], p.painted[i-1] = p.painted[i-1], p.painted[i]
	}
}

// appendMiddles adds the middles of what is visible of the scan line's painted stretches.
func (im *Image) appendMiddles(l *scanLine, into [][2]float64) [][2]float64 {
	first, last := -1, -1
	for _, s := range im.painter.painted {
		for k := max(s.first, last+1); k <= s.last; k++ {
			if !im.Clear(l.u+float64(k)*l.du, l.v+float64(k)*l.dv) {
				continue
			}
			if first >= 0 && k > last+1 {
				into = append(into, l.middle(first, last))
				first = -1
			}
			if first < 0 {
				first = k
			}
			last = k
		}
	}
	if first >= 0 {
		into = append(into, l.middle(first, last))
	}
	return into
}

func (l *scanLine) middle(first, last int) [2]float64 {
	k := float64(first+last) / 2
	return [2]float64{l.u + k*l.du, l.v + k*l.dv}
}
