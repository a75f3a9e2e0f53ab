package calibration

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/mat"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// minimise improves the parameters p by the Levenberg-Marquardt method until the sum of squared errors stops falling.
// It returns the improved parameters. The function f must compute the n errors for given parameters.
func minimise(p []float64, n int, f func(p, errors []float64)) []float64 {
	errors, trial := make([]float64, n), make([]float64, n)
	f(p, errors)
	best, damping := squares(errors), 1e-4
	jacobian := mat.NewDense(n, len(p), nil)
	for range 200 {
		for k := range p {
			step := 1e-6 * math.Max(1e-3, math.Abs(p[k]))
			moved := append([]float64(nil), p...)
			moved[k] += step
			f(moved, trial)
			for i := range trial {
				jacobian.Set(i, k, (trial[i]-errors[i])/step)
			}
		}
		var normal mat.Dense
		normal.Mul(jacobian.T(), jacobian)
		var gradient mat.VecDense
		gradient.MulVec(jacobian.T(), mat.NewVecDense(n, errors))
		fell := false
		for damping < 1e12 && !fell {
			damped := mat.DenseCopyOf(&normal)
			for k := range p {
				damped.Set(k, k, normal.At(k, k)*(1+damping)+1e-300)
			}
			var step mat.VecDense
			if step.SolveVec(damped, &gradient) == nil {
				moved := append([]float64(nil), p...)
				for k := range moved {
					moved[k] -= step.AtVec(k)
				}
				f(moved, trial)
				if s := squares(trial); s < best {
					fell = true
					done := best-s <= 1e-14*best
					copy(p, moved)
					copy(errors, trial)
					best, damping = s, damping/10
					if done {
						return p
					}
					continue
				}
			}
			damping *= 10
		}
		if !fell {
			return p
		}
	}
	return p
}

func squares(errors []float64) float64 {
	s := 0.0
	for _, e := range errors {
		s += e * e
	}
	if math.IsNaN(s) {
		return math.Inf(1)
	}
	return s
}

// polynomial returns the least-squares coefficients a of y = Σ a[i]·x^powers[i].
func polynomial(x, y []float64, powers ...int) ([]float64, error) {
	scale := 0.0 // largest absolute x, by which x is divided so that high powers stay small
	for _, v := range x {
		scale = math.Max(scale, math.Abs(v))
	}
	if scale == 0 {
		scale = 1
	}
	a := mat.NewDense(len(x), len(powers), nil)
	for i, v := range x {
		for k, power := range powers {
			a.Set(i, k, math.Pow(v/scale, float64(power)))
		}
	}
	var c mat.VecDense
	if err := c.SolveVec(a, mat.NewVecDense(len(y), y)); err != nil {
		return nil, err
	}
	out := make([]float64, len(powers))
	for k, power := range powers {
		out[k] = c.AtVec(k) / math.Pow(scale, float64(power))
	}
	return out, nil
}

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

// Central returns a camera with a single viewpoint, which all file formats require. It replaces a mirror without a
// single viewpoint by an approximation that is exact on the floor. poseBC is the camera's pose on the robot.
func Central(m optics.Model, poseBC spatial.Pose) (optics.Model, error) {
	if m, ok := m.(*optics.Mirror); ok {
		return optics.NewCentral(m, poseBC.Pos[2])
	}
	return m, nil
}

// Sample returns the rays of a grid of n × n pixel positions, from edge to edge. It leaves out positions at which the
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

// Residual is the remaining error of a fit, in the unit that the fit's type states.
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
