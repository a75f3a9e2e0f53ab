package backend_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/internal/pathtrace"
	"github.com/omnipitch/omnipitch/render/internal/raycast"
	"github.com/omnipitch/omnipitch/render/internal/tile"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// bare is a scene of white bodies in uniform light on a black background.
func bare(bodies ...render.Mesh) *render.Scene {
	one := mgl32.Vec3{1, 1, 1}
	s := &render.Scene{
		Meshes: bodies,
		Shading: render.Shading{
			Materials: []render.Material{{Color: one}},
			Light:     render.Light{DirectionW: mgl32.Vec3{0, 0, 1}, Sky: one, Bounce: one},
		},
	}
	for i := range bodies {
		s.Bodies = append(s.Bodies, render.Body{Parts: []render.Part{{Mesh: i, PoseBP: spatial.Identity()}}})
	}
	return s
}

// withFloor adds a black carpet of size × size with the given marks in white, and a bare white floor around it.
func withFloor(s *render.Scene, size float64, marks ...spatial.Mark) *render.Scene {
	s.Floor = render.Floor{SizeX: size, SizeY: size, LineColor: mgl32.Vec3{0.8, 0.8, 0.8}, Marks: marks}
	return s
}

// opener makes a renderer of a scene, and closes it at the end of the test.
type opener func(testing.TB, *render.Scene) render.Renderer

func openerOf[R render.Renderer](open func(*render.Scene) (R, error)) opener {
	return func(t testing.TB, s *render.Scene) render.Renderer {
		t.Helper()
		r := must.Get(open(s))(t)
		t.Cleanup(r.Close)
		return r
	}
}

var (
	opengl  = openerOf(gl.New)
	grouped = openerOf(gl.NewGrouped)
	tiles   = openerOf(tile.New)
	caster  = openerOf(raycast.New)
)

// renderers lists the renderers that package backend combines. The path tracer traces two paths per pixel.
var renderers = []struct {
	name string
	open opener
}{{"opengl", opengl}, {"opengl in groups", grouped}, {"tile", tiles}, {"raycast", caster},
	{"reference", openerOf(func(s *render.Scene) (*pathtrace.Renderer, error) {
		return pathtrace.New(s, render.Tracing{Samples: 2})
	})},
}

// eachRasteriser runs a test with OpenGL, with and without groups of views, and with the tile renderer.
func eachRasteriser(t *testing.T, test func(t *testing.T, open opener)) { each(t, 3, test) }

// each runs a test with the first n renderers.
func each(t *testing.T, n int, test func(t *testing.T, open opener)) {
	for _, r := range renderers[:n] {
		t.Run(r.name, func(t *testing.T) { test(t, r.open) })
	}
}

func draw(t testing.TB, r render.Renderer, posesWB []spatial.Pose, views ...render.View) {
	t.Helper()
	must.Do(t, r.Render(&render.Batch{PosesWB: posesWB, Views: views}))
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

// wideLens is an almost equidistant lens that sees up to 1.7 rad from its axis.
func wideLens(w, h int) optics.KannalaBrandt {
	f := float64(min(w, h)) / 2 / 1.75
	return valid(optics.NewKannalaBrandt(optics.Pinhole{Width: w, Height: h, FX: f, FY: f, CX: float64(w)/2 + 1.3,
		CY: float64(h)/2 - 2.2}, 0, 0, 0, -0.00158))
}

func valid[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// forward is the pose of the optical frame of a camera at pos that looks along x, rotated by roll, pitch and yaw.
func forward(pos mgl64.Vec3, roll, pitch, yaw float64) spatial.Pose {
	return spatial.RPY(pos, roll, pitch, yaw).Mul(spatial.BodyToOptical())
}

// upward is the pose of the optical frame of a mirror camera at pos, with x towards the image's upper edge.
func upward(pos mgl64.Vec3) spatial.Pose {
	return spatial.Pose{Pos: pos, Rot: spatial.RotZ(math.Pi / 2)}
}

// at returns the pose of an unrotated body at a position in W.
func at(x, y, z float64) spatial.Pose { return spatial.Translation(mgl64.Vec3{x, y, z}) }

func colorView(m optics.Model, poseWC spatial.Pose) render.View {
	w, h := m.Size()
	return render.View{Model: m, PoseWC: poseWC, Color: render.NewImage(w, h)}
}

func depthView(m optics.Pinhole, poseWC spatial.Pose) render.View {
	return render.View{Model: m, PoseWC: poseWC, Depth: render.NewDepth(m.Width, m.Height)}
}

// green returns the green light of a pixel, from 0 to 1.
func green(im *render.Image, u, v int) float64 {
	return render.Linear(float64(im.Pix[3*(v*im.Width+u)+1]) / 255)
}

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
