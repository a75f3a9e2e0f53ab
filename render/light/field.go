package light

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// Source tells the two kinds of light apart, which change by themselves.
type Source int

const (
	Lamps   Source = iota // the panels in the ceiling and the bulbs
	Windows               // in the walls
	sources
)

// Field is how the light of an empty hall is spread over its faces and through its space, by what emits it and by all that the faces send to and
// fro. It is for renderers that do not trace light. All of it is linear, and light of lamps and of windows is kept apart.
type Field struct {
	Illumination
	Floor   Grid // columns along x, rows along y
	Ceiling Grid // like Floor
	Walls   Grid // four walls of Floor's sides one beside the other: at −x, +x, −y and +y, columns along y or x; rows along z
	Emits   [sources]mgl32.Vec3
	Sheen   Sheen

	scene   *render.Scene
	shading *render.Shading // that the field shows
	hall    *hall
	groups  []group // panels, windows, and then each bulb
	floor   reflectances
	probes  probes
	profile [sources]profile
	leans   []lean // of each node of Floor
	leaning int    // counts their changes
}

// Grid is the irradiance over π at nodes that lie evenly spread over a face, the first and the last of a row or a column at the face's edges. Between
// them it is bilinear.
type Grid struct {
	Cols, Rows int // of a wall's, Cols is of all four
	Of         [sources][]mgl32.Vec3
}

// group is the light that a unit of what emits alike brings: of panels or windows a radiance of 1, of a bulb an irradiance of 1 at 1 m.
type group struct {
	source                Source
	floor, ceiling, walls []mgl64.Vec3
	probes                []Probe
	leans                 []mgl64.Vec2 // mean horizontal direction of the light that arrives on the floor, times its luminance
	arrives               []float64    // that luminance
}

const (
	nodePitch = 1.0  // metres, about, between nodes
	inset     = 0.05 // metres from an edge, where the light at a node on it is taken
)

// reflectances are those of the faces, on the average.
type reflectances struct {
	carpet, bare, wall, ceiling mgl64.Vec3
	half                        mgl64.Vec2 // of the carpet, metres
}

// at returns the reflectance of the floor about a point.
func (r *reflectances) at(x, y float64) mgl64.Vec3 {
	if math.Abs(x) < r.half[0] && math.Abs(y) < r.half[1] {
		return r.carpet
	}
	return r.bare
}

// Reflects returns the reflectance of the floor about a point, with markings and wear on the average.
func (f *Field) Reflects(x, y float32) mgl32.Vec3 {
	return vec32(f.floor.at(float64(x), float64(y)))
}

// NewField computes the light of a scene's hall; nil where there is no hall. It takes some tenths of a second.
func NewField(s *render.Scene, with *render.Shading) *Field {
	out, in := illuminate(s, with)
	if in == nil {
		return nil
	}
	f := &Field{Illumination: out, scene: s, shading: with, hall: in}
	f.floor = reflectances{meanFloor(&s.Floor, with), vec64(s.Room.Floor), MeanWall(&s.Room), vec64(s.Room.Ceiling), mgl64.Vec2{s.Floor.SizeX / 2, s.Floor.SizeY / 2}}
	nodes := func(half float64) int { return max(int(math.Ceil(2*half/nodePitch)), 2) + 1 }
	cols, rows, high := nodes(f.HalfX), nodes(f.HalfY), nodes(f.Height/2)
	f.Floor.init(cols, rows)
	f.Ceiling.init(cols, rows)
	f.Walls.init(4*max(cols, rows), high)
	f.gather()
	f.placeProbes()
	f.findLeans()
	f.mix()
	return f
}

func (g *Grid) init(cols, rows int) {
	g.Cols, g.Rows = cols, rows
	for s := range g.Of {
		g.Of[s] = make([]mgl32.Vec3, cols*rows)
	}
}

// Shade has the field show the light of another shading of its scene. Where no more has changed than how much lamps and windows emit, that is
// quick; else the field is computed anew, and so must be Shares.
func (f *Field) Shade(with *render.Shading) (anew bool) {
	if with == f.shading {
		return false
	}
	l, was := &with.Light, &f.shading.Light
	same := l.DirectionW == was.DirectionW && with.Carpet == f.shading.Carpet
	for i := range l.Spots {
		same = same && l.Spots[i].PosW == was.Spots[i].PosW
	}
	if !same {
		*f = *NewField(f.scene, with)
		return true
	}
	f.shading = with
	f.mix()
	return false
}

// node returns where a node of the floor (face 0), of the ceiling (1) or of a wall (2 to 5) is, a little inside of the edges, and the face's normal.
func (f *Field) node(face, col, row int) (p, normal mgl64.Vec3) {
	at := func(i, n int, half float64) float64 {
		return mgl64.Clamp(half*(2*float64(i)/float64(n-1)-1), inset-half, half-inset)
	}
	switch face {
	case 0:
		return mgl64.Vec3{at(col, f.Floor.Cols, f.HalfX), at(row, f.Floor.Rows, f.HalfY), 0}, mgl64.Vec3{0, 0, 1}
	case 1:
		return mgl64.Vec3{at(col, f.Floor.Cols, f.HalfX), at(row, f.Floor.Rows, f.HalfY), f.Height}, mgl64.Vec3{0, 0, -1}
	}
	z := at(row, f.Walls.Rows, f.Height/2) + f.Height/2
	side := float64(2*(face&1) - 1)
	if face < 4 {
		return mgl64.Vec3{side * f.HalfX, at(col, f.Walls.Cols/4, f.HalfY), z}, mgl64.Vec3{-side, 0, 0}
	}
	return mgl64.Vec3{at(col, f.Walls.Cols/4, f.HalfX), side * f.HalfY, z}, mgl64.Vec3{0, -side, 0}
}

// gather solves the light of each group and finds what of it arrives at the nodes.
func (f *Field) gather() {
	f.groups = []group{{source: Lamps}, {source: Windows}}
	for range f.Bulbs {
		f.groups = append(f.groups, group{source: Lamps})
	}
	radiances := make([][]mgl64.Vec3, len(f.groups)) // of the patches
	radiances[Lamps], radiances[Windows] = f.hall.unit[0], f.hall.unit[1]
	for g := int(sources); g < len(f.groups); g++ {
		own := make([]mgl64.Vec3, len(f.hall.patches))
		for i := range own {
			p := &f.hall.patches[i]
			p.over(func(at mgl64.Vec3, share float64) {
				own[i] = own[i].Add(p.reflectance.Mul(share * f.direct(g, at, p.normal)))
			})
		}
		radiances[g] = f.hall.solve(own)
	}
	arriving := func(face, cols, rows, col0, stride int, to func(g *group) []mgl64.Vec3) {
		inParallel(rows, func(row int) {
			for col := range cols {
				p, normal := f.node(face, col, row)
				at := row*stride + col0 + col
				for g := range f.groups {
					d := f.direct(g, p, normal)
					to(&f.groups[g])[at] = mgl64.Vec3{d, d, d}
				}
				for j := range f.hall.patches {
					x := &f.hall.patches[j]
					share := rectangleFactor(p, normal, x.centre, x.u, x.v)
					if share == 0 {
						continue
					}
					for g := range f.groups {
						sum := &to(&f.groups[g])[at]
						*sum = sum.Add(radiances[g][j].Mul(share))
					}
				}
			}
		})
	}
	for g := range f.groups {
		x := &f.groups[g]
		x.floor, x.ceiling = make([]mgl64.Vec3, f.Floor.Cols*f.Floor.Rows), make([]mgl64.Vec3, f.Floor.Cols*f.Floor.Rows)
		x.walls = make([]mgl64.Vec3, f.Walls.Cols*f.Walls.Rows)
	}
	arriving(0, f.Floor.Cols, f.Floor.Rows, 0, f.Floor.Cols, func(g *group) []mgl64.Vec3 { return g.floor })
	arriving(1, f.Floor.Cols, f.Floor.Rows, 0, f.Floor.Cols, func(g *group) []mgl64.Vec3 { return g.ceiling })
	for wall := range 4 {
		wide := f.Walls.Cols / 4
		arriving(2+wall, wide, f.Walls.Rows, wall*wide, f.Walls.Cols, func(g *group) []mgl64.Vec3 { return g.walls })
	}
}

// direct returns the irradiance over π that a unit of a group brings to a surface by itself.
func (f *Field) direct(g int, p, normal mgl64.Vec3) (sum float64) {
	switch g {
	case 0:
		for i := range f.Panels {
			sum += rectangleFactor(p, normal, f.Panels[i].CentreW, f.Panels[i].U, f.Panels[i].V)
		}
	case 1:
		for i := range f.Windows {
			sum += rectangleFactor(p, normal, f.Windows[i].CentreW, f.Windows[i].U, f.Windows[i].V)
		}
	default:
		to := f.Bulbs[g-2].PosW.Sub(p)
		d := max(to.Len(), bulbRadius)
		sum = max(normal.Dot(to), 0) / (d * d * d)
	}
	return sum
}

// amount returns how much of a group's unit there is.
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

// mix adds up the light of all groups by their amounts.
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

// between finds where x lies among n nodes from −half to half: the one before it and the share of the next.
func between(x, half float64, n int) (i int, share float64) {
	at := mgl64.Clamp((x/half+1)/2*float64(n-1), 0, float64(n-1))
	i = max(min(int(at), n-2), 0) // of what is no number, too
	return i, at - float64(i)
}

// bilinear returns a sum of four nodes of a row-major field by their weights.
func bilinear(of []mgl64.Vec3, cols, col, row int, u, v float64) mgl64.Vec3 {
	k := row*cols + col
	top := of[k].Mul(1 - u).Add(of[k+1].Mul(u))
	return top.Mul(1 - v).Add(of[k+cols].Mul(1 - u).Add(of[k+cols+1].Mul(u)).Mul(v))
}

// seen returns the radiance of the box that a ray from within meets, but for that of panels, windows and bulbs, of a unit of a group.
func (f *Field) seen(g *group, o, d mgl64.Vec3) mgl64.Vec3 {
	across := func(axis int, half, middle float64) float64 {
		switch {
		case d[axis] > 0:
			return (middle + half - o[axis]) / d[axis]
		case d[axis] < 0:
			return (middle - half - o[axis]) / d[axis]
		}
		return math.Inf(1)
	}
	x, y, z := across(0, f.HalfX, 0), across(1, f.HalfY, 0), across(2, f.Height/2, f.Height/2)
	p := o.Add(d.Mul(min(x, y, z)))
	if z <= x && z <= y {
		col, u := between(p[0], f.HalfX, f.Floor.Cols)
		row, v := between(p[1], f.HalfY, f.Floor.Rows)
		if d[2] > 0 {
			return times(bilinear(g.ceiling, f.Floor.Cols, col, row, u, v), f.floor.ceiling)
		}
		return times(bilinear(g.floor, f.Floor.Cols, col, row, u, v), f.floor.at(p[0], p[1]))
	}
	wide := f.Walls.Cols / 4
	row, v := between(p[2]-f.Height/2, f.Height/2, f.Walls.Rows)
	wall, along, half := 0, p[1], f.HalfY
	switch {
	case x <= y && d[0] > 0:
		wall = 1
	case x > y:
		wall, along, half = 2, p[0], f.HalfX
		if d[1] > 0 {
			wall = 3
		}
	}
	col, u := between(along, half, wide)
	return times(bilinear(g.walls, f.Walls.Cols, wall*wide+col, row, u, v), f.floor.wall)
}

// emitters calls a function for the pieces of what emits a group's light directly, as seen from a point: their direction, their solid angle,
// and how far away they are.
func (f *Field) emitters(g int, p mgl64.Vec3, each func(d mgl64.Vec3, angle float64)) {
	rectangles := f.Panels
	switch g {
	case 0:
	case 1:
		rectangles = f.Windows
	default:
		to := f.Bulbs[g-2].PosW.Sub(p)
		l := max(to.Len(), bulbRadius)
		each(to.Mul(1/l), 1/(l*l)) // of a radiance that makes an irradiance of 1 at 1 m
		return
	}
	for i := range rectangles {
		r := &rectangles[i]
		normal := r.U.Cross(r.V)
		area := 4 * normal.Len()
		normal = normal.Normalize()
		for k := range pieces {
			to := r.CentreW.Add(r.U.Mul((2*float64(k)+1)/pieces - 1)).Sub(p)
			l := to.Len()
			if cos := -normal.Dot(to) / l; cos > 0 {
				each(to.Mul(1/l), area/pieces*cos/(l*l))
			}
		}
	}
}

// pieces is in how many a rectangle that emits is cut for what sees it from afar.
const pieces = 4
