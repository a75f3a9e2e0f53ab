package backend_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The oracle is the closed form of package optics: a white sphere at a random place must be seen where its centre
// projects to. Its image is 8 to 10 pixels wide, so that even without antialiasing the centroid is known to a tenth of
// a pixel on average; the sphere's own perspective shifts it by less than 0.03. The median error must be at most 0.1
// px, 0.3 px through mirrors whose rays meet nowhere, the largest 0.5.
func TestMarkersAreSeenWhereTheyProject(t *testing.T) { each(t, 3, markersAreSeenWhereTheyProject) }

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
		"spherical": {must(optics.NewMirror(under, optics.Sphere{Radius: 0.08}, 0.07, 0.055)), up, 0},
		"parabolic": {must(optics.NewMirror(under, optics.Paraboloid{Radius: 0.06}, 0.07, 0.055)), up, 0},
		"isometric": {must(optics.NewGroundMirror(under, optics.LinearLaw(0.025), 0.78, 0.08, 0.055)), up, 0},
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
			r, markers := open(t, bare(meshes...)), 400
			pixels, light, limit := 4.5, 10.0, 0.1
			_, skew := c.model.(optics.NonCentral)
			if skew { // and magnifies more in one direction
				pixels, light, limit = 4, 3, 0.3
			}
			if _, slow := r.(*raycast.Renderer); slow {
				markers = 100
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
						t.Errorf("marker at (%.2f, %.2f) is seen at (%.2f, %.2f), its light is %.1f pixels", p[0], p[1], u,
							v, sum)
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
