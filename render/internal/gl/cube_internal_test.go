package gl

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The oracle is the table of face selection in OpenGL's specification (4.1 core, table 3.20). The camera of the face
// that OpenGL selects for a direction within the optics' reach must show that direction at the texel that OpenGL reads.
// Directions are in the cube's frame, whose y is the axis.
func TestFacesShowWhatOpenGLLooksFor(t *testing.T) {
	const size, seed = 64, 1
	random := rand.New(rand.NewPCG(seed, 0))
	for _, reach := range []float64{0.6, 1.2, math.Pi / 2, 1.8, 2.15, 2.5} {
		for _, axis := range []float64{1, -1} {
			cameras := map[int]face{}
			for _, f := range newFaces(size, axis, reach) {
				cameras[f.index] = f
			}
			for range 2000 {
				q := mgl64.Vec3{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.Normalize()
				if math.Acos(q[1]) > reach {
					continue
				}
				index, s, tt := lookUp(q)
				f, ok := cameras[index]
				if !ok {
					t.Fatalf("reach %v, seed %d: face %d, where %v is seen, is not drawn", reach, seed, index, q)
				}
				d := f.poseCF.Inverse().Rotate(mgl64.Vec3{q[0], axis * q[2], axis * q[1]})
				u, v, ok := f.model.Project(d)
				if !ok || !(math.Abs(u+0.5-s*size) <= 1e-9) || !(math.Abs(v+0.5-tt*size) <= 1e-9) {
					t.Fatalf("reach %v, axis %v: %v is seen at (%v, %v) of face %d, want (%v, %v)", reach, axis, q, u,
						v, index, s*size-0.5, tt*size-0.5)
				}
				// with the texel below, for the filter
				if _, rows := f.model.Size(); rows < size && !(v+1 <= float64(rows)-0.5) {
					t.Fatalf("reach %v: %v is seen at row %v of face %d, of which %d are drawn", reach, q, v, index,
						rows)
				}
			}
		}
	}
}

// lookUp returns the face of a direction and the position on it, 0 to 1.
func lookUp(q mgl64.Vec3) (index int, s, t float64) {
	x, y, z := math.Abs(q[0]), math.Abs(q[1]), math.Abs(q[2])
	var sc, tc, ma float64
	switch {
	case x >= y && x >= z && q[0] > 0:
		index, sc, tc, ma = 0, -q[2], -q[1], x
	case x >= y && x >= z:
		index, sc, tc, ma = 1, q[2], -q[1], x
	case y >= z && q[1] > 0:
		index, sc, tc, ma = 2, q[0], q[2], y
	case y >= z:
		index, sc, tc, ma = 3, q[0], -q[2], y
	case q[2] > 0:
		index, sc, tc, ma = 4, q[0], -q[1], z
	default:
		index, sc, tc, ma = 5, -q[0], -q[1], z
	}
	return index, (sc/ma + 1) / 2, (tc/ma + 1) / 2
}

// Five faces suffice while the rim looks less than 35.26° up, and not all of their texels are needed.
func TestFacesAreNotDrawnInVain(t *testing.T) {
	for _, c := range []struct {
		reach float64 // degrees
		faces int
		share float64 // largest fraction of the texels of six faces
	}{
		{40, 1, 1. / 6}, {50, 5, 0.3}, {101, 5, 0.62}, {125, 5, 5. / 6}, {126, 6, 1},
	} {
		texels, faces := 0, newFaces(100, -1, c.reach*spatial.Degree)
		for _, f := range faces {
			w, h := f.model.Size()
			texels += w * h
		}
		if share := float64(texels) / 60000; len(faces) != c.faces || !(share <= c.share+1e-9) {
			t.Errorf("%v°: %d faces, %.2f of all texels: want %d, at most %.2f", c.reach, len(faces), share, c.faces,
				c.share)
		}
	}
}

func TestCubeMapsAreRefusedWhereTheyCannotBe(t *testing.T) {
	mirror := optics.Hyperbolic{Pinhole: optics.Pinhole{Width: 64, Height: 64, FX: 50, FY: 50, CX: 32, CY: 32}, K: 3.3,
		C: 0.12, RimRadius: 0.06}
	for _, c := range []struct {
		model optics.Model
		face  int
		ok    bool
	}{
		{mirror, 0, true}, {mirror, 1, true}, {mirror, render.MaxCubeFace, true}, {mirror, -1, false},
		{mirror, render.MaxCubeFace + 1, false},
		{optics.PinholeFromFOV(64, 64, 1), 32, false},
	} {
		b := render.Batch{Views: []render.View{{Model: c.model, CubeFace: c.face}}}
		if _, err := b.Check(&render.Scene{}, &abilities); (err == nil) != c.ok {
			t.Errorf("%T with faces of %d pixels: error %v", c.model, c.face, err)
		}
	}
}

// Source of the names: GL_RENDERER as the drivers' users report it.
func TestSoftwareIsToldFromGraphicsCards(t *testing.T) {
	for driver, want := range map[string]bool{
		"llvmpipe (LLVM 15.0.6, 256 bits)": true,
		"softpipe":                         true,
		"Software Rasterizer":              true,
		"Google SwiftShader":               true,
		"ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device))":     true,
		"zink Vulkan 1.3(llvmpipe (LLVM 17.0.6, 256 bits))":     true,
		"virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))":              true,
		"D3D12 (Microsoft Basic Render Driver)":                 true,
		"Apple Software Renderer":                               true,
		"":                                                      true,
		"NVIDIA H200/PCIe/SSE2":                                 false,
		"NVIDIA GeForce GTX 1050/PCIe/SSE2":                     false,
		"Mesa Intel(R) UHD Graphics 620 (KBL GT2)":              false,
		"AMD Radeon RX 6600 (radeonsi, navi23, LLVM 15.0.7, …)": false,
		"D3D12 (NVIDIA GeForce RTX 3060)":                       false,
		"V3D 4.2":                                               false,
	} {
		must.Equal(t, isSoftware(driver), want, "%q: software", driver)
	}
}
