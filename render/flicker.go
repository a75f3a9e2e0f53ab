package render

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"
)

// Flicker describes how the light of lamps on alternating current varies about its mean. All lamps vary in phase, and
// daylight does not vary. The zero value has no flicker.
//
// Depth is the modulation, or percent flicker, of Lehman et al., "Proposing measures of flicker in the low frequencies
// for lighting applications", ECCE 2011: (most − least)/(most + least). It is about 0.3 for fluorescent tubes with
// magnetic ballasts, and 0 to 1 for LEDs, depending on their drivers.
type Flicker struct {
	Depth     float64  `toml:"depth" range:"[0, 1]" doc:"modulation of the lamps' light, (max - min) / (max + min); 0: no flicker. Daylight, [light] ambient, never flickers"`
	Frequency float64  `toml:"frequency_hz" range:"[50, 1000]" doc:"twice the mains frequency: 100 for 50 Hz, 120 for 60 Hz"`
	Waveform  Waveform `toml:"waveform" oneof:"sine|rectified" doc:"sine: the square of the mains' sine, as fluorescent tubes; rectified: its magnitude, as LEDs without a capacitor"`
	Phase     float64  `toml:"phase_deg" range:"[-360, 360]" doc:"phase at the start, relative to the minimum; may be random, so that it differs for each seed"`
}

// SetDefaults sets the waveform of fluorescent tubes on 50 Hz mains. The depth is 0.
func (f *Flicker) SetDefaults() { *f = Flicker{Frequency: 100, Waveform: SineWave} }

// Waveform is the course of the light between its minimum and its maximum.
type Waveform string

const (
	SineWave      Waveform = "sine"      // sin²(πft)
	RectifiedWave Waveform = "rectified" // |sin(πft)|
)

// On reports whether lamps flicker.
func (f *Flicker) On() bool { return f.Depth != 0 }

// Deviation returns the relative difference of the lamps' mean light over an interval from their long-term mean. The
// argument middle is the time from the start of the simulation to the middle of the interval. If length is 0, the
// interval is a single instant.
func (f *Flicker) Deviation(middle, length time.Duration) float64 {
	if !f.On() {
		return 0
	}
	_, at := math.Modf(float64(middle.Seconds()*f.Frequency) + f.Phase/(2*math.Pi)) // phase within the cycle
	cycles := length.Seconds() * f.Frequency
	if f.Waveform == RectifiedWave {
		const mean = 2 / math.Pi
		share := 2 * f.Depth / (1 - f.Depth + 2*f.Depth*mean) // amplitude of the light relative to its mean
		return share * (meanRectified(at, cycles) - mean)
	}
	return -f.Depth * sinc(cycles) * math.Cos(2*math.Pi*at)
}

// meanRectified returns the mean of |sin(πx)| over an interval. The interval's middle is between 0 and 1. middle and
// length are in periods.
func meanRectified(middle, length float64) float64 {
	if length < 1e-9 {
		return math.Abs(math.Sin(math.Pi * middle))
	}
	// integral is the integral of |sin(πx)| from 0 to x: 2/π for each whole period, and (1 − cos(πr))/π for the rest r.
	integral := func(x float64) float64 {
		whole := math.Floor(x)
		return (2*whole + 1 - math.Cos(math.Pi*(x-whole))) / math.Pi
	}
	return (integral(middle+length/2) - integral(middle-length/2)) / length
}

// sinc returns sin(πx)/(πx).
func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// validate reports every violation of the rules for a Flicker.
func (f *Flicker) validate() error {
	var errs []error
	if !(f.Depth >= 0 && f.Depth <= 1) {
		errs = append(errs, fmt.Errorf("flicker: depth = %v: must be 0 to 1", f.Depth))
	}
	if f.On() && !(f.Frequency > 0 && f.Frequency <= 1e6 && math.Abs(f.Phase) <= 2*math.Pi) {
		errs = append(errs, fmt.Errorf("flicker of %v Hz with the phase %v: must be more than 0 Hz, up to 1e6, and "+
			"within 2π", f.Frequency, f.Phase))
	}
	if f.On() && f.Waveform != SineWave && f.Waveform != RectifiedWave {
		errs = append(errs, fmt.Errorf("flicker: waveform = %q: must be %q or %q", f.Waveform, SineWave, RectifiedWave))
	}
	return errors.Join(errs...)
}

// Rows describes when the rows of an image are exposed in flickering light. The middle row is exposed at Stamp. The
// zero value stands for light without flicker.
type Rows struct {
	Flicker  Flicker
	Lamps    [3]float64    // fraction of the light that comes from lamps: red, green, blue
	Stamp    time.Duration // time of the middle of the middle row's exposure, since the start of the simulation
	Exposure time.Duration // of each row
	Readout  time.Duration // time from the first row's exposure to the last row's
}

// On reports whether the light differs between rows.
func (r *Rows) On() bool { return r.Flicker.On() && r.Lamps != [3]float64{} }

// Deviation returns the Flicker's deviation over the exposure of a row. The argument rows is the number of rows.
func (r *Rows) Deviation(row, rows int) float64 {
	after := time.Duration(((float64(row)+0.5)/float64(rows) - 0.5) * float64(r.Readout))
	return r.Flicker.Deviation(r.Stamp+after, r.Exposure)
}

func (r *Rows) validate() error {
	var errs []error
	if err := r.Flicker.validate(); err != nil {
		errs = append(errs, err)
	}
	for _, share := range r.Lamps {
		if !(share >= 0 && share <= 1) {
			errs = append(errs, fmt.Errorf("chip: share of the lamps in the light = %v: must be 0 to 1", share))
		}
	}
	if r.Exposure < 0 || r.Readout < 0 {
		errs = append(errs, fmt.Errorf("chip: exposure of %v, readout of %v: must not be negative", r.Exposure,
			r.Readout))
	}
	return errors.Join(errs...)
}

// LampShare returns the fraction of the light on an unshaded carpet that comes from distant and nearby lamps, averaged
// over the carpet, for red, green and blue. It is 0 in the dark.
func (l *Light) LampShare(sizeX, sizeY float64) (share [3]float64) {
	lamps := l.Lamp.Mul(max(0, l.DirectionW[2]))
	// a lamp that emits evenly in all directions lights a rectangle in proportion to the solid angle
	for i := range l.Spots {
		s := &l.Spots[i]
		lamps = lamps.Add(s.Light.Mul(float32(rectangleAngle(s.PosW, sizeX/2, sizeY/2) / (sizeX * sizeY))))
	}
	for c := range share {
		if lamps[c] > 0 {
			share[c] = float64(lamps[c] / (lamps[c] + l.Sky[c]))
		}
	}
	return share
}

// rectangleAngle returns the solid angle, steradians, of the rectangle |x| ≤ halfX, |y| ≤ halfY at z = 0, seen from a
// point above the plane of the rectangle. It is the sum over the corners of atan(xy/(z·d)). There x and y are the
// offsets of a corner, positive outwards, from the foot of the point on the plane, z is the point's height, and d is
// the distance from the point to the corner.
func rectangleAngle(from mgl32.Vec3, halfX, halfY float64) (angle float64) {
	z := float64(from[2])
	for _, x := range [2]float64{halfX - float64(from[0]), halfX + float64(from[0])} {
		for _, y := range [2]float64{halfY - float64(from[1]), halfY + float64(from[1])} {
			angle += math.Atan(x * y / (z * math.Sqrt(x*x+y*y+z*z)))
		}
	}
	return angle
}
