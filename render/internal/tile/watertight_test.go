package tile

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// Black convex bodies on a white background. Where the rays around a pixel meet a body in closed form, the whole pixel
// shows it. Any light would be a crack between triangles.
func TestMeshesHaveNoCracks(t *testing.T) {
	const radius = 0.4
	side := mgl64.Vec3{0.5, 0.7, 0.3}
	s := &render.Scene{
		Meshes: []render.Mesh{shapes.Sphere(radius, 4), shapes.Box(side[0], side[1], side[2])},
		Bodies: []render.Body{{Parts: []render.Part{{Mesh: 0, PoseBP: spatial.Identity()}}},
			{Parts: []render.Part{{Mesh: 1, PoseBP: spatial.Identity()}}}},
		Shading: render.Shading{
			Materials: []render.Material{{}},
			Light: render.Light{DirectionW: mgl32.Vec3{0, 0, 1}, Lamp: mgl32.Vec3{1, 1, 1},
				Sky: mgl32.Vec3{1, 1, 1}, Background: mgl32.Vec3{1, 1, 1}},
		},
	}
	const inside = 0.98 * radius // inside of the flat faces
	ball := func(o, d mgl64.Vec3) bool {
		b := o.Dot(d)
		return b < 0 && b*b-d.LenSqr()*(o.LenSqr()-inside*inside) > 0
	}
	box := func(o, d mgl64.Vec3) bool {
		near, far := 0.0, math.Inf(1)
		for k := range 3 {
			a, b := (-side[k]/2-o[k])/d[k], (side[k]/2-o[k])/d[k]
			near, far = math.Max(near, math.Min(a, b)), math.Min(far, math.Max(a, b))
		}
		return near < far
	}
	r := newRandom(1)
	checked := [2]int{}
	for i := range supportedKernels() {
		with := rendererOf(t, s, i, 1)
		for try := range 70 {
			v := r.view()
			for v.Color.Width < 60 {
				v = r.view()
			}
			v.Chip, v.Vignetting, v.Depth = nil, 0, nil
			v.PoseWC.Pos[2] = 10 // no shadow falls there
			reach := 1.0
			if _, ok := v.Model.(optics.Pinhole); !ok {
				reach = 2 // edges are within half a pixel of the true curves
			}
			w, h := v.Color.Width, v.Color.Height
			dirC, ok := v.Model.Unproject(r.between(0.2, 0.8)*float64(w), r.between(0.2, 0.8)*float64(h))
			if !ok {
				continue
			}
			far := []spatial.Pose{spatial.Translation(mgl64.Vec3{0, 0, -500}),
				spatial.Translation(mgl64.Vec3{0, 0, -500})}
			which := try % 2
			far[which] = r.pose(0)
			far[which].Pos = v.PoseWC.Apply(dirC.Normalize().Mul(r.between(0.6, 4)))
			image := drawn(t, with, far, []render.View{v})[0].Color
			meets, into := [2]func(o, d mgl64.Vec3) bool{ball, box}[which], far[which].Inverse()
			for p := range w * h {
				covered := true
				for _, off := range [][2]float64{{-reach, -reach}, {reach, -reach}, {-reach, reach}, {reach, reach}} {
					d, ok := v.Model.Unproject(float64(p%w)+off[0], float64(p/w)+off[1])
					covered = covered && ok && meets(into.Apply(v.PoseWC.Pos), into.Rotate(v.PoseWC.Rotate(d)))
				}
				if !covered {
					continue
				}
				checked[which]++
				if c := image.Pix[3*p : 3*p+3]; c[0] > 0 || c[1] > 0 || c[2] > 0 {
					t.Fatalf("%s, try %d, a %T: pixel (%d, %d) of a black body is %v", nameOf(with.kernel), try,
						v.Model, p%w, p/w, c)
				}
			}
		}
		with.Close()
	}
	t.Logf("%d pixels of balls and %d of boxes", checked[0], checked[1])
	if checked[0] < 10000 || checked[1] < 10000 {
		t.Errorf("only %d pixels of balls and %d of boxes were checked", checked[0], checked[1])
	}
}
