package reproduce

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Parameters of model predictive control. The paper gives none: these are guesses, the same for all robots.
const (
	mpcSteps  = 25   // commands in the prediction horizon, 0.75 s
	mpcTerms  = 6    // Laguerre functions
	mpcPole   = 0.5  // pole of the Laguerre functions, 0 to 1: how slowly they decay
	mpcLag    = 0.04 // time constant with which the drive follows a command, s
	mpcWeight = 2e-3 // weight of squared changes of a command, (m/s)², relative to squared position errors, m²
)

// axisControl is model predictive control of one coordinate: x, y or the heading of a robot. The robot's velocity
// follows commands with a lag. Changes of the command within the horizon are a sum of Laguerre functions (Wang 2009,
// Model Predictive Control System Design, chapter 3), so that the controller has mpcTerms unknowns instead of mpcSteps.
// There are no constraints, because the reference keeps the limits of the drive. The least squares therefore have a
// constant solution, of which only the first change is ever used.
type axisControl struct {
	gain    [mpcSteps]float64    // change of the command for an error at each step of the horizon
	free    [mpcSteps][3]float64 // predicted coordinate without changes: factors of coordinate, velocity and command
	command float64              // present command, m/s or rad/s
}

// newAxisControl designs the controller for a command every pathPeriod.
func newAxisControl() *axisControl {
	c := &axisControl{}
	t := pathPeriod.Seconds()
	keep := math.Exp(-t / mpcLag)
	// step returns coordinate and velocity after one period with a command.
	step := func(x, v, u float64) (float64, float64) {
		return x + u*t + (v-u)*mpcLag*(1-keep), u + (v-u)*keep
	}
	for i, start := range [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		x, v := start[0], start[1]
		for k := range c.free {
			x, v = step(x, v, start[2])
			c.free[k][i] = x
		}
	}
	effect := mat.NewDense(mpcSteps, mpcTerms, nil) // of each function on the coordinate
	first := mat.NewVecDense(mpcTerms, nil)         // value of each function at the first step
	for n := range mpcTerms {
		x, v, u := 0.0, 0.0, 0.0
		for k, change := range laguerre(n) {
			u += change
			x, v = step(x, v, u)
			effect.Set(k, n, x)
			if k == 0 {
				first.SetVec(n, change)
			}
		}
	}
	var normal, solution mat.Dense
	normal.Mul(effect.T(), effect)
	for n := range mpcTerms {
		normal.Set(n, n, normal.At(n, n)+mpcWeight) // the functions are orthonormal
	}
	if err := solution.Solve(&normal, effect.T()); err != nil {
		panic(err) // constant parameters
	}
	var gain mat.VecDense
	gain.MulVec(solution.T(), first)
	for k := range c.gain {
		c.gain[k] = gain.AtVec(k)
	}
	return c
}

// laguerre returns the values of the discrete Laguerre function with index n, which has n+1 poles at mpcPole.
func laguerre(n int) (values [mpcSteps]float64) {
	// The impulse response of sqrt(1-a²)/(1-a/z) · ((1/z-a)/(1-a/z))^n.
	values[0] = math.Sqrt(1 - mpcPole*mpcPole)
	for k := 1; k < mpcSteps; k++ {
		values[k] = mpcPole * values[k-1]
	}
	for range n {
		in, before, out := values, 0.0, 0.0
		for k := range values {
			out = mpcPole*out + before - mpcPole*in[k]
			before, values[k] = in[k], out
		}
	}
	return values
}

// next returns the next command, given the present coordinate and velocity, and the wanted coordinate after each period
// of the horizon.
func (c *axisControl) next(x, v float64, want *[mpcSteps]float64) float64 {
	change := 0.0
	for k, gain := range c.gain {
		f := &c.free[k]
		change += gain * (want[k] - f[0]*x - f[1]*v - f[2]*c.command)
	}
	c.command += change
	return c.command
}
