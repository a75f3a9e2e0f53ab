package contour

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Solid is a body in an image, or a part of one.
type Solid struct {
	Form   *Form
	Radius float64 // radius of a ball around the origin of the body's frame, m; only if Form is nil
	Body   int     // index of its pose
	Target int     // index of the target to which the solid belongs; −1 for a solid that only occludes targets
	Code   int16   // code of its pixels
}

// Nothing is the code of a pixel that shows no body.
const Nothing int16 = -1

// Image describes which bodies an image shows at which pixels. Its memory is reused from image to image.
type Image struct {
	camera  *Camera
	eye     mgl64.Vec3 // W
	own     *Mask
	targets []region // of each target
	others  []region // of what is no target
	shown   []*region
	beside  []*region // bodies that may cover part of the current scan line
	near    []*region // bodies that may cover part of the scan line's current stretch
	bodies  []body
	marks   []markedBody
	pieces  []pieceRows // of bodies with marks
	lo, hi  []float32   // of the rows of pieces
	pen     pen
	alone   []int // number of pixels that would show each target if nothing occluded it
	painter painter
}

// body is a Solid relative to the camera.
type body struct {
	*Solid
	poseWB spatial.Pose
	rotWB  mgl64.Mat3
	rotCB  mgl64.Mat3
	toC    mgl64.Vec3 // its origin, C
	eyeB   mgl64.Vec3
	bound  bound
	perRad float64 // largest number of pixels per radian at the body
	detail float64 // negligible size, m
}

// bound is an upright cylinder or an upright box around a body, in W.
type bound struct {
	box         bool
	x, y, reach float64
	lo, hi      mgl64.Vec3 // only z for a cylinder
}

// fine is the largest error of a body's form in the image, pixels.
const fine = 0.4

// Scene is the content of images.
type Scene struct {
	Solids  []Solid
	Targets int           // number of them
	Looked  [2]mgl64.Vec3 // corners of a box around the markings and bars, whose visibility is computed, too; in W
}

// Draw computes which bodies of a scene a camera at the pose poseWC shows. The argument posesWB holds the poses of the
// scene's bodies. The argument self is the index of the target that is the camera's own robot, or −1. Draw leaves this
// target out of the scene and uses its mask instead. Draw also leaves out bodies farther than maxRange in m, because
// they cannot occlude nearer bodies.
func (im *Image) Draw(c *Camera, poseWC spatial.Pose, maxRange float64, scene *Scene, posesWB []spatial.Pose, self int,
	own *Mask) {
	im.camera, im.own, im.eye = c, own, poseWC.Pos
	im.targets, im.alone = grown(im.targets, scene.Targets), grown(im.alone, scene.Targets)
	for i := range im.targets {
		im.targets[i].reset(c.height)
		im.targets[i].body = nil
	}
	im.shown, im.bodies, im.marks = im.shown[:0], grown(im.bodies, len(scene.Solids))[:0], im.marks[:0]
	im.pieces, im.lo, im.hi = im.pieces[:0], im.lo[:0], im.hi[:0]
	im.others = grown(im.others, len(scene.Solids))
	at := viewpoint{camera: c, maxRange: maxRange, rotWC: poseWC.Rotation(), eye: poseWC.Pos}
	// The bounding box of all relevant lines of sight: bodies outside of it occlude nothing.
	lo, hi := im.eye, im.eye
	widen := func(p mgl64.Vec3, q mgl64.Vec3) {
		for k := range p {
			lo[k], hi[k] = min(lo[k], p[k]), max(hi[k], q[k])
		}
	}
	widen(scene.Looked[0], scene.Looked[1])
	for i := range scene.Solids {
		s := &scene.Solids[i]
		if s.Target < 0 || s.Target == self || posesWB[s.Body].Absent() {
			continue
		}
		b := im.place(&at, s, &posesWB[s.Body])
		around := b.bound.corners()
		widen(around[0], around[1])
		if at.excludes(b) {
			im.bodies = im.bodies[:len(im.bodies)-1]
			continue
		}
		r := &im.targets[s.Target]
		if r.body == nil {
			r.body = b
			im.shown = append(im.shown, r)
		} else {
			r.body.bound.widen(&b.bound)
		}
		im.drawBody(b, r)
	}
	others := 0
	for i := range scene.Solids {
		s := &scene.Solids[i]
		if s.Target >= 0 {
			continue
		}
		b := im.place(&at, s, &posesWB[s.Body])
		m := &b.bound
		if m.lo[0] >= hi[0] || m.lo[1] >= hi[1] || m.lo[2] >= hi[2] || m.hi[0] <= lo[0] || m.hi[1] <= lo[1] ||
			at.excludes(b) {
			im.bodies = im.bodies[:len(im.bodies)-1]
			continue
		}
		r := &im.others[others]
		others++
		r.reset(c.height)
		r.body = b
		im.shown = append(im.shown, r)
		im.drawBody(b, r)
	}
}

// viewpoint is a camera at a pose.
type viewpoint struct {
	camera   *Camera
	maxRange float64
	rotWC    mgl64.Mat3
	eye      mgl64.Vec3
	pose     *spatial.Pose // pose of the body in last, which is computed once for all solids of the body
	last     body
}

// place appends a solid at a pose in W to im.bodies.
func (im *Image) place(at *viewpoint, s *Solid, pose *spatial.Pose) *body {
	b := &at.last
	if b.Solid = s; at.pose != pose {
		at.pose = pose
		b.poseWB, b.rotWB = *pose, pose.Rotation()
		o := pose.Pos.Sub(at.eye)
		b.toC = spatial.TurnBack(&at.rotWC, o[0], o[1], o[2])
		b.eyeB = spatial.TurnBack(&b.rotWB, -o[0], -o[1], -o[2])
		b.rotCB = at.rotWC.Transpose().Mul3(b.rotWB)
	}
	b.setBound()
	im.bodies = append(im.bodies, *b)
	return &im.bodies[len(im.bodies)-1]
}

// excludes reports whether a body is outside of the image or out of range. If not, excludes also sets the body's
// detail.
func (at *viewpoint) excludes(b *body) bool {
	middle, radius := b.toC, b.Radius
	if f := b.Form; f != nil {
		radius = f.radius
		b.inC(&f.centre, &middle)
	}
	closest := math.Max(middle.Len()-radius, 0)
	if closest > at.maxRange {
		return true
	}
	perRad, ok := at.camera.sphereInView(&middle, radius)
	b.perRad, b.detail = perRad, fine*closest/perRad
	return !ok
}

// inC converts a point from a body's frame to the camera's. Like all code that runs for every corner, it works
// component by component and by pointer: copying a vector that has just been written stalls the processor.
func (b *body) inC(p, into *mgl64.Vec3) {
	m, x, y, z := &b.rotCB, p[0], p[1], p[2]
	into[0] = b.toC[0] + m[0]*x + m[3]*y + m[6]*z
	into[1] = b.toC[1] + m[1]*x + m[4]*y + m[7]*z
	into[2] = b.toC[2] + m[2]*x + m[5]*y + m[8]*z
}

func dot(a, b *mgl64.Vec3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		s = append(s[:cap(s)], make([]T, n-cap(s))...)
	}
	return s[:n]
}

func (b *body) setBound() {
	p := &b.poseWB.Pos
	switch f := b.Form; {
	case f == nil:
		b.bound = bound{x: p[0], y: p[1], reach: b.Radius, lo: mgl64.Vec3{0, 0, p[2] - b.Radius},
			hi: mgl64.Vec3{0, 0, p[2] + b.Radius}}
	case b.Target >= 0 && b.rotWB[8] > 0.99: // about upright
		b.bound = bound{x: p[0], y: p[1], reach: f.reach, lo: mgl64.Vec3{0, 0, p[2] + f.bottom},
			hi: mgl64.Vec3{0, 0, p[2] + f.top}}
	default:
		b.bound = bound{box: true}
		to, m := &b.bound, &b.rotWB
		x, y, z := f.centre[0], f.centre[1], f.centre[2]
		halfX, halfY, halfZ := (f.hi[0]-f.lo[0])*0.5, (f.hi[1]-f.lo[1])*0.5, (f.hi[2]-f.lo[2])*0.5
		for k := range 3 {
			middle := m[k]*x + m[3+k]*y + m[6+k]*z + p[k]
			half := math.Abs(m[k])*halfX + math.Abs(m[3+k])*halfY + math.Abs(m[6+k])*halfZ
			to.lo[k], to.hi[k] = middle-half, middle+half
		}
	}
}

// widen extends a cylinder or a box to contain another cylinder or box.
func (b *bound) widen(o *bound) {
	if b.box || o.box {
		b.box = true
		a, c := b.corners(), o.corners()
		for k := range 3 {
			b.lo[k], b.hi[k] = math.Min(a[0][k], c[0][k]), math.Max(a[1][k], c[1][k])
		}
		return
	}
	b.reach = math.Max(b.reach, math.Hypot(o.x-b.x, o.y-b.y)+o.reach)
	b.lo[2], b.hi[2] = math.Min(b.lo[2], o.lo[2]), math.Max(b.hi[2], o.hi[2])
}

func (b *bound) corners() [2]mgl64.Vec3 {
	if b.box {
		return [2]mgl64.Vec3{b.lo, b.hi}
	}
	return [2]mgl64.Vec3{{b.x - b.reach, b.y - b.reach, b.lo[2]}, {b.x + b.reach, b.y + b.reach, b.hi[2]}}
}

// before reports whether the body b may occlude the body o for an eye at a point in W. It chooses the plane that
// separates the bodies best, and reports whether the eye is on b's side of this plane.
func (b *bound) before(o *bound, eye *mgl64.Vec3) bool {
	best := math.Inf(-1)
	mine := false
	divide := func(gap float64, before bool) {
		if gap > best {
			best, mine = gap, before
		}
	}
	if b.box || o.box {
		m, n := b.corners(), o.corners()
		for k := range 3 {
			if gap := n[0][k] - m[1][k]; gap > best { // b is on the lower side
				divide(gap, eye[k] < (n[0][k]+m[1][k])/2)
			}
			if gap := m[0][k] - n[1][k]; gap > best {
				divide(gap, eye[k] > (m[0][k]+n[1][k])/2)
			}
		}
		return mine
	}
	dx, dy := o.x-b.x, o.y-b.y
	d := math.Hypot(dx, dy)
	if d > 0 {
		// On the line between the axes, b ends at b.reach, and o begins at d − o.reach.
		along := ((eye[0]-b.x)*dx + (eye[1]-b.y)*dy) / d
		divide(d-b.reach-o.reach, along < (b.reach+d-o.reach)/2)
	}
	divide(o.lo[2]-b.hi[2], eye[2] < (o.lo[2]+b.hi[2])/2)
	divide(b.lo[2]-o.hi[2], eye[2] > (b.lo[2]+o.hi[2])/2)
	return mine
}

// hides reports whether the region a may occlude part of the region b.
func (im *Image) hides(a, b *region) bool {
	return a != b && a.extent.overlaps(&b.extent) && a.body.bound.before(&b.body.bound, &im.eye)
}

// At returns the code of the pixel nearest to a point. The code is Nothing if the pixel shows no body. At returns false
// if the point is outside of the image.
func (im *Image) At(u, v float64) (code int16, inside bool) { return im.at(u, v, im.shown) }

// at returns the code of the pixel nearest to a point, of which other bodies than the given ones show nothing.
func (im *Image) at(u, v float64, bodies []*region) (code int16, inside bool) {
	x, y, inside := im.pixel(u, v)
	if !inside {
		return Nothing, false
	}
	if code, ok := im.own.at(x, y); ok {
		return code, true
	}
	var first *region
	for _, r := range bodies {
		if r.covers(x, y) && (first == nil || im.hides(r, first)) {
			first = r
		}
	}
	if first == nil {
		return Nothing, true
	}
	return first.body.Code, true
}

// OnlyShowing sets those elements of visible to false whose pixel is not in the image or does not have the given code.
// The points pixels[i] should be ordered along a line.
func (im *Image) OnlyShowing(code int16, pixels []optics.Pixel, visible []bool) {
	const together = 8 // points; bodies are looked for around all of them
	for len(pixels) > 0 {
		n := min(together, len(pixels))
		around := noExtent()
		for i, p := range pixels[:n] {
			if visible[i] {
				around.add(p.U, p.V)
			}
		}
		around.round()
		im.near = around.overlapping(im.shown, im.near)
		for i, p := range pixels[:n] {
			if visible[i] {
				shown, inside := im.at(p.U, p.V, im.near)
				visible[i] = inside && shown == code
			}
		}
		pixels, visible = pixels[n:], visible[n:]
	}
}

// clear reports whether the pixel nearest to a point is in the image, and shows neither the camera's own robot nor any
// of the given bodies.
func (im *Image) clear(u, v float64, bodies []*region) bool {
	x, y, inside := im.pixel(u, v)
	if !inside {
		return false
	}
	for _, r := range bodies {
		if r.covers(x, y) {
			return false
		}
	}
	_, own := im.own.at(x, y)
	return !own
}

func (im *Image) pixel(u, v float64) (x, y int, inside bool) {
	x, y = int(math.Floor(u+0.5)), int(math.Floor(v+0.5))
	return x, y, x >= 0 && y >= 0 && x < im.camera.width && y < im.camera.height
}

// Size returns the image's width and height in pixels.
func (im *Image) Size() (width, height int) { return im.camera.width, im.camera.height }

// Mask is the part of a robot in the image of its own camera. It is immutable.
type Mask struct {
	rows  [][]run // of each row
	first int     // first row that shows anything
	last  int
}

// run is a range of pixels of a row with one code.
type run struct {
	from, to int32
	code     int16
}

// NewMask returns the mask of an image that shows only the robot. The argument codes holds the codes of all pixels, row
// by row.
func NewMask(codes []int16, width int) *Mask {
	height := len(codes) / width
	m := &Mask{rows: make([][]run, height), first: height, last: -1}
	for v := range m.rows {
		row := codes[v*width : (v+1)*width]
		for u := 0; u < width; u++ {
			if row[u] == Nothing {
				continue
			}
			from := u
			for u+1 < width && row[u+1] == row[from] {
				u++
			}
			m.rows[v] = append(m.rows[v], run{int32(from), int32(u), row[from]})
			m.first, m.last = min(m.first, v), max(m.last, v)
		}
	}
	return m
}

// at returns the code of a pixel. It returns false if the robot does not cover the pixel.
func (m *Mask) at(u, v int) (int16, bool) {
	if m == nil {
		return 0, false
	}
	for i := range m.rows[v] {
		if r := &m.rows[v][i]; int32(u) < r.from {
			break
		} else if int32(u) <= r.to {
			return r.code, true
		}
	}
	return 0, false
}

// subtractFrom removes from a row the intervals that the robot covers.
func (m *Mask) subtractFrom(s *spans, v int) {
	if m == nil {
		return
	}
	for i := range m.rows[v] {
		if s.n == 0 {
			return
		}
		s.subtract(float32(m.rows[v][i].from)-0.5, float32(m.rows[v][i].to)+0.5)
	}
}

// overlaps reports whether the robot may occlude part of an extent.
func (m *Mask) overlaps(e *extent) bool {
	if m == nil || float64(m.first) > e.maxV+1 || float64(m.last) < e.minV-1 {
		return false
	}
	// the pixels that the extent touches; comparing in float64 first keeps infinite extents out of the conversions
	first, last := int(max(float64(m.first), math.Floor(e.minV))), int(min(float64(m.last), math.Ceil(e.maxV)))
	for v := first; v <= last; v++ {
		for i := range m.rows[v] {
			if r := &m.rows[v][i]; float64(r.from) <= e.maxU+1 && float64(r.to) >= e.minU-1 {
				return true
			}
		}
	}
	return false
}
