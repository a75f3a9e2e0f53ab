package backend_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// What a ray meets, by the channel that shows it.
const (
	paint, carpet, thing, nothing = 0, 1, 2, 3
)

// The oracle casts rays in float64 at spheres, markings and carpet. Where all rays around a pixel agree, the pixel must
// show what they meet, for any camera anywhere, whatever the renderer culls. Rays spread one pixel around its centre:
// half a pixel for the edges' antialiasing, half for the bend of edges in a mirror. Where they pass a line on both
// sides, the pixel may show either.
func TestEveryPixelShowsWhatItsRayMeets(t *testing.T) {
	eachRasteriser(t, everyPixelShowsWhatItsRayMeets)
}

func everyPixelShowsWhatItsRayMeets(t *testing.T, open opener) {
	const size, radius, thinnest = 14, 0.3, 0.125
	marks := []spatial.Mark{
		{Kind: spatial.Segment, A: [2]float64{-5, 2}, B: [2]float64{5, 2}, Width: thinnest},
		{Kind: spatial.Segment, A: [2]float64{3, -4}, B: [2]float64{-2, 5}, Width: 0.3},
		{Kind: spatial.Arc, Radius: 2, Sweep: 2 * math.Pi, Width: thinnest},
		{Kind: spatial.Arc, A: [2]float64{4, -3}, Radius: 1.5, From: 1, Sweep: 2, Width: 0.2},
		{Kind: spatial.Spot, A: [2]float64{-4, -4}, Radius: 0.4},
	}
	centres := []mgl64.Vec3{{1, 1, 0.3}, {-3, 0.5, 0.3}, {0.5, -4, 0.8}, {5, 4, 0.3}}
	var meshes []render.Mesh
	var poses []spatial.Pose
	for _, c := range centres {
		meshes, poses = append(meshes, ball(radius)), append(poses, spatial.Translation(c))
	}
	s := withFloor(bare(meshes...), size, marks...)
	s.Materials[0].Color = mgl32.Vec3{0, 0, 0.8}
	s.Carpet, s.Floor.LineColor = mgl32.Vec3{0, 0.6, 0}, mgl32.Vec3{0.6, 0, 0}
	r := open(t, s)
	meets := func(eye, dir mgl64.Vec3) (class int, p mgl64.Vec3) {
		return whatRayMeets(eye, dir, centres, radius, size, marks)
	}
	const seed = 11
	random := rand.New(rand.NewPCG(seed, 0))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*random.Float64() }
	small := omni()
	small.Pinhole = optics.Pinhole{Width: 202, Height: 190, FX: 155, FY: 157, CX: 99, CY: 97}
	checked := [4]int{}
	for i := range 30 {
		pos := mgl64.Vec3{between(-6, 6), between(-6, 6), between(1.2, 3)}
		var model optics.Model = optics.PinholeFromFOV(198, 150, between(0.5, 1.6))
		pose := forward(pos, between(-0.5, 0.5), between(-0.2, 1.6), between(-4, 4))
		switch i % 6 {
		case 2:
			model = wideLens(204, 160)
		case 4:
			model = crookedLens(200, 160)
		case 1, 3, 5:
			model = small
			pose = spatial.RPY(pos, between(-0.3, 0.3), between(-0.3, 0.3), between(-4, 4)).Mul(upward(mgl64.Vec3{}))
		}
		view := colorView(model, pose)
		draw(t, r, poses, view)
		w, h := model.Size()
		wrong := 0
		for p := range w * h {
			u, v := p%w, p/w
			want, same, rays := raysAround(model, u, v, func(dirC mgl64.Vec3) (int, mgl64.Vec3) {
				return meets(pos, pose.Rotate(dirC))
			})
			if !same {
				continue
			}
			checked[want]++
			got := nothing
			for c := range 3 {
				if light := render.Linear(float64(view.Color.Pix[3*p+c]) / 255); light > 0.1 &&
					(got == nothing || view.Color.Pix[3*p+c] > view.Color.Pix[3*p+got]) {
					got = c
				}
			}
			wide := math.Max(rays[3].Sub(rays[5]).Len(), rays[1].Sub(rays[7]).Len()) > 2*thinnest
			if got != want && !(wide && want == carpet && got == paint) {
				if wrong++; wrong == 1 {
					t.Errorf("seed %d, camera %d (%T): pixel (%d, %d) shows %d, want %d (0 marking, 1 carpet, 2 "+
						"sphere, 3 nothing)", seed, i, model, u, v, got, want)
				}
			}
		}
		if wrong > 1 {
			t.Errorf("camera %d: %d pixels in all", i, wrong)
		}
	}
	t.Logf("%d pixels of markings, %d of carpet, %d of spheres, %d of nothing", checked[paint], checked[carpet],
		checked[thing], checked[nothing])
	for class, n := range checked {
		if n < 1000 {
			t.Errorf("only %d pixels of class %d were checked", n, class)
		}
	}
}

// whatRayMeets returns what a ray meets among balls, carpet and markings, and the floor point.
func whatRayMeets(eye, dir mgl64.Vec3, centres []mgl64.Vec3, radius, size float64,
	marks []spatial.Mark) (class int, p mgl64.Vec3) {
	for _, c := range centres {
		b := dir.Dot(eye.Sub(c))
		if root := b*b - eye.Sub(c).LenSqr() + radius*radius; root > 0 && -b > 0 {
			return thing, p
		}
	}
	if dir[2] >= 0 {
		return nothing, p
	}
	p = eye.Add(dir.Mul(-eye[2] / dir[2]))
	if math.Max(math.Abs(p[0]), math.Abs(p[1])) > size/2 {
		return nothing, p
	}
	for _, k := range marks {
		if painted(k, p[0], p[1]) {
			return paint, p
		}
	}
	return carpet, p
}

// raysAround returns what the rays of a pixel and of its eight neighbours meet, whether all meet the same, and their
// floor points.
func raysAround(m optics.Model, u, v int, meets func(dirC mgl64.Vec3) (int, mgl64.Vec3)) (want int, same bool,
	points [9]mgl64.Vec3) {
	want = -1
	for k := range points {
		dirC, ok := m.Unproject(float64(u+k%3-1), float64(v+k/3-1))
		if !ok {
			return want, false, points
		}
		var class int
		class, points[k] = meets(dirC)
		if want >= 0 && class != want {
			return want, false, points
		}
		want = class
	}
	return want, true, points
}

// painted reports whether a marking covers a point of the floor. Segments extend half a width beyond their ends.
func painted(k spatial.Mark, x, y float64) bool {
	dx, dy := x-k.A[0], y-k.A[1]
	r := math.Hypot(dx, dy)
	switch k.Kind {
	case spatial.Spot:
		return r <= k.Radius
	case spatial.Arc:
		turn := math.Mod(math.Atan2(dy, dx)-k.From+4*math.Pi, 2*math.Pi)
		return math.Abs(r-k.Radius) <= k.Width/2 && turn <= k.Sweep
	}
	along := mgl64.Vec2{k.B[0] - k.A[0], k.B[1] - k.A[1]}
	l := along.Len()
	s, d := (dx*along[0]+dy*along[1])/l, (dy*along[0]-dx*along[1])/l
	return math.Abs(d) <= k.Width/2 && s >= -k.Width/2 && s <= l+k.Width/2
}
