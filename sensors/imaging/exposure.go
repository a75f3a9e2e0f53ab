package imaging

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Sample describes one of the images that are averaged into an exposed image: its time relative to the stamp, and the
// pose, in the camera's optical frame, from which it is rendered.
type Sample struct {
	At     time.Duration
	PoseCT spatial.Pose
}

// MaxDrawn is the maximum number of pixels that may be rendered for one image, over all samples. The value is a guess:
// with so many pixels, an image takes 400 MB and some seconds of one core.
const MaxDrawn = 1 << 27

// Exposure averages images over the time that the shutter is open and over positions on the aperture of the lens. If
// Shutter is nil, the exposure is instantaneous. If Focus is nil, images are sharp everywhere.
type Exposure struct {
	Shutter *Shutter
	Focus   *Focus
}

// Count returns the number of samples of an image.
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

// Samples lists the images to render. The list is empty if one image suffices, rendered at the stamp and from the
// camera's viewpoint.
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

// Combine averages the images of all Samples, in linear light, into one image. Each row of the result has its own
// weights of the samples.
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
					sum[k] += w * render.Decode8(b)
				}
			}
		}
		for k, l := range sum {
			into.Pix[at+k] = render.Encode8(min(l, 1))
		}
	}
	e.combineAbove(into, pictures)
}

// combineAbove averages the light above white, which images store in cells. The weights of the samples are those of the
// row at the cell's centre.
func (e Exposure) combineAbove(into *render.Image, pictures []*render.Image) {
	if into.Above == nil {
		return
	}
	clear(into.Above)
	cols, rows := render.Cells(into.Width, into.Height)
	weights := []float32{1}
	for row := range rows {
		if e.instants() > 1 {
			weights = e.Shutter.weights(min(row*render.CellSize+render.CellSize/2, into.Height-1), into.Height, weights)
		}
		to := into.Above[3*cols*row:][:3*cols]
		for i, picture := range pictures {
			w := weights[i/e.places()] / float32(e.places())
			for k, l := range picture.Above[3*cols*row:][:3*cols] {
				to[k] += float32(w * l)
			}
		}
	}
}

// Shutter describes how long the rows of a chip are exposed, and how much later each row is exposed than the first. The
// stamp of an image is the middle of the exposure time of the middle row.
type Shutter struct {
	Exposure time.Duration `toml:"exposure_ms" range:"[0, 500]" doc:"exposure time of each pixel, which causes motion blur"`
	Readout  time.Duration `toml:"readout_ms" range:"[0, 500]" doc:"from the exposure of the first row to that of the last; 0 for a global shutter"`
	Samples  int           `toml:"samples" range:"[1, 64]" doc:"instants rendered for one image, each at the cost of an image; with 1, motion is neither blurred nor skewed; times the samples of focus and the pixels of the image at most 134217728"`
}

// SetDefaults sets the number of samples to eight.
func (s *Shutter) SetDefaults() { s.Samples = 8 }

// instants returns the times, relative to the stamp, at which the samples are rendered. They are the centres of equal
// parts of the time from the first row's start of exposure to the last row's end of exposure.
func (s *Shutter) instants() []time.Duration {
	whole := s.Exposure + s.Readout
	all := make([]time.Duration, s.Samples)
	for i := range all {
		all[i] = time.Duration((float64(i)+0.5)/float64(s.Samples)*float64(whole)) - whole/2
	}
	return all
}

// weights returns the weight that each instant has in a row of the image. The weight is the fraction of the row's
// exposure time that is closer to this instant than to any other. The weights sum to 1.
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

// Focus is a lens with a finite aperture, which blurs objects nearer or farther than its focus. A point at distance z
// spreads over a disc with a diameter of A·f·|z − s|/(z·s) pixels, the circle of confusion of a thin lens. A =
// FocalLength/FNumber is the diameter of the aperture, f is the focal length in pixels, and s is the focus distance.
type Focus struct {
	Distance    float64 `toml:"distance_m" required:"true" range:"(0, 1000]" doc:"distance in focus"`
	FocalLength float64 `toml:"focal_length_mm" required:"true" range:"(0, 500]" doc:"focal length of the lens, which determines the aperture with the f-number"`
	FNumber     float64 `toml:"f_number" required:"true" range:"[0.5, 64]"`
	Samples     int     `toml:"samples" range:"[3, 256]" doc:"points of the aperture rendered for one image, each at the cost of an image; times the samples of shutter and the pixels of the image at most 134217728"`
}

// SetDefaults sets the number of samples to sixteen.
func (f *Focus) SetDefaults() { f.Samples = 16 }

// views returns the poses, in the optical frame, from which the averaged images are rendered. Their positions are
// spread evenly over the aperture. They look at the point of the optical axis that is in focus.
func (f *Focus) views() []spatial.Pose {
	radius := f.FocalLength / f.FNumber / 2
	golden := math.Pi * (3 - math.Sqrt(5))
	all := make([]spatial.Pose, f.Samples)
	for i := range all {
		r := radius * math.Sqrt((float64(i)+0.5)/float64(f.Samples))
		s, c := math.Sincos(golden * float64(i))
		at := mgl64.Vec3{r * c, r * s, 0}
		to := mgl64.Vec3{0, 0, f.Distance}.Sub(at)
		all[i] = spatial.Pose{Pos: at, Rot: mgl64.QuatBetweenVectors(mgl64.Vec3{0, 0, 1}, to.Normalize())}
	}
	return all
}
