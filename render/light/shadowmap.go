package light

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/kept"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// ShadowMap holds, for each point of the floor, the fractions of lamp light and of window light that bodies do not
// block. It includes soft shadows and contact shadows.
type ShadowMap struct {
	Width, Height int
	Texel         float64 // side of a texel, metres
	// scale in 1/metre and offset that convert the floor's x and y to map coordinates, which are 0 to 1 along each side
	Place [4]float32
	Pix   []byte // unblocked fractions of lamp and window light, Height × Width × 2; 255 is all
	// like Pix, but 0 where static bodies may block light under some shading of the Field, otherwise 255; valid after
	// the first Draw
	Still   []byte
	Changed []Rect // rectangles where Pix changed in the last Draw
	Cast    []Rect // rectangles where moving bodies may block light

	field     *Field
	sky       *sky
	scene     *render.Scene
	occluders []*occluder // occluder of each body; nil for static bodies and for bodies that block no light
	still     []float32   // unblocked fractions with static bodies only, in the layout of Pix; 1 is all light
	now       []float32
	drawn     bool
	leaning   int       // value of Field.leaning for which still was computed
	keeps     []keeping // light that static bodies block, one body after the other
	spots     *spots    // nil if there are no bulbs
}

// Rect is a rectangle of texels: columns X0 to X1 − 1 and rows Y0 to Y1 − 1.
type Rect struct{ X0, Y0, X1, Y1 int }

// shadowMapTexels is the number of texels along the carpet's longer side. On a field of 18 m, a texel is 3.7 cm wide.
const shadowMapTexels = 512

// NewShadowMap prepares the map of a scene in the light of a field.
func NewShadowMap(s *render.Scene, f *Field) *ShadowMap {
	sx, sy := s.Floor.SizeX+2*render.ShadowMargin, s.Floor.SizeY+2*render.ShadowMargin
	texel := max(sx, sy) / shadowMapTexels
	m := &ShadowMap{Width: int(math.Ceil(sx / texel)), Height: int(math.Ceil(sy / texel)), Texel: texel, field: f,
		scene: s, sky: newSky(&f.profile)}
	m.Place = [4]float32{float32(1 / (texel * float64(m.Width))), float32(1 / (texel * float64(m.Height))), 0.5, 0.5}
	n := 2 * m.Width * m.Height
	m.Pix, m.Still, m.still, m.now = make([]byte, n), make([]byte, n), make([]float32, n), make([]float32, n)
	m.spots = newSpots(m)
	for i := range s.Bodies {
		m.occluders = append(m.occluders, m.occluder(&s.Bodies[i]))
	}
	return m
}

// occluder returns the occluder of a moving body. It returns nil for a static body, and for a body that blocks no
// light.
func (m *ShadowMap) occluder(b *render.Body) *occluder {
	if b.Static {
		return nil
	}
	x := shapeOf(m.scene, b)
	o := newOccluder(m.scene, m.field.shading.Materials, b, &x, spatial.Identity())
	if o != nil {
		o.press(x.all, m.sky, m.Texel/stampsPerTexel)
		o.triangles = nil
	}
	return o
}

// Shade updates the field and the map to another shading, and returns the map to use from then on. It returns the same
// map if only the amounts of lamps and windows and the colours of moving bodies changed. Otherwise it returns a new
// map.
func (m *ShadowMap) Shade(with *render.Shading) *ShadowMap {
	was := m.field.shading.Materials
	recomputed, painted := m.field.shade(with)
	if recomputed || painted && !m.repaint(was) {
		return NewShadowMap(m.scene, m.field)
	}
	return m
}

// repaint recomputes the occluders of bodies whose colours have changed. The argument was holds the earlier materials.
// repaint returns false if one of these bodies is static.
func (m *ShadowMap) repaint(was []render.Material) bool {
	var all []int
	for i := range m.scene.Bodies {
		b := &m.scene.Bodies[i]
		if slices.ContainsFunc(b.Parts,
			func(p render.Part) bool { return was[p.Material].Color != m.field.shading.Materials[p.Material].Color }) {
			if b.Static {
				return false
			}
			all = append(all, i)
		}
	}
	for _, i := range all {
		m.occluders[i] = m.occluder(&m.scene.Bodies[i])
	}
	return true
}

// Draw updates the map to the poses of all bodies, in W and in the scene's order. Static bodies must not have moved.
func (m *ShadowMap) Draw(posesWB []spatial.Pose) {
	m.Changed = append(m.Changed[:0], m.Cast...)
	if !m.drawn {
		m.drawn, m.leaning = true, m.field.leaning-1
		m.findStill(posesWB)
	}
	if m.leaning != m.field.leaning {
		m.leaning = m.field.leaning
		m.mixStill()
		copy(m.now, m.still)
		all := Rect{0, 0, m.Width, m.Height}
		m.Changed = append(m.Changed[:0], all)
		if m.spots != nil {
			m.spots.weigh(m)
			m.spots.restore(m, all)
		}
	}
	for _, r := range m.Cast {
		for y := r.Y0; y < r.Y1; y++ {
			from, to := 2*(y*m.Width+r.X0), 2*(y*m.Width+r.X1)
			copy(m.now[from:to], m.still[from:to])
		}
		if m.spots != nil {
			m.spots.restore(m, r)
		}
	}
	m.Cast = m.Cast[:0]
	for i, o := range m.occluders {
		if o == nil || posesWB[i].Absent() {
			continue
		}
		if r := m.add(o, posesWB[i]); r.X0 < r.X1 && r.Y0 < r.Y1 {
			m.Cast = append(m.Cast, r)
		}
		for b := 0; m.spots != nil && b < len(m.spots.of); b++ {
			if r := m.spots.add(m, &m.spots.of[b], o, posesWB[i]); r.X0 < r.X1 && r.Y0 < r.Y1 {
				m.Cast = append(m.Cast, r)
			}
		}
	}
	for i, r := range m.Cast {
		if i >= len(m.Changed) || m.Changed[i] != r { // the body has moved by at least a texel
			m.Changed = append(m.Changed, r)
		}
	}
	for _, r := range m.Changed {
		for y := r.Y0; y < r.Y1; y++ {
			from, to := 2*(y*m.Width+r.X0), 2*(y*m.Width+r.X1)
			for i, share := range m.now[from:to] {
				if m.spots != nil && i%2 == 0 {
					share = m.spots.unblocked((from+i)/2, share)
				}
				m.Pix[from+i] = uint8(share*255 + 0.5)
			}
		}
	}
}

// region returns a rectangle that contains all texels whose centres are within a given distance of the floor point (x,
// y), in metres.
func (m *ShadowMap) region(x, y, reach float64) Rect {
	at := func(v float64, n int) int {
		return int(mgl64.Clamp(math.Ceil(v/m.Texel+float64(n)/2-0.5), 0, float64(n)))
	}
	return Rect{at(x-reach, m.Width), at(y-reach, m.Height), at(x+reach, m.Width), at(y+reach, m.Height)}
}

// middle returns the centre of a texel, metres.
func (m *ShadowMap) middle(i, j int) (x, y float64) {
	return (float64(i) + 0.5 - float64(m.Width)/2) * m.Texel, (float64(j) + 0.5 - float64(m.Height)/2) * m.Texel
}

// take removes blocked light from a texel. The arguments ax and ay are the results of uneven at the texel.
func take(texel []float32, of *taken, ax, ay float32) {
	texel[0] *= 1 - min(max(of[0]+ax*of[1]+ay*of[2], 0), 1)
	texel[1] *= 1 - min(max(of[3], 0), 1)
}

// uneven compares the lamps' light at a point of the floor with light that comes evenly from all directions. It returns
// the fraction by which the light from the direction of x is stronger, and the same fraction for y.
func (m *ShadowMap) uneven(x, y float64) (ax, ay float64) {
	l := m.field.leanAt(x, y, Lamps)
	by := max(m.sky.leans[Lamps], 0.02)
	return l[0] / by, l[1] / by
}

// add removes the light that a body at a pose blocks, and returns the rectangle that may have changed.
func (m *ShadowMap) add(o *occluder, poseWB spatial.Pose) Rect {
	x, y, z := poseWB.Pos[0], poseWB.Pos[1], poseWB.Pos[2]
	if !(math.Abs(x) < 1e3 && math.Abs(y) < 1e3 && math.Abs(z) < 1e3) {
		return Rect{}
	}
	ex := poseWB.Rot.Rotate(mgl64.Vec3{1, 0, 0})
	up := poseWB.Rot.Rotate(mgl64.Vec3{0, 0, 1})
	if math.Abs(z+o.low) > lifted || !o.round && up[2] < tilted {
		return m.addSphere(o, poseWB.Apply(o.middle))
	}
	cos, sin := 1.0, 0.0
	if l := math.Hypot(ex[0], ex[1]); !o.round && l > 0 {
		cos, sin = ex[0]/l, ex[1]/l
	}
	wx, wy := m.uneven(x, y)
	ax, ay := float32(wx*cos+wy*sin), float32(wy*cos-wx*sin)
	half, step := o.side/2, o.texel
	reach := float64(half-1) * step
	r := m.region(x, y, reach)
	// A part of the blocked light is reflected by the body's sides. As in taken.addReflected, this part is smaller
	// where less light is left for the sides.
	const unit = 1.0 / pressedMost
	kept, dark := float32(1-o.gives)*unit, float32(o.gives)*unit*unit
	// Stamp coordinates are fixed-point numbers with 16 fractional bits. The nearest texel is used, because stamps are
	// finer than the map.
	const one = 1 << 16
	across, along := int(math.Round(one*m.Texel/step*cos)), int(math.Round(one*m.Texel/step*sin))
	for j := r.Y0; j < r.Y1; j++ {
		_, py := m.middle(0, j)
		row := m.region(x, y, math.Sqrt(max(reach*reach-(py-y)*(py-y), 0))) // the stamp is empty beyond
		px, _ := m.middle(row.X0, j)
		dx, dy := (px-x)/step, (py-y)/step
		u, v := int(one*(cos*dx+sin*dy+float64(half)+0.5)), int(one*(cos*dy-sin*dx+float64(half)+0.5))
		now := m.now[2*(j*m.Width+row.X0) : 2*(j*m.Width+row.X1)]
		for k := 0; k+1 < len(now); k, u, v = k+2, u+across, v-along {
			at := v>>16*o.side + u>>16
			if uint(at) >= uint(len(o.stamp)) {
				continue
			}
			of := &o.stamp[at]
			all := float32(of[0])
			share := kept + dark*all
			lamps := share * (all + ax*float32(of[1]) + ay*float32(of[2]))
			if lamps < 0 { // faster than min and max here
				lamps = 0
			} else if lamps > 1 {
				lamps = 1
			}
			now[k] -= now[k] * lamps
			now[k+1] -= now[k+1] * share * float32(of[3])
		}
	}
	return r
}

// addSphere is like add, for a lifted or fallen body. It approximates the body by a sphere. A point of the floor sees
// the sphere as a disc.
func (m *ShadowMap) addSphere(o *occluder, centreW mgl64.Vec3) Rect {
	x, y, z := centreW[0], centreW[1], centreW[2]
	if !(z > 0 && z < 1e3 && math.Abs(x) < 1e3 && math.Abs(y) < 1e3) {
		return Rect{}
	}
	reach := o.radius + min(perHeight*(z+o.radius), farthest)
	r := m.region(x, y, reach)
	wx, wy := m.uneven(x, y)
	total := [sources]float64{}
	for s := range total {
		for b := range bands {
			cos := (float64(b) + 0.5) / bands
			total[s] += m.field.profile[s][b] * cos * 2 / bands
		}
	}
	// Apart from the lean of lamp light, the blocked light depends only on the distance.
	const steps = 64
	var at [steps + 2][sources]float32
	for k := range at {
		d := reach * float64(k) / steps
		cos := z / math.Hypot(d, z)
		seen := cos * min(o.radius*o.radius/(d*d+z*z), 1) * (1 - o.gives) * fade(d, reach)
		for s, all := range total {
			if at[k][s] = float32(seen); all > 0 {
				at[k][s] *= float32(m.field.profile[s].at(cos) / all)
			}
		}
	}
	per, reach2, z2, ax, ay := float32(steps/reach), float32(reach*reach), float32(z*z), float32(wx), float32(wy)
	for j := r.Y0; j < r.Y1; j++ {
		px, py := m.middle(r.X0, j)
		dx, dy := float32(x-px), float32(y-py)
		now := m.now[2*(j*m.Width+r.X0) : 2*(j*m.Width+r.X1)]
		for i := 0; i+1 < len(now); i, dx = i+2, dx-float32(m.Texel) {
			d2 := dx*dx + dy*dy
			if d2 >= reach2 {
				continue
			}
			d := rays.Sqrt(d2) * per
			k := int(d)
			near, next, share := &at[k], &at[k+1], d-float32(k)
			lamps, windows := near[0]+(next[0]-near[0])*share, near[1]+(next[1]-near[1])*share
			lamps *= 1 + (ax*dx+ay*dy)/rays.Sqrt(d2+z2)
			now[i] *= 1 - min(max(lamps, 0), 1)
			now[i+1] *= 1 - min(max(windows, 0), 1)
		}
	}
	return r
}

// keeping is the light that a static body blocks at one texel.
type keeping struct {
	at int // index in Pix
	of taken
}

var stills = cache[[]keeping]{most: 8}

// findStill computes the light that static bodies block.
func (m *ShadowMap) findStill(posesWB []spatial.Pose) {
	for i := range m.Still {
		m.Still[i] = 255
	}
	var still []*occluder
	of := m.sky.content.with(float64(m.Width), float64(m.Height), m.Texel)
	for i := range m.scene.Bodies {
		b := &m.scene.Bodies[i]
		if !b.Static || b.Overhead {
			continue
		}
		x, p := shapeOf(m.scene, b), posesWB[i]
		o := newOccluder(m.scene, m.field.shading.Materials, b, &x, p)
		if o == nil {
			continue
		}
		if m.spots != nil {
			m.spots.addStill(m, o)
		}
		still = append(still, o)
		of = of.and(x.all).with(p.Pos[0], p.Pos[1], p.Pos[2], p.Rot.W, p.Rot.V[0], p.Rot.V[1], p.Rot.V[2], o.gives)
	}
	m.keeps = stills.get(of, func() (all []keeping) {
		kept.Get(of.keptAs("still"), func() { all = m.takenBy(still) }, kept.Slice(&all))
		return all
	})
	for i := range m.keeps {
		m.Still[m.keeps[i].at], m.Still[m.keeps[i].at+1] = 0, 0
	}
}

// takenBy returns the light that static bodies block at the texels around them, one body after the other.
func (m *ShadowMap) takenBy(still []*occluder) (all []keeping) {
	texels := make([]taken, m.Width*m.Height) // for one body
	// strength of the current body's effect at each texel, 0 to 1, which fades out with the distance
	ends := make([]float64, m.Width*m.Height)
	for _, o := range still {
		clear(ends)
		clear(texels)
		for k := range o.parts {
			m.surround(&o.parts[k], ends)
		}
		tree := rays.NewTree(o.triangles)
		rays.InParallel(m.Height, func(y int) {
			for x := range m.Width {
				left := ends[y*m.Width+x]
				if left == 0 {
					continue
				}
				px, py := m.middle(x, y)
				of := m.sky.blockedBy(tree, px, py, 0)
				of.scale(left)
				of.addReflected(o.gives)
				texels[y*m.Width+x] = of
			}
		})
		for k, of := range texels {
			if of != (taken{}) {
				all = append(all, keeping{2 * k, of})
			}
		}
	}
	return all
}

// mixStill computes the map with static bodies only, for the current lean of the light.
func (m *ShadowMap) mixStill() {
	for i := range m.still {
		m.still[i] = 1
	}
	for i := range m.keeps {
		k := &m.keeps[i]
		ax, ay := m.uneven(m.middle(k.at/2%m.Width, k.at/2/m.Width))
		take(m.still[k.at:k.at+2], &k.of, float32(ax), float32(ay))
	}
}

// surround raises the strengths in ends to at least those of the effect of a part with the bounds b.
func (m *ShadowMap) surround(b *rays.Bounds, ends []float64) {
	x0, y0, x1, y1 := float64(b.Lo.X), float64(b.Lo.Y), float64(b.Hi.X), float64(b.Hi.Y)
	reach := min(perHeight*float64(b.Hi.Z), farthest)
	lo, hi := m.region(x0, y0, reach), m.region(x1, y1, reach)
	for y := lo.Y0; y < hi.Y1; y++ {
		for x := lo.X0; x < hi.X1; x++ {
			px, py := m.middle(x, y)
			if d := math.Hypot(max(x0-px, px-x1, 0), max(y0-py, py-y1, 0)); d < reach {
				ends[y*m.Width+x] = max(ends[y*m.Width+x], fade(d, reach))
			}
		}
	}
}
