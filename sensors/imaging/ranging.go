package imaging

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// Ranging describes how a depth camera measures depth, with its faults. A fault does not occur if its value is 0.
type Ranging struct {
	Principle   string  `toml:"principle" oneof:"time-of-flight|structured-light" doc:"principle, which determines the noise: time-of-flight as the Kinect v2, structured-light as the Kinect v1"`
	Min         float64 `toml:"min_m" range:"[0, 100]" doc:"least measured distance"`
	Max         float64 `toml:"max_m" range:"(0, 100]" doc:"largest measured distance"`
	Noise       float64 `toml:"noise" range:"[0, 100]" doc:"factor on the published axial noise, which grows with distance and angle of incidence"`
	Lateral     float64 `toml:"lateral_noise" range:"[0, 100]" doc:"factor on the published lateral noise, which frays outlines"`
	Flying      float64 `toml:"flying_pixels" range:"[0, 1]" doc:"share of the pixels at outlines that mix near and far"`
	Dropout     float64 `toml:"dropout" range:"[0, 1]" doc:"share of the pixels at outlines that measure nothing"`
	Baseline    float64 `toml:"baseline_m" range:"[0, 1]" doc:"distance of the projector to the right of the camera; its light does not reach what is behind an object"`
	Disparity   bool    `toml:"disparity_steps" doc:"distances quantised by disparity, in steps that grow with their square; otherwise in whole millimetres"`
	Step        float64 `toml:"disparity_step_per_m" range:"(0, 1]" doc:"with disparity_steps: the step of the distance, divided by the square of the distance"`
	DarkRange   float64 `toml:"dark_range_m" range:"[0, 1000]" doc:"distance at which half of the pixels of a matt surface of 10 % reflectance at a right angle measure something; a darker, glossier or more oblique surface returns less light; 0: every surface returns enough"`
	SignalNoise float64 `toml:"signal_noise" range:"[0, 1]" doc:"with dark_range_m: standard deviation of the light that returns, as a fraction of the weakest that is measured"`
	Margin      int     `toml:"margin_px" range:"[0, 1000]" doc:"columns at the right border of the image that measure nothing"`
}

// Validate reports violations of rules that involve several fields.
func (r *Ranging) Validate(violate func(field string, value any, rule string)) {
	if r.Min >= r.Max {
		violate("Max", r.Max, "must be larger than {Min}")
	}
	if r.Flying+r.Dropout > 1 {
		violate("Dropout", r.Dropout, "must not exceed 1 together with {Flying}")
	}
}

// SetDefaults sets the values of the Kinect v2, which measures 0.5 m to 8 m (Xiao et al. 2017). The values of Flying
// and Dropout, the fractions of faulty pixels at outlines, are guesses.
func (r *Ranging) SetDefaults() {
	*r = Ranging{Principle: "time-of-flight", Min: 0.5, Max: 8, Noise: 1, Lateral: 1, Flying: 0.4, Dropout: 0.2,
		Step: disparityStep}
}

// KinectV1 returns the measurement of the first Kinect: 0.5 m to 5 m, with a baseline of 7.5 cm. Source: Khoshelham and
// Elberink, "Accuracy and resolution of Kinect depth data for indoor mapping applications", Sensors 2012. The value of
// Dropout, the fraction of missing pixels at outlines, is a guess. The step is that of measured images. The published
// noise includes the variance of the steps. Noise leaves that variance out, so that both together are the published
// noise, within 3 % from 1.5 m to 4 m (docs/reality.md). Margin is due to the correlation window of 9 × 9 pixels;
// source: Konolige and Mihelich, "Technical description of Kinect calibration", ROS. DarkRange is fitted to the share
// of pixels without depth in measured images. SignalNoise is a guess.
func KinectV1() Ranging {
	return Ranging{Principle: "structured-light", Min: 0.5, Max: 5, Noise: 0.84, Lateral: 1, Dropout: 0.5,
		Baseline: 0.075, Disparity: true, Step: 0.00292, DarkRange: 3.2, SignalNoise: 0.1, Margin: 8}
}

// disparityStep is the default step of quantised depth divided by the square of the depth, in 1/m. In cm, the step is
// 2.85e-5·Z². Source: Khoshelham and Elberink 2012.
const disparityStep = 2.85e-3

// Sigma returns the standard deviation, in m, of the measured depth of a surface that faces the camera at the distance
// z, in m.
func (r *Ranging) Sigma(z float64) float64 {
	a := r.axial()
	sigma := a[0] + a[1]*z + a[2]*z*z
	if r.Disparity {
		return math.Hypot(sigma, r.Step*z*z/math.Sqrt(12)) // the deviation of a uniform distribution over a step
	}
	return sigma
}

// axial returns the coefficients of Sigma without steps. For time of flight, σ is 1.5 − 0.5·z + 0.3·z² mm. Source:
// Fankhauser et al., "Kinect v2 for mobile robot navigation: evaluation and modeling", ICAR 2015. For structured light,
// σ is 0.0012 + 0.0019·(z − 0.4)² m. Source: Nguyen, Izadi and Lovell, "Modeling Kinect sensor noise for improved 3D
// reconstruction and tracking", 3DIMPVT 2012.
func (r *Ranging) axial() [3]float64 {
	if r.structured() {
		return [3]float64{r.Noise * (0.0012 + 0.0019*0.4*0.4), r.Noise * -2 * 0.0019 * 0.4, r.Noise * 0.0019}
	}
	return [3]float64{r.Noise * 1.5e-3, r.Noise * -0.5e-3, r.Noise * 0.3e-3}
}

func (r *Ranging) structured() bool { return r.Principle == "structured-light" }

// Measured returns the measurement of depth with its faults. The added noise of slanted surfaces is 0.1·z^1.5 mm for
// time of flight, and 0.1/√z mm for structured light. The lateral noise is 1.6 mm for time of flight, and 0.8 px for
// structured light and a surface that faces the camera. The sources are those given in axial.
func (r *Ranging) Measured() *render.Ranging {
	m := &render.Ranging{Min: r.Min, Max: r.Max, Axial: r.axial(), Flying: r.Flying, Dropout: r.Dropout,
		Baseline: r.Baseline, DarkRange: r.DarkRange, SignalNoise: r.SignalNoise, Margin: r.Margin}
	if r.structured() {
		m.Slant[0], m.Lateral[0] = r.Noise*1e-4, r.Lateral*0.8
	} else {
		m.Slant[1], m.Lateral[1] = r.Noise*1e-4, r.Lateral*0.0016
	}
	if r.Disparity {
		m.Step = r.Step
	}
	return m
}

// Limited returns the measurement of depth with its limits and without faults.
func (r *Ranging) Limited() *render.Ranging {
	return &render.Ranging{Min: r.Min, Max: r.Max, Exact: true}
}
