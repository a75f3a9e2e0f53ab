package imaging

import (
	"math"
	"time"
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
