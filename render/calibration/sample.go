package calibration

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Rays holds the viewing rays of a camera's pixels.
type Rays struct {
	Width, Height int
	All           []Ray
}

// Ray is a pixel position and its unit viewing direction in the optical frame.
type Ray struct {
	U, V float64
	DirC mgl64.Vec3
}

// Central returns a camera with a single viewpoint, which all file formats require. A mirror without a single viewpoint
// is replaced by an approximation that is exact on the floor; poseBC is the camera's pose on the robot.
func Central(m optics.Model, poseBC spatial.Pose) (optics.Model, error) {
	if m, ok := m.(*optics.Mirror); ok {
		return optics.NewCentral(m, poseBC.Pos[2])
	}
	return m, nil
}

// Sample returns the rays of a grid of n × n pixel positions, from edge to edge, without the positions at which the
// image shows nothing.
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

// Residual is the remaining error of a fit; the fit states the unit.
type Residual struct {
	RMS, Max float64
	N        int // number of fitted rays
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
