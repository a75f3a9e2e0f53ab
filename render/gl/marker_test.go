package gl_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The oracle is the closed form of package optics: a white sphere at a known place must be seen where its centre
// projects to. Its image is 8 to 10 pixels wide, so that even without any antialiasing the centroid is known to a
// tenth of a pixel on average; the sphere's own perspective shifts it by less than 0.03.
func TestMarkersAreSeenWhereTheyProject(t *testing.T) {
	cameras := map[string]struct {
		model optics.Model
		pose  spatial.Pose
		f     float64 // pixels per radian, about
	}{
		"front":   {optics.PinholeFromFOV(640, 480, 62*math.Pi/180), forward(mgl64.Vec3{1, -2, 3}, 0.1, 0.3, 2), 530},
		"kinect":  {kinect(), forward(mgl64.Vec3{-3, 1, 3}, -0.05, 0.2, -1), 365},
		"fisheye": {wideLens(640, 480), forward(mgl64.Vec3{-1, 1, 3}, 0.2, 0.6, -2), 137},
		"crooked": {crookedLens(640, 480), forward(mgl64.Vec3{1, -2, 3}, 0.1, 0.3, 2), 500},
		"omni":    {omni(), spatial.RPY(mgl64.Vec3{2, 1, 3}, 0.03, -0.02, 0.7).Mul(upward(mgl64.Vec3{})), 170},
	}
	for name, c := range cameras {
		t.Run(name, func(t *testing.T) {
			const grid = 9
			w, h := c.model.Size()
			var meshes []render.Mesh
			var poses []spatial.Pose
			var want [][2]float64
			for i := range grid * grid {
				// Off the pixels' grid by a different share each.
				u := (float64(i%grid)+0.5)*float64(w)/grid + 0.37*float64(i%7)
				v := (float64(i/grid)+0.5)*float64(h)/grid + 0.29*float64(i%5)
				dirC, ok := c.model.Unproject(u, v)
				if !ok {
					continue
				}
				if d := mgl64.RadToDeg(math.Acos(-dirC[2])); name == "omni" && d > mgl64.RadToDeg(omni().RimAngle())-4 {
					continue // the rim cuts the sphere
				}
				const distance = 2.5
				meshes = append(meshes, ball(4.5/c.f*distance))
				poses = append(poses, spatial.Translation(c.pose.Apply(dirC.Mul(distance))))
				want = append(want, [2]float64{u, v})
			}
			view := colorView(c.model, c.pose)
			r := renderer(t, bare(meshes...))
			draw(t, r, poses, view)
			worst, sum := 0.0, 0.0
			for _, p := range want {
				u, v, light := centroid(view.Color, p[0], p[1], 14)
				miss := math.Hypot(u-p[0], v-p[1])
				if light < 10 || math.IsNaN(miss) {
					t.Errorf("marker at (%.2f, %.2f) is not seen", p[0], p[1])
					continue
				}
				worst, sum = math.Max(worst, miss), sum+miss
				if miss > 0.3 {
					t.Errorf("marker at (%.2f, %.2f) is seen at (%.2f, %.2f)", p[0], p[1], u, v)
				}
			}
			mean := sum / float64(len(want))
			t.Logf("%d markers: mean error %.3f px, largest %.3f px", len(want), mean, worst)
			if mean > 0.1 {
				t.Errorf("mean error %.3f px: must be at most 0.1", mean)
			}
		})
	}
}
