package export

import (
	"bytes"
	"errors"
	"image"
	"image/gif"
	"io"
	"math"
)

// GIF writes a film as an animated GIF that begins again at its end, frame by frame: memory is that of one. Each frame
// has its own 256 colours. Source: the GIF89a specification; frames are image/gif's.
type GIF struct {
	w     io.Writer
	rate  float64
	count int
	buf   bytes.Buffer
	quantizer
}

// NewGIF begins a film of rate frames a second, at most 50.
func NewGIF(w io.Writer, rate float64) *GIF { return &GIF{w: w, rate: rate} }

// What image/gif writes around a frame: a header of the file, without colours of its own, and the end of the file.
const (
	gifHeader  = 13
	gifTrailer = 1
)

// gifLoop is the application extension that repeats a film without end.
const gifLoop = "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"

// Add appends a frame.
func (g *GIF) Add(m *image.RGBA) error {
	// in the file's unit, so that times do not drift
	ends := func(frame int) int { return int(math.Round(float64(frame) * 100 / g.rate)) }
	g.buf.Reset()
	if err := gif.EncodeAll(&g.buf, &gif.GIF{Image: []*image.Paletted{g.quantize(m)},
		Delay: []int{ends(g.count+1) - ends(g.count)}}); err != nil {
		return err
	}
	b := g.buf.Bytes()
	frame := b[gifHeader : len(b)-gifTrailer]
	if g.count == 0 {
		frame = append(append(bytes.Clone(b[:gifHeader]), gifLoop...), frame...)
	}
	g.count++
	_, err := g.w.Write(frame)
	return err
}

// errNoPicture says that a film would be empty.
var errNoPicture = errors.New("there is no picture to be shown")

// End ends the file.
func (g *GIF) End() error {
	if g.count == 0 {
		return errNoPicture
	}
	_, err := g.w.Write([]byte{0x3b})
	return err
}
