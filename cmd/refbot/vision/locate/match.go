package locate

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
)

// Pose is a robot's position, in m, and heading, in rad.
type Pose struct {
	Pos     pitch.Vec
	Heading float64
}

// on converts a point from the frame of a robot with this pose to the frame of the field.
func (p *Pose) on(x, y float64) (fx, fy float64) {
	sin, cos := math.Sincos(p.Heading)
	return p.Pos[0] + x*cos - y*sin, p.Pos[1] + x*sin + y*cos
}

// Toward returns the pose at a share of the way to the next one.
func (p Pose) Toward(next Pose, share float64) Pose {
	return Pose{p.Pos.Add(next.Pos.Sub(p.Pos).Mul(share)), p.Heading + share*pitch.Wrap(next.Heading-p.Heading)}
}

// belief is a pose with its information, the inverse of its covariance, in m and rad.
type belief struct {
	Pose
	info mgl64.Mat3
}

// Guesses, which the test of tracking confirms. pointError is the error that neighbouring points have in common, in m,
// for example because of the camera's height. The independent error of each point is only a tenth of that. fine is a
// length on the floor, in m: if a pixel covers more than fine, the error of the point grows.
const (
	pointError = 0.3
	fine       = 0.05
)

// weight returns the weight of a point in the fit. It decreases with distance, because a distant pixel covers more
// floor.
func weight(p *vision.LinePoint) float64 { return 1 / (1 + p.Across*p.Across/(fine*fine)) }

// improved takes a Gauss–Newton step from the pose p towards the pose that is most likely for the points and a prior. A
// point at the distance e from the nearest line has the weight c⁴/(c²+e²)² (Geman and McClure). improved returns the
// next pose with its information, and the size of the step, in m and rad.
func (f *Field) improved(points []vision.LinePoint, p Pose, c float64, prior *belief) (next belief, moved float64) {
	c2 := c * c
	sin, cos := math.Sincos(p.Heading)
	var xx, xy, xh, yy, yh, hh, bx, by, bh float64
	for i := range points {
		q := &points[i]
		rx, ry := q.X*cos-q.Y*sin, q.X*sin+q.Y*cos
		dx, dy, ok := f.Way(p.Pos[0]+rx, p.Pos[1]+ry)
		e := math.Hypot(dx, dy)
		if !ok || e > 3*c {
			continue
		}
		w := weight(q) * c2 * c2 / ((c2 + e*e) * (c2 + e*e)) / (pointError * pointError)
		// A point determines the position only across its line, not along the line.
		nx, ny := dx, dy
		if e > 1e-4 {
			nx, ny = dx/e, dy/e
		} else if nx, ny, ok = f.across(p.Pos[0]+rx, p.Pos[1]+ry); !ok {
			continue
		}
		h := ny*rx - nx*ry // derivative by the heading
		xx, xy, xh, yy, yh, hh = xx+w*nx*nx, xy+w*nx*ny, xh+w*nx*h, yy+w*ny*ny, yh+w*ny*h, hh+w*h*h
		bx, by, bh = bx+w*nx*e, by+w*ny*e, bh+w*h*e
	}
	a := mgl64.Mat3{xx, xy, xh, xy, yy, yh, xh, yh, hh}.Add(prior.info)
	b := mgl64.Vec3{bx, by, bh}.Add(prior.info.Mul3x1(mgl64.Vec3{prior.Pos[0] - p.Pos[0], prior.Pos[1] - p.Pos[1],
		pitch.Wrap(prior.Heading - p.Heading)}))
	step := a.Inv().Mul3x1(b)
	next = belief{Pose{pitch.Vec{p.Pos[0] + step[0], p.Pos[1] + step[1]}, pitch.Wrap(p.Heading + step[2])}, a}
	return next, math.Abs(step[0]) + math.Abs(step[1]) + math.Abs(step[2])
}

// across returns the unit vector perpendicular to a line. (x, y) is a position on the centre of the line. ok is false
// outside of the table.
func (f *Field) across(x, y float64) (nx, ny float64, ok bool) {
	for _, d := range [2]pitch.Vec{{cell / 2, 0}, {0, cell / 2}} {
		dx, dy, in := f.Way(x+d[0], y+d[1])
		if e := math.Hypot(dx, dy); in && e > cell/8 {
			return dx / e, dy / e, true
		}
	}
	return 0, 0, false
}

// refined returns the most likely pose near the pose guess. The scale of the weights decreases from c to c/2.
func (f *Field) refined(points []vision.LinePoint, guess Pose, c float64, prior *belief) belief {
	best := belief{Pose: guess}
	for _, width := range [2]float64{c, c / 2} {
		for range 8 {
			next, moved := f.improved(points, best.Pose, width, prior)
			if best = next; moved < 1e-4 {
				break
			}
		}
	}
	return best
}

// fits returns the misfit of a pose: the weighted mean of e²/(c²+e²) over the points, where e is a point's distance
// from the nearest line. The misfit is 0 if all points lie on lines, and close to 1 if no point does.
func (f *Field) fits(points []vision.LinePoint, p *Pose, c float64) float64 {
	sum, all := 0.0, 1e-9
	sin, cos := math.Sincos(p.Heading)
	for i := range points {
		q := &points[i]
		w := weight(q)
		all += w
		if dx, dy, ok := f.nearest(p.Pos[0]+q.X*cos-q.Y*sin, p.Pos[1]+q.X*sin+q.Y*cos); ok {
			e2 := dx*dx + dy*dy
			sum += w * e2 / (c*c + e2)
		} else {
			sum += w
		}
	}
	return sum / all
}

// Parameters of the search over the whole field. gridStep is the spacing of the grid, in m. candidates is the number of
// best grid positions that are refined.
const (
	gridStep   = 0.25
	outside    = 1.0 // m, distance outside of the field up to which the search extends
	sparse     = 120 // largest number of points used in the search
	candidates = 24
	wide       = 0.4  // m, scale of the robust weight in the search
	narrow     = 0.15 // m, scale of the robust weight when the best candidate is chosen
)

// Guesses. least is the smallest number of points with which a search over the whole field is possible. poor is the
// largest misfit of a pose that is accepted.
const (
	least = 20
	poor  = 0.5
)

// candidate is a position of the grid.
type candidate struct {
	pose Pose
	cost float64
}

// Locate searches the whole field for the pose that fits the points best. compass is the robot's heading, in rad, with
// an error of at most about 10°. Locate needs it because the field is symmetric: the same pose in the opposite half
// fits equally well. Locate returns false if there are too few points or if no pose fits.
func (f *Field) Locate(points []vision.LinePoint, compass float64) (Pose, bool) {
	return f.search(points, f.whole(), compass, 3, func(float64) float64 { return compass })
}

// box is a part of the field, in m.
type box struct{ from, to pitch.Vec }

// whole is the field and its surroundings.
func (f *Field) whole() box {
	to := pitch.Vec{f.Length/2 + outside, f.Width/2 + outside}
	return box{to.Mul(-1), to}
}

// headingStep is the difference between two headings of the search, in rad. allHeadings cover a full turn.
const (
	headingStep = 0.1
	allHeadings = 63
)

// LocateAnywhere is Locate with an unknown heading, for a map without symmetry.
func (f *Field) LocateAnywhere(points []vision.LinePoint) (Pose, bool) {
	return f.locateIn(points, f.whole())
}

func (f *Field) locateIn(points []vision.LinePoint, in box) (Pose, bool) {
	return f.search(points, in, 0, allHeadings, func(heading float64) float64 { return heading })
}

// search searches a part of the field with an odd number of headings around one of them. prior returns the likely
// heading, with a standard deviation of 6°, for a candidate's heading.
func (f *Field) search(points []vision.LinePoint, in box, around float64, headings int,
	prior func(float64) float64) (Pose, bool) {
	if len(points) < least {
		return Pose{}, false
	}
	var some [sparse]vision.LinePoint
	for i := range some {
		some[i] = points[i*len(points)/sparse]
	}
	var kept [candidates]candidate
	for i := range kept {
		kept[i].cost = math.Inf(1)
	}
	worst := 0
	for k := range headings {
		heading := around + float64(k-headings/2)*headingStep
		for px := in.from[0]; px <= in.to[0]; px += gridStep {
			for py := in.from[1]; py <= in.to[1]; py += gridStep {
				p := Pose{pitch.Vec{px, py}, heading}
				cost := f.fits(some[:], &p, wide)
				if cost >= kept[worst].cost {
					continue
				}
				kept[worst] = candidate{p, cost}
				for i := range kept {
					if kept[i].cost > kept[worst].cost {
						worst = i
					}
				}
			}
		}
	}
	// The prior contains only the heading.
	best, lowest := Pose{}, math.Inf(1)
	for i := range kept {
		if math.IsInf(kept[i].cost, 1) {
			continue
		}
		guess := kept[i].pose
		likely := belief{Pose{guess.Pos, prior(guess.Heading)}, mgl64.Mat3{0: 1e-3, 4: 1e-3, 8: 100}}
		b := f.refined(points, guess, wide, &likely)
		if cost := f.fits(points, &b.Pose, narrow); cost < lowest {
			best, lowest = b.Pose, cost
		}
	}
	return best, lowest < poor
}
