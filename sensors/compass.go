package sensors

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Compass is an orientation unit that delivers only the heading.
type Compass struct {
	Noise float64 `toml:"noise_deg" range:"[0, 180]" doc:"standard deviation of the white noise"`
	Drift float64 `toml:"drift_deg" range:"[0, 180]" doc:"standard deviation of the slowly drifting error, from iron in the hall and motor currents"`
	Tau   float64 `toml:"drift_time_s" range:"(0, 100000]" doc:"time constant of the drift"`
}

// SetDefaults sets the values of an Xsens MTi near motors. They are guesses, based on the error of 1° that the data
// sheet gives for an undisturbed magnetic field.
func (c *Compass) SetDefaults() {
	*c = Compass{Noise: 0.2 * spatial.Degree, Drift: 2 * spatial.Degree, Tau: 60}
}

func (*Compass) row() *kind {
	return &kind{rate: 100, reading: CompassReading{}, profiles: []profile{
		// The heading that a program finds from what is around the field in a camera's image. All values are guesses.
		{"visual-compass", func(c *Config) {
			c.Compass, c.Rate = &Compass{Noise: 3 * spatial.Degree, Drift: 4 * spatial.Degree, Tau: 20}, 10
		}},
	}}
}

// CompassReading is the heading of the unit's x axis: its angle from the world's x axis, anticlockwise, in (−π, π].
type CompassReading struct {
	Heading  Heading         `json:"heading_rad" quantity:"compass.heading" unit:"rad"`
	Variance HeadingVariance `json:"-" quantity:"compass.covariance"`
}

// HeadingVariance is the variance of a heading's error, rad². It is 0 for an exact heading. Beside other headings, roll
// and pitch are not measured.
type HeadingVariance float64

// scramble sets a random heading.
func (r *CompassReading) scramble(noise random.Source) {
	r.Heading = Heading(evenly(noise, 0, math.Pi))
}

// compass measures the heading of its x axis. At raw the error is white noise plus a Gauss–Markov process,
//
//	b ← exp(−Δt/τ)·b + √(1 − exp(−2Δt/τ))·σ·N(0, 1)
//
// which advances whether or not there are listeners, and at any level.
type compass struct {
	device
	drift    float64
	wandered uint64 // number of frames by which the drift has been advanced
	keep     float64
	step     float64 // σ of the random change of the drift per frame
}

const (
	streamCompass uint16 = iota
	streamCompassDrift
)

func (c *Compass) build(d device, _ Site) (Sensor, error) {
	keep := math.Exp(-1 / (d.cfg.Rate * c.Tau))
	n, _ := d.noise.Normal(random.Index(streamCompassDrift, 1)) // stationary distribution at the start of the run
	return &compass{device: d, keep: keep, step: math.Sqrt(1-keep*keep) * c.Drift,
		drift: n * c.Drift}, nil
}

func (c *compass) Observe(at *Instant, obs *Observation) {
	heading, variance := at.State().PoseWB.Mul(c.poseBS).Heading(), 0.
	if obs.Level == abstraction.Raw {
		c.wander(obs.Frame)
		n, _ := c.noise.Frame(obs.Frame).Normal(random.Index(streamCompass, 0))
		heading += c.drift + n*c.cfg.Compass.Noise
		variance = c.cfg.Compass.Noise*c.cfg.Compass.Noise + c.cfg.Compass.Drift*c.cfg.Compass.Drift
	}
	*readingIn[CompassReading](obs) = CompassReading{Heading(spatial.WrapAngle(heading)), HeadingVariance(variance)}
}

func (c *compass) Exchange(k *keyframe.Codec) {
	k.Float(&c.drift)
	k.Uint(&c.wandered)
}

// wander advances the drift to the given frame, by one step for each earlier frame. It also counts frames that no
// listener wanted.
func (c *compass) wander(before uint64) {
	for ; c.wandered < before; c.wandered++ {
		n, _ := c.noise.Frame(c.wandered).Normal(random.Index(streamCompassDrift, 0))
		c.drift = c.keep*c.drift + c.step*n
	}
}
