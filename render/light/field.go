package light

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/mat"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Source is one of the two kinds of light, whose amounts change independently.
type Source int

const (
	Lamps   Source = iota // light of the panels in the ceiling and of the bulbs
	Windows               // light of the windows in the walls
	sources
)

// Field is the light of an empty hall: on its faces, and in the space between them. It includes all interreflection
// between the faces. Renderers that do not trace light use it. All values are linear. The light of lamps and the light
// of windows are stored separately.
type Field struct {
	Illumination
	Floor   Grid // columns along x, rows along y
	Ceiling Grid // layout as of Floor
	// the four walls side by side, at −x, +x, −y and +y; columns along y or x, rows along z
	Walls Grid
	Emits [sources]mgl32.Vec3
	Sheen Sheen

	scene   *render.Scene
	shading *render.Shading // the shading for which the field is currently computed
	*spread
	probes  []Probe // of the lattice
	leans   []lean  // for each node of Floor
	leaning int     // version of leans; incremented when leans change
}

// Grid is the irradiance over π at nodes spaced evenly over a face. The first and last nodes of rows and columns are at
// the face's edges. Values between nodes are interpolated bilinearly.
type Grid struct {
	Cols, Rows int // for walls, Cols is the number of columns of all four together
	Of         [sources][]mgl32.Vec3
}

// Reflects returns the mean reflectance of the floor around a point, including markings and wear.
func (f *Field) Reflects(x, y float32) mgl32.Vec3 {
	return spatial.Vec32(f.floor.at(float64(x), float64(y)))
}

// NewField computes the light of a scene's hall. It returns nil if there is no hall. For a hall that is not cached, it
// takes some tenths of a second.
func NewField(s *render.Scene, with *render.Shading) *Field {
	out, in := illuminate(s, with)
	if in == nil {
		return nil
	}
	x := spreads.get(in.content, func() *spread { return newSpread(in) })
	f := &Field{Illumination: out, scene: s, shading: with, spread: x, probes: make([]Probe, x.lattice.size()),
		leans: make([]lean, x.cols*x.rows)}
	f.Floor.init(x.cols, x.rows)
	f.Ceiling.init(x.cols, x.rows)
	f.Walls.init(4*x.wide, x.high)
	f.mix()
	return f
}

func (g *Grid) init(cols, rows int) {
	g.Cols, g.Rows = cols, rows
	for s := range g.Of {
		g.Of[s] = make([]mgl32.Vec3, cols*rows)
	}
}

// Shade updates the field to another shading of its scene. If only the amounts of lamps and windows have changed, this
// is fast, and Shade returns false. It returns true if it recomputed the field, or if a body's colour changed. The
// caller must then recompute the field's ShadowMap. ShadowMap.Shade updates both the field and the map.
func (f *Field) Shade(with *render.Shading) (recomputed bool) {
	recomputed, painted := f.shade(with)
	return recomputed || painted
}

// shade implements Shade. recomputed reports whether the field was recomputed, and painted whether a body's colour
// changed.
func (f *Field) shade(with *render.Shading) (recomputed, painted bool) {
	if with == f.shading {
		return false, false
	}
	l, was := &with.Light, &f.shading.Light
	same := l.DirectionW == was.DirectionW && with.Carpet == f.shading.Carpet
	for i := range l.Spots {
		same = same && l.Spots[i].PosW == was.Spots[i].PosW
	}
	if !same {
		*f = *NewField(f.scene, with)
		return true, false
	}
	painted = !slices.EqualFunc(with.Materials, f.shading.Materials,
		func(a, b render.Material) bool { return a.Color == b.Color })
	f.shading = with
	f.mix()
	return false, painted
}

// amount returns the current amount of a group's light, as a multiple of the group's unit.
func (f *Field) amount(g int) mgl64.Vec3 {
	l := &f.shading.Light
	switch g {
	case 0:
		return times(f.hall.per[0], spatial.Vec64(l.Lamp))
	case 1:
		return times(f.hall.per[1], spatial.Vec64(l.Sky))
	}
	return spatial.Vec64(l.Spots[g-2].Light)
}

// mix sums the light of all groups, weighted by their amounts.
func (f *Field) mix() {
	f.Emits = [sources]mgl32.Vec3{Lamps: spatial.Vec32(f.amount(0)), Windows: spatial.Vec32(f.amount(1))}
	for _, face := range []struct {
		grid *Grid
		of   func(*group) []mgl64.Vec3
	}{
		{&f.Floor, func(g *group) []mgl64.Vec3 { return g.floor }},
		{&f.Ceiling, func(g *group) []mgl64.Vec3 { return g.ceiling }},
		{&f.Walls, func(g *group) []mgl64.Vec3 { return g.walls }},
	} {
		for s := range face.grid.Of {
			clear(face.grid.Of[s])
		}
		for i := range f.groups {
			g := &f.groups[i]
			amount, to := f.amount(i), face.grid.Of[g.source]
			for k, light := range face.of(g) {
				to[k] = to[k].Add(spatial.Vec32(times(light, amount)))
			}
		}
	}
	f.mixProbes()
	f.mixLeans()
	f.mixSheen()
}

// Toward describes the point that a ray inside the empty hall meets. It returns the mean reflectance towards the ray,
// the irradiance over π, and the emitted radiance. The emitted radiance is 0 outside of panels and windows.
func (f *Field) Toward(o, d mgl64.Vec3) (reflectance, irradiance, emitted mgl32.Vec3) {
	m := f.intersect(o, d)
	var sum mgl64.Vec3
	for g := range f.groups {
		sum = sum.Add(times(f.groups[g].irradianceAt(&m), f.amount(g)))
	}
	reflectance = spatial.Vec32(m.reflects)
	switch m.face {
	case 0:
		// m.reflects contains the mean sheen under a uniform ambient light, which is replaced by the sheen along the
		// ray
		if sheen := f.scene.Floor.Sheen; sheen > 0 && m.reflects == f.floor.carpet {
			more := f.Sheen.At(float32(d[2]*d[2]/d.LenSqr())) - float32(sheen*evenSheen)
			reflectance = reflectance.Add(mgl32.Vec3{1, 1, 1}.Sub(reflectance).Mul(more))
		}
	case 1, 2:
		if f.emits(m.face, m.p) {
			emitted = f.Emits[m.face-1]
		}
	}
	return reflectance, spatial.Vec32(sum), emitted
}

// emits reports whether a point is on a panel or a window. The face is 1 for the ceiling and 2 for a wall.
func (in *Illumination) emits(face int, p mgl64.Vec3) bool {
	if face == 1 {
		return in.PanelRows[0].has(p[0]) && in.PanelRows[1].has(p[1])
	}
	along, rows := p[1], &in.WindowRows[0]
	if math.Abs(p[0])/in.HalfX < math.Abs(p[1])/in.HalfY {
		along, rows = p[0], &in.WindowRows[1]
	}
	return p[2] >= in.WindowLow && p[2] <= in.WindowHigh && rows.has(along)
}

// has reports whether a position along the row's axis is inside a strip.
func (r *Row) has(x float64) bool {
	i := mgl64.Clamp(math.Round((x-r.First)/r.Pitch), 0, float64(r.N-1))
	return math.Abs(x-r.First-i*r.Pitch) <= r.Half
}

// Around returns the irradiance over π of an upright object at a point in W, averaged over all its sides. Of the
// coefficients of a Probe, only the first contributes: the others cancel out or are 0 at the horizon.
func (f *Field) Around(p mgl64.Vec3) (out mgl32.Vec3) {
	f.nearby(p, func(of *Probe, share float32) { out = out.Add(of[0].Mul(share)) })
	return out
}

// Sheen describes the fraction of the light on a carpet that the tips of its fibres scatter along a ray. If c is the
// cosine of the ray's angle to the normal, the fraction is Rise[0]/(c² + SheenNear[0]) + Rise[1]/(c² + SheenNear[1]) +
// Rest.
type Sheen struct {
	Rise [2]float32
	Rest float32
	// colour of the scattered light relative to the incident light; the tips scatter a larger fraction of the light
	// from low windows than of the light from lamps above
	Tint mgl32.Vec3
}

// SheenNear defines the hyperbolas in Sheen. They approximate the exponentials of render.PileScatter with an error of
// at most 0.01 of the scattered light. They need no square root.
var SheenNear = [2]float32{0.004, 0.058}

// At returns the scattered fraction. The argument is the squared cosine of a ray's angle to the normal.
func (s *Sheen) At(cos2 float32) float32 {
	return s.Rise[0]/(cos2+SheenNear[0]) + s.Rise[1]/(cos2+SheenNear[1]) + s.Rest
}

// evenSheen is the fraction of a uniform ambient light that fibre tips scatter, if they scatter all light that they
// intercept.
var evenSheen = func() (sum float64) {
	const n = 64
	for i := range n {
		cos := (float64(i) + 0.5) / n
		sum += sheenOf(cos, func(float64) float64 { return 1 }) * 2 * cos / n
	}
	return sum
}()

// sheenOf returns the fraction of light that fibre tips scatter in a direction with the cosine out to the normal, if
// they scatter all light that they intercept. The function radiance returns the incident light by its cosine to the
// normal.
func sheenOf(out float64, radiance func(cos float64) float64) float64 {
	const n = 64
	back, arrives := 0.0, 0.0
	for i := range n {
		in := (float64(i) + 0.5) / n
		light := radiance(in) * in
		back += light * render.PileScatter(out, in) * math.Pi
		arrives += light
	}
	if !(arrives > 0) {
		return 0
	}
	return back / arrives
}

// mixSheen computes the carpet's sheen in the current light of lamps and windows, averaged over the carpet.
func (f *Field) mixSheen() {
	f.Sheen = Sheen{}
	if f.scene.Floor.Sheen <= 0 {
		return
	}
	amounts := [sources]float64{Lamps: render.Luminance(spatial.Vec32(f.amount(int(Lamps)))),
		Windows: render.Luminance(spatial.Vec32(f.amount(int(Windows))))}
	radiance := func(amounts [sources]float64) func(cos float64) float64 {
		return func(cos float64) (sum float64) {
			for s, amount := range amounts {
				sum += amount * f.profile[s].at(cos)
			}
			return sum
		}
	}
	f.Sheen = newSheen(f.scene.Floor.Sheen, radiance(amounts))
	// The ratio of the colours hardly depends on the angle, so one angle suffices.
	const along = 0.2
	for c := range f.Sheen.Tint {
		f.Sheen.Tint[c] = 1
		if all := sheenOf(along, radiance(amounts)); all > 0 {
			f.Sheen.Tint[c] = float32(sheenOf(along, radiance([sources]float64{f.amount(int(Lamps))[c],
				f.amount(int(Windows))[c]})) / all)
		}
	}
}

// newSheen returns the sheen of a carpet whose fibre tips scatter the fraction share of the light that they intercept.
// The function radiance returns the incident light by its cosine to the normal.
func newSheen(share float64, radiance func(cos float64) float64) (s Sheen) {
	const n, atGrazing = 64, 16
	basis, values := mat.NewDense(n+atGrazing, 3, nil), mat.NewVecDense(n+atGrazing, nil)
	for i := range n + atGrazing {
		cos := (float64(i) + 0.5) / n
		if i >= n {
			cos = 0.1 * (float64(i-n) + 0.5) / atGrazing
		}
		basis.SetRow(i, []float64{1 / (cos*cos + float64(SheenNear[0])), 1 / (cos*cos + float64(SheenNear[1])), 1})
		values.SetVec(i, share*sheenOf(cos, radiance))
	}
	var fit mat.VecDense
	if err := fit.SolveVec(basis, values); err == nil { // no error can occur, because the three columns are independent
		s.Rise, s.Rest = [2]float32{float32(fit.AtVec(0)), float32(fit.AtVec(1))}, float32(fit.AtVec(2))
	}
	return s
}
