package occupancy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// drawn returns a grid with cells of 1 m from rows of text, the highest first. # is occupied.
func drawn(rows ...string) *Grid {
	g := &Grid{Width: len(rows[0]), Height: len(rows), Resolution: 1}
	for i := range rows {
		for _, c := range rows[len(rows)-1-i] {
			g.Cells = append(g.Cells, map[rune]int8{'#': Occupied, '?': Unknown, '.': Free}[c])
		}
	}
	return g
}

// TestBoxesOfStraightWalls checks that walls along cells become few boxes, which are exactly the cells.
func TestBoxesOfStraightWalls(t *testing.T) {
	for _, c := range []struct {
		name string
		grid *Grid
		want string // ranges of x and y of the boxes
	}{
		{"nothing", drawn("..?"), ""},
		{"a cell", drawn("...", ".#.", "..."), "1 2 1 2"},
		{"all cells", drawn("##", "##"), "0 2 0 2"},
		{"beside unknown cells", drawn("?#?"), "1 2 0 1"},
		{"a wall at the border", drawn("#####", "....."), "0 5 1 2"},
		{"a room", drawn("######", "#....#", "#....#", "######"), "0 6 0 1, 0 6 3 4, 0 1 0 4, 5 6 0 4"},
		{"two rooms with a door", drawn("#########", "#...#...#", "#.......#", "#.......#", "#########"),
			"0 9 0 1, 0 9 4 5, 0 1 0 5, 8 9 0 5, 4 5 3 5"},
	} {
		boxes := must.Get(c.grid.Boxes(1, 3))(t)
		var got []string
		for _, b := range boxes {
			if x, y := b.Extent(); b.Bottom() != 1 || b.Top() != 3 {
				t.Errorf("%s: from %v to %v m, want from 1 to 3", c.name, b.Bottom(), b.Top())
			} else {
				got = append(got, fmt.Sprintf("%.4g %.4g %.4g %.4g", b.Centre[0]-x, b.Centre[0]+x, b.Centre[1]-y,
					b.Centre[1]+y))
			}
		}
		must.Equal(t, strings.Join(got, ", "), c.want, "%s", c.name)
	}
}

// TestSlantedWallIsStraight checks that a slanted wall has straight sides, and stays where it is.
func TestSlantedWallIsStraight(t *testing.T) {
	for degrees := 0; degrees < 90; degrees += 3 {
		g := must.Get(New(mgl64.Vec2{-12, -12}, mgl64.Vec2{12, 12}, 0.1))(t)
		wall := spatial.UprightBox{Half: mgl64.Vec3{10, 0.25, 1}, Heading: float64(degrees) * spatial.Degree}
		g.Draw(&wall)
		boxes := must.Get(g.Boxes(0, 2))(t)
		if len(boxes) > 14 {
			t.Errorf("%d°: %d boxes, want at most 14", degrees, len(boxes))
		}
		for _, b := range boxes {
			for _, p := range outline(&b) {
				// drawing the wall adds a cell at most, and the contour half a cell
				if d := outside(&wall, p); !(d <= 0.15*math.Sqrt2) {
					t.Errorf("%d°: a box is %.3f m away from the wall, want at most 0.212", degrees, d)
				}
			}
		}
	}
}

// outline returns points of the outline of a box, as dense as ten in a cell of a metre or less.
func outline(b *spatial.UprightBox) (points []mgl64.Vec2) {
	sin, cos := math.Sincos(b.Heading)
	for i := range 100 {
		at := float64(i)/50 - 1
		for _, p := range []mgl64.Vec2{{at, 1}, {at, -1}, {1, at}, {-1, at}} {
			x, y := p[0]*b.Half[0], p[1]*b.Half[1]
			points = append(points, mgl64.Vec2{b.Centre[0] + cos*x - sin*y, b.Centre[1] + sin*x + cos*y})
		}
	}
	return points
}

// outside returns the distance of a point from a box; 0 inside.
func outside(b *spatial.UprightBox, p mgl64.Vec2) float64 {
	sin, cos := math.Sincos(b.Heading)
	x, y := p[0]-b.Centre[0], p[1]-b.Centre[1]
	return math.Hypot(max(0, math.Abs(cos*x+sin*y)-b.Half[0]), max(0, math.Abs(cos*y-sin*x)-b.Half[1]))
}

// random returns a place with walls, discs and noise, with cells of 1 m.
func random(seed uint64) *Grid {
	r := rand.New(rand.NewPCG(seed, 0))
	g, _ := New(mgl64.Vec2{0, 0}, mgl64.Vec2{80, 60}, 1)
	for range 6 {
		g.Draw(&spatial.UprightBox{Centre: mgl64.Vec3{80 * r.Float64(), 60 * r.Float64()},
			Half: mgl64.Vec3{25 * r.Float64(), 3 * r.Float64() * r.Float64()}, Heading: 7 * r.Float64()})
		g.Draw(&spatial.UprightBox{Centre: mgl64.Vec3{80 * r.Float64(), 60 * r.Float64()},
			Half: mgl64.Vec3{25 * r.Float64(), 2 * r.Float64()}, Heading: float64(r.IntN(2)) * math.Pi / 2})
		radius := 6 * r.Float64()
		g.Draw(&spatial.UprightBox{Centre: mgl64.Vec3{80 * r.Float64(), 60 * r.Float64()},
			Half: mgl64.Vec3{radius, radius}, Round: true})
	}
	for range r.IntN(200) {
		g.Cells[r.IntN(len(g.Cells))] = Occupied
	}
	return g
}

// TestContoursEncloseCells checks that contours enclose as many cells as are occupied, and that simplified contours
// stay within half a cell.
func TestContoursEncloseCells(t *testing.T) {
	for seed := range uint64(50) {
		g := random(seed)
		occupied, area := 0, 0
		for _, v := range g.Cells {
			if v == Occupied {
				occupied++
			}
		}
		var p polygon
		must.Do(t, g.contours(func(corners []point) error {
			for i, c := range corners {
				next := corners[(i+1)%len(corners)]
				area += int(c.x*next.y-c.y*next.x) / 4
			}
			vertices := p.simplify(corners)
			for i, c := range corners {
				next := corners[(i+1)%len(corners)]
				n := max(next.x-c.x, c.x-next.x, next.y-c.y, c.y-next.y) / 2
				for k := range n {
					at := (float64(k) + 0.5) / float64(n)
					dx, dy := float64(next.x-c.x), float64(next.y-c.y)
					m := mgl64.Vec2{float64(c.x) + at*dx, float64(c.y) + at*dy}.Mul(0.5)
					if d := fromPolygon(vertices, m); !(d <= 0.5+1e-6) {
						t.Errorf("seed %d: the contour moves by %.4f cells at %v, want at most 0.5", seed, d, m)
					}
				}
			}
			return nil
		}))
		if area != 2*occupied {
			t.Errorf("seed %d: contours enclose %v cells, want %d", seed, float64(area)/2, occupied)
		}
	}
}

// fromPolygon returns the distance of a point from the sides of a polygon.
func fromPolygon(vertices []mgl64.Vec2, p mgl64.Vec2) float64 {
	d := math.Inf(1)
	for i, a := range vertices {
		along := vertices[(i+1)%len(vertices)].Sub(a)
		at := min(max(p.Sub(a).Dot(along)/along.Dot(along), 0), 1)
		d = min(d, p.Sub(a.Add(along.Mul(at))).Len())
	}
	return d
}

// TestBoxesAreTheCells checks that boxes reach the whole contour of the cells, and stay near the cells.
func TestBoxesAreTheCells(t *testing.T) {
	for seed := range uint64(15) {
		g := random(seed)
		boxes := must.Get(g.Boxes(0, 1))(t)
		near := func(p mgl64.Vec2) float64 { // distance from the boxes
			d := math.Inf(1)
			for i := range boxes {
				d = min(d, outside(&boxes[i], p))
			}
			return d
		}
		for y := range g.Height {
			for x := range g.Width {
				if !g.solid(x, y) {
					continue
				}
				for _, side := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
					m := mgl64.Vec2{float64(x) + 0.5 + float64(side[0])/2, float64(y) + 0.5 + float64(side[1])/2}
					if d := near(m); !g.solid(x+side[0], y+side[1]) && !(d <= 0.5+1e-6) {
						t.Errorf("seed %d: a side of a cell at %v is %.3f cells from the boxes, want at most 0.5", seed, m, d)
					}
				}
			}
		}
		for i := range boxes {
			for _, p := range outline(&boxes[i]) {
				if d := g.fromCells(p); !(d <= 1) {
					t.Errorf("seed %d: a box is %.3f cells from the occupied cells at %v, want at most 1", seed, d, p)
				}
			}
		}
	}
}

// fromCells returns the distance of a point from the nearest occupied cell, in cells, up to 2.
func (g *Grid) fromCells(p mgl64.Vec2) float64 {
	d := 2.0
	for y := int(p[1]) - 2; y <= int(p[1])+2; y++ {
		for x := int(p[0]) - 2; x <= int(p[0])+2; x++ {
			if g.solid(x, y) {
				dx, dy := max(0, float64(x)-p[0], p[0]-float64(x)-1), max(0, float64(y)-p[1], p[1]-float64(y)-1)
				d = min(d, math.Hypot(dx, dy))
			}
		}
	}
	return d
}

// TestLimits checks that noise is an error.
func TestLimits(t *testing.T) {
	g := must.Get(New(mgl64.Vec2{0, 0}, mgl64.Vec2{200, 200}, 1))(t)
	for i := range g.Cells {
		if i%2 == 0 && i/200%2 == 0 {
			g.Cells[i] = Occupied
		}
	}
	want := "its occupied cells take more than 5000 boxes: must be the map of a place, with less noise"
	if _, err := g.Boxes(0, 1); fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// BenchmarkBoxes makes boxes of maps of 0.25 and of 4 million cells: the time must grow as their number.
func BenchmarkBoxes(b *testing.B) {
	for _, size := range []float64{500, 2000} {
		g, _ := New(mgl64.Vec2{0, 0}, mgl64.Vec2{size, size}, 1)
		r := rand.New(rand.NewPCG(1, 0))
		for range 100 {
			g.Draw(&spatial.UprightBox{Centre: mgl64.Vec3{size * r.Float64(), size * r.Float64()},
				Half: mgl64.Vec3{size / 4 * r.Float64(), size / 100}, Heading: 7 * r.Float64()})
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				must.Get(g.Boxes(0, 1))(b)
			}
		})
	}
}
