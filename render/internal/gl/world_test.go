package gl_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/internal/tile"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// bare is a scene of white bodies in uniform light on a black background.
func bare(bodies ...render.Mesh) *render.Scene {
	one := mgl32.Vec3{1, 1, 1}
	s := &render.Scene{
		Shading: render.Shading{
			Materials: []render.Material{{Color: one}},
			Light:     render.Light{DirectionW: mgl32.Vec3{0, 0, 1}, Sky: one, Bounce: one},
		},
	}
	for _, m := range bodies {
		s.Meshes = append(s.Meshes, m)
		s.Bodies = append(s.Bodies,
			render.Body{Parts: []render.Part{{Mesh: len(s.Meshes) - 1, PoseBP: spatial.Identity()}}})
	}
	return s
}

// withFloor adds a black carpet of size × size with the given marks in white, and a bare white floor around it.
func withFloor(s *render.Scene, size float64, marks ...spatial.Mark) *render.Scene {
	s.Floor = render.Floor{SizeX: size, SizeY: size, LineColor: mgl32.Vec3{0.8, 0.8, 0.8}, Marks: marks}
	return s
}

func renderer(t testing.TB, s *render.Scene) *gl.Renderer {
	t.Helper()
	r, err := gl.New(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// opener makes a renderer of a scene, which the test closes.
type opener func(testing.TB, *render.Scene) render.Renderer

// eachRasteriser runs a test with OpenGL and with the tile renderer.
func eachRasteriser(t *testing.T, test func(t *testing.T, open opener)) {
	t.Run("opengl", func(t *testing.T) {
		test(t, func(t testing.TB, s *render.Scene) render.Renderer { return renderer(t, s) })
	})
	t.Run("tile", func(t *testing.T) { test(t, tiles) })
}

func tiles(t testing.TB, s *render.Scene) render.Renderer {
	t.Helper()
	r, err := tile.New(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func draw(t testing.TB, r render.Renderer, posesWB []spatial.Pose, views ...render.View) {
	t.Helper()
	if err := r.Render(&render.Batch{PosesWB: posesWB, Views: views}); err != nil {
		t.Fatal(err)
	}
}

func omni() optics.Hyperbolic {
	return optics.Hyperbolic{
		Pinhole: optics.Pinhole{Width: 640, Height: 640, FX: 495, FY: 500, CX: 321, CY: 318},
		K:       3.3, C: 0.12, RimRadius: 0.06,
	}
}

func kinect() optics.Pinhole {
	return optics.Pinhole{Width: 512, Height: 424, FX: 361, FY: 366, CX: 250, CY: 215}
}

// forward is the pose of the optical frame of a camera at pos that looks along x, rotated by roll, pitch and yaw.
func forward(pos mgl64.Vec3, roll, pitch, yaw float64) spatial.Pose {
	return spatial.RPY(pos, roll, pitch, yaw).Mul(spatial.BodyToOptical())
}

// upward is the pose of the optical frame of a mirror camera at pos, with x towards the image's upper edge.
func upward(pos mgl64.Vec3) spatial.Pose {
	return spatial.Pose{Pos: pos, Rot: spatial.RotZ(math.Pi / 2)}
}

func colorView(m optics.Model, poseWC spatial.Pose) render.View {
	w, h := m.Size()
	return render.View{Model: m, PoseWC: poseWC, Color: render.NewImage(w, h)}
}

// linear converts an sRGB byte to linear light. Source: IEC 61966-2-1.
func linear(b byte) float64 {
	x := float64(b) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func green(im *render.Image, u, v int) float64 { return linear(im.Pix[3*(v*im.Width+u)+1]) }

// centroid returns the centre of the light within reach pixels of (u, v).
func centroid(im *render.Image, u, v float64, reach int) (cu, cv, sum float64) {
	u0, v0 := int(math.Round(u)), int(math.Round(v))
	for y := max(v0-reach, 0); y <= min(v0+reach, im.Height-1); y++ {
		for x := max(u0-reach, 0); x <= min(u0+reach, im.Width-1); x++ {
			w := green(im, x, y)
			cu, cv, sum = cu+w*float64(x), cv+w*float64(y), sum+w
		}
	}
	return cu / sum, cv / sum, sum
}

func ball(radius float64) render.Mesh { return shapes.Sphere(radius, 3) }
