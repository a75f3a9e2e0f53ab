package raster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The oracle follows the ray of each pixel in float64. A class guarantees what a tile does not show: no marking on
// plain tiles, no shadow on those with lines, no floor on those of the hall, bodies only with WithBodies, and nothing
// at all beyond a mirror's edge.
func TestTilesShowNoMoreThanTheirClass(t *testing.T) {
	const size, margin, radius = 14.0, 3.0, 0.3
	s := &render.Scene{
		Meshes: []render.Mesh{shapes.Sphere(radius, 3)},
		Floor: render.Floor{SizeX: size, SizeY: size, Marks: []spatial.Mark{
			{Kind: spatial.Segment, A: [2]float64{-5, 2}, B: [2]float64{5, 2}, Width: 0.125},
			{Kind: spatial.Arc, Radius: 2, Sweep: 2 * math.Pi, Width: 0.125},
			{Kind: spatial.Arc, A: [2]float64{4, -3}, Radius: 1.5, From: 1, Sweep: 2, Width: 0.2},
			{Kind: spatial.Spot, A: [2]float64{-4, -4}, Radius: 0.4},
		}},
		Room:    render.Room{Margin: margin, Height: 4},
		Shading: render.Shading{Materials: []render.Material{{}}, Light: render.Light{DirectionW: mgl32.Vec3{0, 0, 1}}},
	}
	centres := []mgl64.Vec3{{1, 1, 0.3}, {-3, 0.5, 0.3}, {0.5, -4, 0.8}, {5, 4, 0.3}, {2, -2, 2.6}, {-3, 3, 1.9}}
	var poses []spatial.Pose
	for _, c := range centres {
		s.Bodies = append(s.Bodies, render.Body{Parts: []render.Part{{PoseBP: spatial.Identity()}}})
		poses = append(poses, spatial.Translation(c))
	}
	oracle := tileOracle{s, centres, size, margin, radius}
	geometry, lights := Bake(s), NewLightMap(s)
	marks := must.Get(NewMarks(&s.Floor, margin))(t)
	lights.Shade(geometry.Bodies, poses, true)
	lights.Shade(geometry.Bodies, poses, false)
	// a lens for which this package has no formula; it sees up to 1.5 rad from its axis
	lens, err := optics.NewKannalaBrandt(optics.Pinhole{Width: 204, Height: 160, FX: 70, FY: 70, CX: 100, CY: 80}, 0, 0,
		0, -0.0043)
	if err != nil {
		t.Fatal(err)
	}
	tables := NewLens(lens)
	const seed = 5
	random := rand.New(rand.NewPCG(seed, 0))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*random.Float64() }
	var camera Camera
	var visible Visibility
	var tiling Tiling
	tiles, bodies := [NoTile + 1]int{}, 0
	for i := range 40 {
		view := render.View{PoseWC: spatial.RPY(mgl64.Vec3{between(-9, 9), between(-9, 9), between(0.5, 3)},
			between(-3, 3), between(-3, 3), between(-4, 4))}
		used := tables
		switch i % 4 {
		case 0:
			view.Model = lens
		case 1, 2:
			view.Model, used = optics.Hyperbolic{
				Pinhole: optics.Pinhole{Width: 202, Height: 190, FX: 155, FY: 157, CX: 99, CY: 97}, K: 3.3, C: 0.12,
				RimRadius: 0.06,
			}, nil
			view.PoseWC = spatial.RPY(view.PoseWC.Pos, between(-0.3, 0.3), between(-0.3, 0.3), between(-4, 4))
		case 3:
			view.Model, used = optics.PinholeFromFOV(198, 150, between(0.5, 1.6)), nil
		}
		camera.Set(&view, used)
		visible.Collect(geometry.Bodies, poses, &camera, nil)
		tiling.Sort(&camera, marks, &lights)
		tiling.MarkBodies(&camera, &visible, geometry.Bodies)
		for _, class := range tiling.Class {
			tiles[class]++
		}
		w, h := view.Model.Size()
		wrong := 0
		for pixel := range w * h {
			u, v := pixel%w, pixel/w
			class := tiling.Class[v/TileSize*tiling.Cols+u/TileSize]
			x, y, shown, bad := oracle.violates(&view, class, u, v)
			bodies += shown
			if bad {
				if wrong++; wrong == 1 {
					t.Errorf("seed %d, camera %d (%T): pixel (%d, %d) sees the floor at %.2f, %.2f; its tile is of "+
						"class %d", seed, i, view.Model, u, v, x, y, class)
				}
			}
		}
		if wrong > 1 {
			t.Errorf("camera %d: %d pixels in all", i, wrong)
		}
	}
	for _, class := range []TileClass{PlainTile, LinesTile, CarpetTile, HallTile, FloorTile, CarpetTile + WithBodies,
		FloorTile + WithBodies, NoTile} {
		if n := tiles[class]; n < 20 {
			t.Errorf("only %d tiles of class %d", n, class)
		}
	}
	if bodies < 1000 {
		t.Errorf("only %d pixels showed bodies", bodies)
	}
}

// tileOracle follows the rays of single pixels in a scene of equal balls above a square carpet.
type tileOracle struct {
	scene                *render.Scene
	centres              []mgl64.Vec3
	size, margin, radius float64
}

// violates reports whether a pixel shows something that its tile's class rules out. (x, y) is the floor point of its
// ray, +Inf if there is none, and shown the number of balls that the ray meets.
func (o *tileOracle) violates(view *render.View, class TileClass, u, v int) (x, y float64, shown int, bad bool) {
	x, y = math.Inf(1), math.Inf(1)
	dirC, ok := view.Model.Unproject(float64(u), float64(v))
	if !ok {
		return x, y, 0, class != FloorTile && class != FloorTile+WithBodies && class != HallTile &&
			class != HallTile+WithBodies && class != NoTile
	}
	eye, dir := view.PoseWC.Pos, view.PoseWC.Rotate(dirC)
	bad = class == NoTile
	for _, c := range o.centres {
		b := dir.Dot(eye.Sub(c))
		if b < 0 && b*b-eye.Sub(c).LenSqr()+o.radius*o.radius > 0 {
			shown++
			bad = bad || class < WithBodies
		}
	}
	if dir[2] < 0 {
		x, y = eye[0]-eye[2]/dir[2]*dir[0], eye[1]-eye[2]/dir[2]*dir[1]
	}
	farthest := math.Max(math.Abs(x), math.Abs(y))
	switch floor := class % WithBodies; floor {
	case HallTile:
		bad = bad || farthest < o.size/2+o.margin
	case PlainTile, LinesTile, CarpetTile:
		bad = bad || !(farthest < o.size/2)
		for _, c := range o.centres {
			bad = bad || floor != CarpetTile && math.Hypot(x-c[0], y-c[1]) < o.radius
		}
		for k := range o.scene.Floor.Marks {
			bad = bad || floor == PlainTile && markDistance(&o.scene.Floor.Marks[k], x, y) == 0
		}
	}
	return x, y, shown, bad
}

// mayReach gives the same answer as markDistance.
func TestMarkingsReachAsFarAsTheirDistanceSays(t *testing.T) {
	const seed = 3
	random := rand.New(rand.NewPCG(seed, 0))
	for _, k := range []spatial.Mark{
		{Kind: spatial.Segment, A: [2]float64{-1, 0.5}, B: [2]float64{1, -0.5}, Width: 0.2},
		{Kind: spatial.Segment, A: [2]float64{0.3, 0.5}, B: [2]float64{0.3, 0.5}, Width: 0.2},
		{Kind: spatial.Arc, A: [2]float64{0.2, 0}, Radius: 1, Sweep: 2 * math.Pi, Width: 0.2},
		{Kind: spatial.Arc, Radius: 1, From: 1, Sweep: 2, Width: 0.2},
		{Kind: spatial.Spot, A: [2]float64{0.2, -0.4}, Radius: 0.3},
	} {
		near := 0
		const tries = 5000
		for range tries {
			x, y, reach := 6*random.Float64()-3, 6*random.Float64()-3, 2*random.Float64()
			d := markDistance(&k, x, y)
			want := d < reach
			if want {
				near++
			}
			if got := mayReach(&k, x, y, reach); got != want && !(math.Abs(d-reach) < 1e-9) {
				t.Errorf("seed %d: %+v: within %v of (%v, %v): %v, distance %v", seed, k, reach, x, y, got, d)
			}
		}
		if near < tries/10 || near > tries*9/10 {
			t.Errorf("%+v: %d of %d points were near", k, near, tries)
		}
	}
}
