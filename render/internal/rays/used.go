package rays

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// used describes how use and seams change a floor.
type used struct {
	traces      *render.Traces // nil without
	levels      [][]byte       // of their map
	perMetre    float32        // texels
	offset      float32        // log2 of perMetre
	pitch, dark float32        // of seams
}

func newUsed(f *render.Floor) *used {
	u := &used{traces: f.Traces, pitch: float32(f.Seams.Pitch), dark: float32(f.Seams.Dark)}
	if f.Traces != nil {
		u.levels, u.perMetre = f.Traces.Levels(), float32(render.TraceTexels/f.Traces.Size)
		u.offset = Log2(u.perMetre)
	}
	return u
}

// at returns how to interpolate between the four texels around a point in a level: the index i of the lower left texel,
// the offsets from it to its right and its upper neighbour, and the weights s of the right and t of the upper texels.
func (u *used) at(level int, x, y float32) (i, right, above int, s, t float32) {
	size := render.TraceTexels >> level
	place := func(x float32) float32 {
		return min(max((x*u.perMetre+render.TraceTexels/2)/float32(int(1)<<level)-0.5, 0), float32(size-1))
	}
	px, py := place(x), place(y)
	col, row := min(int(px), max(size-2, 0)), min(int(py), max(size-2, 0))
	step := min(1, size-1)
	return 4 * (row*size + col), 4 * step, 4 * step * size, px - float32(col), py - float32(row)
}

// mixed interpolates between four texels; the result is between 0 and 1.
func mixed(p []byte, right, above int, s, t float32) float32 {
	low := float32(p[0])*(1-s) + float32(p[right])*s
	high := float32(p[above])*(1-s) + float32(p[right+above])*s
	return (low*(1-t) + high*t) / 255
}

// tape is the state of the markings' tape at a point. The zero value is new tape that is not displaced.
type tape struct {
	dirt, gone float32 // lost fractions of its light and of the tape itself
	shift      float32 // metres
}

// tape returns the state of the tape for a pixel of the size 2^octave metres.
func (u *used) tape(x, y, octave float32) (t tape) {
	if u.levels == nil {
		return t
	}
	level := min(max(int(octave+u.offset+0.5), 0), len(u.levels)-1)
	i, right, above, s, v := u.at(level, x, y)
	of := func(c int) float32 { return mixed(u.levels[level][i+c:], right, above, s, v) }
	sharp := min(max(float32(math.Exp2(float64(-octave-u.offset))), 1), render.SharpestTape)
	return tape{1 - of(render.Clean), 1 - Clamp01((of(render.There)-0.5)*sharp+0.5), (of(render.Shift) - 128.0/255) *
		(render.ShiftReach * 255 / 127)}
}

// seam returns the fraction of light that seams between rolls take from a footprint of a width around y.
func (u *used) seam(y, width float32) float32 {
	if u.pitch <= 0 || u.dark <= 0 {
		return 0
	}
	at := y / u.pitch
	off := (at - Floor(at) - 0.5) * u.pitch // the edges of the roll in the centre are half a pitch from y = 0
	return u.dark * band(off, render.SeamHalf, min(width, u.pitch))
}
