package gl_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The oracle is the closed form of package optics: a white sphere at a random place must be seen where its centre
// projects to. Its image is 8 to 10 pixels wide, so that even without antialiasing the centroid is known to a tenth of
// a pixel on average; the sphere's own perspective shifts it by less than 0.03. The median error must be at most 0.1
// px, the largest 0.5.
func TestMarkersAreSeenWhereTheyProject(t *testing.T) {
	eachRasteriser(t, markersAreSeenWhereTheyProject)
}

func markersAreSeenWhereTheyProject(t *testing.T, open opener) {
	cameras := map[string]struct {
		model optics.Model
		pose  spatial.Pose
		f     float64 // approximate pixels per radian
		cube  int     // side of a cube map's faces
	}{
		"front": {optics.PinholeFromFOV(640, 480, 62*math.Pi/180), forward(mgl64.Vec3{1, -2, 3}, 0.1, 0.3, 2), 530,
			0},
		"kinect":  {kinect(), forward(mgl64.Vec3{-3, 1, 3}, -0.05, 0.2, -1), 365, 0},
		"fisheye": {wideLens(640, 480), forward(mgl64.Vec3{-1, 1, 3}, 0.2, 0.6, -2), 137, 0},
		"brown":   {brown(), forward(mgl64.Vec3{1, -2, 3}, 0.1, 0.3, 2), 500, 0},
		"crooked": {crookedLens(640, 480), forward(mgl64.Vec3{1, -2, 3}, 0.1, 0.3, 2), 500, 0},
		"omni":    {omni(), spatial.RPY(mgl64.Vec3{2, 1, 3}, 0.03, -0.02, 0.7).Mul(upward(mgl64.Vec3{})), 170, 0},
		// Through a cube map; the middles of the lens's and the mirror's images use faces of their own.
		"omni by cube": {omni(), spatial.RPY(mgl64.Vec3{2, 1, 3}, 0.03, -0.02, 0.7).Mul(upward(mgl64.Vec3{})), 170,
			480},
		"fisheye by cube": {wideLens(640, 480), forward(mgl64.Vec3{-1, 1, 3}, 0.2, 0.6, -2), 137, 320},
	}
	for name, c := range cameras {
		t.Run(name, func(t *testing.T) {
			// apart: pixels, so that markers do not overlap
			const markers, each, distance, apart, seed = 400, 40, 2.5, 34.0, 3
			random := rand.New(rand.NewPCG(seed, uint64(len(name))))
			w, h := c.model.Size()
			var meshes []render.Mesh
			for range each {
				meshes = append(meshes, ball(4.5/c.f*distance))
			}
			r := open(t, bare(meshes...))
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
						return math.Hypot(p[0]-u,
							p[1]-v) < apart
					})
					dirC, ok := c.model.Unproject(u, v)
					switch {
					case tries > 2000: // the image is full: move the remaining markers out of view
						poses = append(poses, spatial.Translation(mgl64.Vec3{0, 0, 1000}))
						continue
					case crowded || !ok || !whole(c.model, u, v):
						continue
					}
					// Farther away where the optics magnify more, so that all images have about the same size.
					at := distance * magnification(c.model, u, v) / c.f
					poses = append(poses, spatial.Translation(c.pose.Apply(dirC.Mul(at))))
					want = append(want, [2]float64{u, v})
				}
				view := colorView(c.model, c.pose)
				view.CubeFace = c.cube
				draw(t, r, poses, view)
				for _, p := range want {
					u, v, light := centroid(view.Color, p[0], p[1], 14)
					miss := math.Hypot(u-p[0], v-p[1])
					if !(light >= 10) || math.IsNaN(miss) {
						t.Errorf("marker at (%.2f, %.2f) is not seen", p[0], p[1])
						continue
					}
					if !(miss <= 0.5) {
						t.Errorf("marker at (%.2f, %.2f) is seen at (%.2f, %.2f)", p[0], p[1], u, v)
					}
					misses = append(misses, miss)
				}
			}
			slices.Sort(misses)
			median := misses[len(misses)/2]
			t.Logf("seed %d: %d markers: median error %.3f px, largest %.3f px", seed, len(misses), median,
				misses[len(misses)-1])
			if !(median <= 0.1) {
				t.Errorf("median error %.3f px: must be at most 0.1", median)
			}
		})
	}
}

// magnification returns the largest number of pixels per radian around a pixel.
func magnification(m optics.Model, u, v float64) float64 {
	most := 0.0
	d, _ := m.Unproject(u, v)
	for _, step := range [][2]float64{{1, 0}, {0, 1}, {0.7071, 0.7071}, {0.7071, -0.7071}} {
		near, _ := m.Unproject(u+step[0], v+step[1])
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
		if _, ok := m.Unproject(u+d[0], v+d[1]); !ok {
			return false
		}
	}
	return true
}
