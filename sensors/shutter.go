package sensors

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Shutter is how a chip is exposed: for a while, and one row after the other. A picture's stamp is the middle of the
// middle row's exposure.
type Shutter struct {
	Exposure time.Duration `toml:"exposure_ms" range:"[0, 500]" doc:"each pixel collects light for so long; what moves is blurred"`
	Readout  time.Duration `toml:"readout_ms" range:"[0, 500]" doc:"from the first row's exposure to the last's; 0 is a global shutter"`
	Samples  int           `toml:"samples" range:"[2, 64]" doc:"instants that are drawn for one picture, each as dear as a picture; with those of focus at most 134217728 pixels"`
}

// SetDefaults draws eight instants.
func (s *Shutter) SetDefaults() { s.Samples = 8 }

// instants returns when to draw, relative to the stamp: in the middle of equal parts of the whole time.
func (s *Shutter) instants() []time.Duration {
	whole := s.Exposure + s.Readout
	if whole == 0 {
		return nil
	}
	all := make([]time.Duration, s.Samples)
	for i := range all {
		all[i] = time.Duration((float64(i)+0.5)/float64(s.Samples)*float64(whole)) - whole/2
	}
	return all
}

// weights returns each instant's share of a row of the picture: of the row's exposure the part that lies nearer to it
// than to others. They add up to 1.
func (s *Shutter) weights(row, rows int, into []float32) []float32 {
	part := float64(s.Exposure+s.Readout) / float64(s.Samples)
	middle := (float64(row)+0.5)/float64(rows)*float64(s.Readout) + float64(s.Exposure)/2
	from, to := middle-float64(s.Exposure)/2, middle+float64(s.Exposure)/2
	if s.Exposure == 0 {
		from, to = math.Floor(middle/part)*part, math.Floor(middle/part)*part+part
	}
	into = into[:0]
	for i := range s.Samples {
		lo, hi := float64(i)*part, float64(i+1)*part
		into = append(into, float32(max(0, min(hi, to)-max(lo, from))/(to-from)))
	}
	return into
}

// mostDrawn is how many pixels at most are drawn for one picture, all samples together: 400 MB, and seconds of one core. Guess.
const mostDrawn = 1 << 27

// drawn returns how many pictures an exposure is made of, and of which key they are.
func (c *Config) drawn() (samples int, key string) {
	samples, key = 1, "image.width_px"
	if c.Focus != nil {
		samples, key = c.Focus.Samples, "focus.samples"
	}
	if c.Shutter != nil && c.Shutter.Exposure+c.Shutter.Readout > 0 {
		samples, key = samples*c.Shutter.Samples, "shutter.samples"
	}
	return samples, key
}

// ExposureSample is one of the pictures that an exposure is made of: when, relative to the stamp, and from where in the
// optical frame.
type ExposureSample struct {
	At     time.Duration
	PoseCT spatial.Pose
}

// exposureSamples lists, for each instant of the shutter, all places of the aperture; none when one picture of the stamp from
// the viewpoint will do.
func exposureSamples(s *Shutter, f *Focus) []ExposureSample {
	instants, places := []time.Duration{0}, []spatial.Pose{spatial.Identity()}
	if s != nil {
		if all := s.instants(); all != nil {
			instants = all
		}
	}
	if f != nil {
		places = f.views()
	}
	if len(instants) == 1 && len(places) == 1 {
		return nil
	}
	samples := make([]ExposureSample, 0, len(instants)*len(places))
	for _, at := range instants {
		for _, p := range places {
			samples = append(samples, ExposureSample{at, p})
		}
	}
	return samples
}

// ExposureSamples returns the pictures that Expose makes one of; none when the picture of the stamp alone will do.
func (c *Camera) ExposureSamples(level abstraction.Level) []ExposureSample {
	if level != abstraction.Raw {
		return nil
	}
	return c.samples
}

// Expose makes the colour image of obs from those of all ExposureSamples: their mean in linear light, row by row. It may run in
// any goroutine.
func (c *Camera) Expose(obs *Observation, pictures []*render.Image) {
	places := 1
	if c.cfg.Focus != nil {
		places = c.cfg.Focus.Samples
	}
	instants := len(pictures) / places
	weights := []float32{1}
	sum := make([]float32, 3*obs.Color.Width)
	for row := range obs.Color.Height {
		clear(sum)
		if instants > 1 {
			weights = c.cfg.Shutter.weights(row, obs.Color.Height, weights)
		}
		at := row * len(sum)
		for i, picture := range pictures {
			if w := weights[i/places] / float32(places); w > 0 {
				for k, b := range picture.Pix[at : at+len(sum)] {
					sum[k] += w * toLinear[b]
				}
			}
		}
		for k, l := range sum {
			obs.Color.Pix[at+k] = toEncoded[int(min(l, 1)*(encodedSteps-1)+0.5)]
		}
	}
}

// encodedSteps are so many that no two grey values of 8 bits share a step.
const encodedSteps = 1 << 14

var toLinear, toEncoded = func() (decode [256]float32, encode [encodedSteps]byte) {
	for v := range decode {
		decode[v] = float32(render.Linear(float64(v) / 255))
	}
	for i := range encode {
		encode[i] = byte(math.Round(255 * render.Encoded(float64(i)/(encodedSteps-1))))
	}
	return decode, encode
}()
