package dashboard

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"sync"
	"time"

	"golang.org/x/image/draw"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// frame is what a camera has delivered, encoded once in each width that somebody asks for.
type frame struct {
	obs    *sensors.Observation
	serial uint64
	came   time.Time // wall time

	mu       sync.Mutex
	pictures map[int][]byte // by their widths
}

// Widths of pictures, pixels: below the least nothing is to be seen, and steps keep viewers of nearly the same width together.
const (
	leastWidth, mostWidth = 80, 1920
	widthStep             = 40
)

// jpegQuality is a guess: faults of a chip that are to be seen stay so.
const jpegQuality = 80

// retain keeps the frame until release.
func (f *frame) retain() *frame {
	f.obs.Retain()
	return f
}

func (f *frame) release() { f.obs.Release() }

// picture returns the image as JPEG, no wider than asked for and than it is. The caller holds the frame.
func (f *frame) picture(width int) ([]byte, error) {
	m := f.obs.Color
	width = min((max(width, leastWidth)+widthStep-1)/widthStep*widthStep, m.Width)
	f.mu.Lock() // others wait for the same picture
	defer f.mu.Unlock()
	if p := f.pictures[width]; p != nil {
		return p, nil
	}
	p, err := encodeJPEG(m, width)
	if err != nil {
		return nil, err
	}
	if f.pictures == nil {
		f.pictures = map[int][]byte{}
	}
	f.pictures[width] = p
	return p, nil
}

// canvases are images that pictures are made in.
var canvases = sync.Pool{New: func() any { return new(image.RGBA) }}

// canvas returns an image of a size, whose pixels are anything.
func canvas(width, height int) *image.RGBA {
	c := canvases.Get().(*image.RGBA)
	if n := 4 * width * height; cap(c.Pix) < n {
		c.Pix = make([]byte, n)
	}
	c.Pix, c.Stride, c.Rect = c.Pix[:4*width*height], 4*width, image.Rect(0, 0, width, height)
	return c
}

// encodeJPEG encodes an image that is scaled to a width.
func encodeJPEG(m *render.Image, width int) ([]byte, error) {
	full := canvas(m.Width, m.Height)
	defer canvases.Put(full)
	for i, k := 0, 0; i+2 < len(m.Pix); i, k = i+3, k+4 {
		full.Pix[k], full.Pix[k+1], full.Pix[k+2], full.Pix[k+3] = m.Pix[i], m.Pix[i+1], m.Pix[i+2], 255
	}
	shown := full
	if width < m.Width {
		shown = canvas(width, max(m.Height*width/m.Width, 1))
		defer canvases.Put(shown)
		draw.ApproxBiLinear.Scale(shown, shown.Rect, full, full.Rect, draw.Src, nil)
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, shown, &jpeg.Options{Quality: jpegQuality})
	return out.Bytes(), err
}

// seenJSON is what a camera delivers at levels without images.
type seenJSON struct {
	Level      string          `json:"level"`
	Stamp      float64         `json:"stamp_s"`
	Detections []detectionJSON `json:"detections"` // at objects and truth
}

// detectionJSON is in the robot's frame: x forward, y left.
type detectionJSON struct {
	Kind    string  `json:"kind"`
	Name    string  `json:"name,omitempty"`
	Team    string  `json:"team,omitempty"`
	X       float64 `json:"x_m"`
	Y       float64 `json:"y_m"`
	Visible float64 `json:"visible_fraction"`
}

// seen returns what the frame has instead of an image, as JSON.
func (f *frame) seen() ([]byte, error) {
	j := seenJSON{string(f.obs.Level), f.obs.Stamp.Seconds(), []detectionJSON{}}
	if f.obs.Objects != nil {
		for _, d := range f.obs.Objects.Detections {
			j.Detections = append(j.Detections, detectionJSON{string(d.Kind), d.Name, d.Team, rounded(d.PosB[0]), rounded(d.PosB[1]), rounded(d.Visible)})
		}
	}
	return json.Marshal(j)
}
