package calibration

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Rays are what a camera's pixels look along.
type Rays struct {
	Width, Height int
	All           []Ray
}

// Ray is one pixel position and the unit direction that it looks along, in the optical frame.
type Ray struct {
	U, V float64
	DirC mgl64.Vec3
}

// Central returns a camera with a single viewpoint, as all formats have one: of a mirror without, on a robot where its
// pose says, the one whose floor is right.
func Central(m optics.Model, poseBC spatial.Pose) (optics.Model, error) {
	if m, ok := m.(*optics.Mirror); ok {
		return optics.NewCentral(m, poseBC.Pos[2])
	}
	return m, nil
}

// Sample asks a camera for the rays of a grid of n × n pixel positions, from edge to edge; those that see nothing are
// left out.
func Sample(m optics.Model, n int) Rays {
	w, h := m.Size()
	r := Rays{Width: w, Height: h}
	for j := range n {
		for i := range n {
			u, v := float64(i)/float64(n-1)*float64(w-1), float64(j)/float64(n-1)*float64(h-1)
			if d, ok := m.Unproject(u, v); ok {
				r.All = append(r.All, Ray{u, v, d})
			}
		}
	}
	return r
}

// Residual is what a fit leaves over, in the unit that the fit names.
type Residual struct {
	RMS, Max float64
	N        int // rays that were fitted
}

func residualOf(errors []float64) Residual {
	r := Residual{N: len(errors)}
	for _, e := range errors {
		r.RMS += e * e
		r.Max = math.Max(r.Max, math.Abs(e))
	}
	if r.N > 0 {
		r.RMS = math.Sqrt(r.RMS / float64(r.N))
	}
	return r
}
