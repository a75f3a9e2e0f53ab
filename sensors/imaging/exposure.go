package imaging

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Sample is one of the pictures that an exposure is made of: when, relative to the stamp, and from where in the
// optical frame.
type Sample struct {
	At     time.Duration
	PoseCT spatial.Pose
}

// MaxDrawn is how many pixels at most are drawn for one picture, all samples together: 400 MB, and seconds of one core. Guess.
const MaxDrawn = 1 << 27

// Exposure makes pictures of samples: of each instant of a shutter from all places of an aperture, each of which may be nil.
type Exposure struct {
	Shutter *Shutter
	Focus   *Focus
}

// Count returns of how many samples a picture is made.
func (e Exposure) Count() int { return e.instants() * e.places() }

func (e Exposure) instants() int {
	if e.Shutter == nil || e.Shutter.Exposure+e.Shutter.Readout == 0 {
		return 1
	}
	return e.Shutter.Samples
}

func (e Exposure) places() int {
	if e.Focus == nil {
		return 1
	}
	return e.Focus.Samples
}

// Samples lists what is to be drawn; nothing when one picture of the stamp, from the viewpoint, will do.
func (e Exposure) Samples() []Sample {
	if e.Count() == 1 {
		return nil
	}
	instants, places := []time.Duration{0}, []spatial.Pose{spatial.Identity()}
	if e.instants() > 1 {
		instants = e.Shutter.instants()
	}
	if e.Focus != nil {
		places = e.Focus.views()
	}
	samples := make([]Sample, 0, e.Count())
	for _, at := range instants {
		for _, p := range places {
			samples = append(samples, Sample{at, p})
		}
	}
	return samples
}

// Combine makes a picture of those of all Samples: their mean in linear light, row by row.
func (e Exposure) Combine(into *render.Image, pictures []*render.Image) {
	places := e.places()
	weights := []float32{1}
	sum := make([]float32, 3*into.Width)
	for row := range into.Height {
		clear(sum)
		if e.instants() > 1 {
			weights = e.Shutter.weights(row, into.Height, weights)
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
			into.Pix[at+k] = toEncoded[int(min(l, 1)*(encodedSteps-1)+0.5)]
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
