package backend_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
	"github.com/omnipitch/omnipitch/render/optics"
)

var (
	markersOf = flag.Int("markers", 80, "how many spheres each camera sees in TestMarkersAreSeenWhereTheyProject; a "+
		"quarter by ray casting")
	rayViews = flag.Int("markers.views", 18, "how many cameras TestEveryPixelShowsWhatItsRayMeets looks through")
)

// The oracle is the closed form of package optics: a white sphere at a random place must be seen where its centre
// projects to. Its image is 8 to 10 pixels wide, so that even without antialiasing the centroid is known to a tenth of
// a pixel on average; the sphere's own perspective shifts it by less than 0.03. The median error must be at most 0.1
// px, 0.3 px through mirrors whose rays meet nowhere, the largest 0.5.
func TestMarkersAreSeenWhereTheyProject(t *testing.T) { each(t, 4, markersAreSeenWhereTheyProject) }

func markersAreSeenWhereTheyProject(t *testing.T, open opener) {
	under, front := omni().Pinhole, forward(mgl64.Vec3{1, -2, 3}, 0.1, 0.3, 2)
	up := spatial.RPY(mgl64.Vec3{2, 1, 3}, 0.03, -0.02, 0.7).Mul(upward(mgl64.Vec3{}))
	down := forward(mgl64.Vec3{-1, 1, 3}, 0.2, 0.6, -2)
	for name, c := range map[string]struct {
		model optics.Model
		pose  spatial.Pose
		cube  int // side of a cube map's faces
	}{
		"front":   {optics.PinholeFromFOV(640, 480, 62*math.Pi/180), front, 0},
		"kinect":  {kinect(), forward(mgl64.Vec3{-3, 1, 3}, -0.05, 0.2, -1), 0},
		"fisheye": {wideLens(640, 480), down, 0},
		"brown":   {brown(), front, 0},
		"crooked": {crookedLens(640, 480), front, 0},
		"omni":    {omni(), up, 0},
		// Through a cube map; the middles of the lens's and the mirror's images use faces of their own.
		"omni by cube":    {omni(), up, 480},
		"fisheye by cube": {wideLens(640, 480), down, 320},
		// Mirrors whose rays meet nowhere.
		"spherical": {valid(optics.NewMirror(under, optics.Sphere{Radius: 0.08}, 0.07, 0.055)), up, 0},
		"parabolic": {valid(optics.NewMirror(under, optics.Paraboloid{Radius: 0.06}, 0.07, 0.055)), up, 0},
		"isometric": {valid(optics.NewGroundMirror(under, optics.LinearLaw(0.025), 0.78, 0.08, 0.055)), up, 0},
	} {
		t.Run(name, func(t *testing.T) {
			// apart: pixels, so that markers do not overlap
			const each, radius, apart, seed = 40, 0.02, 34.0, 3
			random := rand.New(rand.NewPCG(seed, uint64(len(name))))
			w, h := c.model.Size()
			var meshes []render.Mesh
			for range each {
				meshes = append(meshes, ball(radius))
			}
			r, markers := open(t, bare(meshes...)), *markersOf
			pixels, light, limit := 4.5, 10.0, 0.1
			_, skew := c.model.(optics.NonCentral)
			if skew { // and magnifies more in one direction
				pixels, light, limit = 4, 3, 0.3
			}
			if _, slow := r.(*raycast.Renderer); slow {
				markers /= 4
			} else if skew {
				t.Skip("only rays can show what has no single viewpoint")
			}
			if _, ok := r.(*gl.Renderer); c.cube > 0 && !ok {
				t.Skip("OpenGL alone makes images of cube maps")
			}
			var misses []float64
			for len(misses) < markers && !t.Failed() {
				var poses []spatial.Pose
				var want [][2]float64
				for tries := 0; len(poses) < each; tries++ {
					u, v := random.Float64()*float64(w-1), random.Float64()*float64(h-1)
					crowded := slices.ContainsFunc(want, func(p [2]float64) bool {
						return math.Hypot(p[0]-u, p[1]-v) < apart
					})
					o, d, ok := ray(c.model, u, v)
					switch {
					case tries > 2000: // the image is full: move the remaining markers out of view
						poses = append(poses, at(0, 0, 1000))
						continue
					case crowded || !ok || !whole(c.model, u, v):
						continue
					}
					// Farther away where the optics magnify more, so that all images are about equally wide.
					distance := radius * magnification(c.model, u, v) / pixels
					poses = append(poses, spatial.Translation(c.pose.Apply(o.Add(d.Mul(distance)))))
					want = append(want, [2]float64{u, v})
				}
				view := colorView(c.model, c.pose)
				view.CubeFace = c.cube
				draw(t, r, poses, view)
				for _, p := range want {
					u, v, sum := centroid(view.Color, p[0], p[1], 14)
					miss := math.Hypot(u-p[0], v-p[1])
					if !(sum >= light) || !(miss <= 0.5) {
						t.Errorf("marker at (%.2f, %.2f) is seen at (%.2f, %.2f), its light is %.1f pixels", p[0],
							p[1], u, v, sum)
					}
					misses = append(misses, miss)
				}
			}
			slices.Sort(misses)
			median := misses[len(misses)/2]
			t.Logf("seed %d: %d markers: median error %.3f px, largest %.3f px", seed, len(misses), median,
				misses[len(misses)-1])
			if !(median <= limit) {
				t.Errorf("median error %.3f px: must be at most %v", median, limit)
			}
		})
	}
}

// ray returns the origin and direction of a pixel's viewing ray.
func ray(m optics.Model, u, v float64) (o, d mgl64.Vec3, ok bool) {
	if skew, is := m.(optics.NonCentral); is {
		return skew.Ray(u, v)
	}
	d, ok = m.Unproject(u, v)
	return o, d, ok
}

// magnification returns the largest number of pixels per radian around a pixel.
func magnification(m optics.Model, u, v float64) float64 {
	most := 0.0
	_, d, _ := ray(m, u, v)
	for _, step := range [][2]float64{{1, 0}, {0, 1}, {0.7071, 0.7071}, {0.7071, -0.7071}} {
		_, near, _ := ray(m, u+step[0], v+step[1])
		most = math.Max(most, 1/near.Sub(d).Len())
	}
	return most
}

// whole reports whether a marker at a pixel is entirely visible: neither the image's edge nor the optics' cuts it.
func whole(m optics.Model, u, v float64) bool {
	const reach = 16 // pixels: extent of the marker and of the search for its light
	w, h := m.Size()
	if u < reach || v < reach || u > float64(w-1-reach) || v > float64(h-1-reach) {
		return false
	}
	for _, d := range [][2]float64{{reach, reach}, {-reach, reach}, {reach, -reach}, {-reach, -reach}} {
		if _, _, ok := ray(m, u+d[0], v+d[1]); !ok {
			return false
		}
	}
	return true
}

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
	for i := range *rayViews {
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
