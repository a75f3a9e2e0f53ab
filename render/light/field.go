package light

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// Source is one of the two kinds of light, whose amounts change independently.
type Source int

const (
	Lamps   Source = iota // light of the panels in the ceiling and of the bulbs
	Windows               // light of the windows in the walls
	sources
)

// Field is the light of an empty hall, on its faces and in the space between them, including all interreflection
// between the faces. Renderers that do not trace light use it. All values are linear. Light of lamps and of windows is
// stored separately.
type Field struct {
	Illumination
	Floor   Grid // columns along x, rows along y
	Ceiling Grid // layout as of Floor
	// the four walls side by side: at −x, +x, −y and +y; columns along y or x, rows along z
	Walls Grid
	Emits [sources]mgl32.Vec3
	Sheen Sheen

	scene   *render.Scene
	shading *render.Shading // the shading of the current values
	*spread
	probes  []Probe // of the lattice
	leans   []lean  // for each node of Floor
	leaning int     // version of leans: increases when leans change
}

// Grid is the irradiance over π at nodes spaced evenly over a face. The first and last nodes of rows and columns are at
// the face's edges. Values between nodes are interpolated bilinearly.
type Grid struct {
	Cols, Rows int // for walls, Cols counts all four
	Of         [sources][]mgl32.Vec3
}

// Reflects returns the mean reflectance of the floor around a point, including markings and wear.
func (f *Field) Reflects(x, y float32) mgl32.Vec3 {
	return vec32(f.floor.at(float64(x), float64(y)))
}

// NewField computes the light of a scene's hall; it returns nil if there is no hall. It takes some tenths of a second
// for a hall that is not cached.
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

// Shade updates the field to another shading of its scene. If only the amounts of lamps and windows changed, this is
// fast, and Shade returns false. It returns true if it recomputed the field or if a body's colour changed. A ShadowMap
// must then be recomputed; ShadowMap.Shade updates the field and the map.
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

// amount returns the current amount of a group, in units of the group.
func (f *Field) amount(g int) mgl64.Vec3 {
	l := &f.shading.Light
	switch g {
	case 0:
		return times(f.hall.per[0], vec64(l.Lamp))
	case 1:
		return times(f.hall.per[1], vec64(l.Sky))
	}
	return vec64(l.Spots[g-2].Light)
}

// mix sums the light of all groups, weighted by their amounts.
func (f *Field) mix() {
	f.Emits = [sources]mgl32.Vec3{Lamps: vec32(f.amount(0)), Windows: vec32(f.amount(1))}
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
				to[k] = to[k].Add(vec32(times(light, amount)))
			}
		}
	}
	f.mixProbes()
	f.mixLeans()
	f.mixSheen()
}

func vec32(v mgl64.Vec3) mgl32.Vec3 { return mgl32.Vec3{float32(v[0]), float32(v[1]), float32(v[2])} }
