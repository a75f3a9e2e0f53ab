package dashboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// frame is a delivered observation. Each requested encoding of it is made once.
type frame struct {
	obs    *sensors.Observation
	feed   *feed
	serial uint64
	came   time.Time // wall time of arrival

	mu      sync.Mutex
	encoded map[any][]byte // encodings by key: a picture, overlays, or asReading
}

// picture is the key of an encoded image: colour or depth, and a width in pixels.
type picture struct {
	width int
	depth bool
}

// asReading is the key of an encoded observation without an image.
const asReading = "reading"

// frameQuery is the query of a request for a frame.
type frameQuery struct {
	after uint64 // the client has the frame with this serial number
	picture
	with overlays
}

func frameQueryOf(r *http.Request) (q frameQuery, err error) {
	after, err := numberOf(r, "after", 0, 1<<62)
	if err != nil {
		return q, err
	}
	if q.width, err = numberOf(r, "width", mostWidth, mostWidth); err != nil {
		return q, err
	}
	switch of := r.URL.Query().Get("picture"); of {
	case "depth":
		q.depth = true
	case "", "color":
	default:
		return q, fmt.Errorf("picture = %.40q: must be color or depth", of)
	}
	q.after = uint64(after)
	q.with, err = overlaysOf(r.URL.Query().Get("overlay"))
	return q, err
}

// Widths of pictures, pixels. Below leastWidth nothing is recognizable. Widths are rounded to multiples of widthStep,
// so that clients that ask for similar widths share an encoding.
const (
	leastWidth, mostWidth = 80, 1920
	widthStep             = 40
)

// jpegQuality is the quality of JPEG images. 80 is a guess: visible faults of the camera's chip remain visible.
const jpegQuality = 80

// release ends the use of a frame that feed.next has returned.
func (f *frame) release() { f.obs.Release() }

// encode encodes the frame, and returns its media type: an image, a form with an image and its overlays, or JSON if
// there is no image. The caller must have retained the frame.
func (f *frame) encode(q frameQuery) (body []byte, kind string, err error) {
	if f.obs.Color == nil {
		body, err = f.once(asReading, func() ([]byte, error) {
			if f.feed.camera {
				return json.Marshal(f.seen())
			}
			return json.Marshal(f.reading())
		})
		return body, "application/json", err
	}
	body, kind, err = f.picture(q.picture)
	if q.with == 0 || err != nil {
		return body, kind, err
	}
	drawn, err := f.overlay(q.with)
	if err != nil {
		return nil, "", err
	}
	return together(body, kind, drawn)
}

// once returns the encoding with the given key. Only the first call makes the encoding; concurrent calls share the
// result.
func (f *frame) once(key any, encode func() ([]byte, error)) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if body := f.encoded[key]; body != nil {
		return body, nil
	}
	body, err := encode()
	if err != nil {
		return nil, err
	}
	if f.encoded == nil {
		f.encoded = map[any][]byte{}
	}
	f.encoded[key] = body
	return body, nil
}

// picture encodes the image as JPEG, or its depth as PNG, no wider than requested or than the image. The result kind is
// the media type.
func (f *frame) picture(of picture) (encoded []byte, kind string, err error) {
	m, d := f.obs.Color, f.obs.Depth
	of.depth = of.depth && d != nil
	of.width = min((max(of.width, leastWidth)+widthStep-1)/widthStep*widthStep, m.Width)
	kind = "image/jpeg"
	if of.depth {
		kind = "image/png"
	}
	encoded, err = f.once(of, func() ([]byte, error) {
		if !of.depth {
			return encodeJPEG(m, of.width)
		}
		near, far := f.feed.ranging()
		return encodeDepth(d, of.width, near, far)
	})
	return encoded, kind, err
}

// overlay returns the frame's overlays as JSON.
func (f *frame) overlay(which overlays) ([]byte, error) {
	return f.once(which, func() ([]byte, error) { return json.Marshal(f.draw(which)) })
}

// together combines a picture with the overlays of the same frame. It returns a multipart form, which browsers can
// parse, and its media type.
func together(picture []byte, kind string, drawn []byte) ([]byte, string, error) {
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	part, err := form.CreatePart(textproto.MIMEHeader{"Content-Type": {kind},
		"Content-Disposition": {`form-data; name="picture"; filename="picture"`}})
	if err == nil {
		_, err = part.Write(picture)
	}
	err = errors.Join(err, form.WriteField("overlay", string(drawn)), form.Close())
	return out.Bytes(), form.FormDataContentType(), err
}

// canvases are reused images in which pictures are made.
var canvases = sync.Pool{New: func() any { return new(image.RGBA) }}

// canvas returns an image of a size, with arbitrary content.
func canvas(width, height int) *image.RGBA {
	c := canvases.Get().(*image.RGBA)
	if n := 4 * width * height; cap(c.Pix) < n {
		c.Pix = make([]byte, n)
	}
	c.Pix, c.Stride, c.Rect = c.Pix[:4*width*height], 4*width, image.Rect(0, 0, width, height)
	return c
}

// encodeJPEG encodes an image scaled to a width.
func encodeJPEG(m *render.Image, width int) ([]byte, error) {
	height := max(m.Height*width/m.Width, 1)
	shown := canvas(width, height)
	defer canvases.Put(shown)
	scale(shown, m)
	var out bytes.Buffer
	err := jpeg.Encode(&out, shown, &jpeg.Options{Quality: jpegQuality})
	return out.Bytes(), err
}

// tap is a pair of neighbouring pixels for linear interpolation. The field weight is the weight of the second pixel, in
// 256ths.
type tap struct{ at, next, weight int }

// tapsOf returns, for each pixel of a row of a smaller image, the two pixels of a row of the original that it
// interpolates. full and reduced are the lengths of the rows of the original and of the smaller image, in pixels.
func tapsOf(full, reduced, stride int) []tap {
	taps := make([]tap, reduced)
	for i := range taps {
		at := max((2*i+1)*full*128/reduced-128, 0) // in 256ths of a pixel
		k := min(at/256, full-1)
		taps[i] = tap{k * stride, min(k+1, full-1) * stride, at % 256}
	}
	return taps
}

// scale fills one image with another, reduced in size and interpolated bilinearly. The standard library's way needs
// four channels per pixel and takes twice as long.
func scale(into *image.RGBA, m *render.Image) {
	columns, rows := tapsOf(m.Width, into.Rect.Dx(), 3), tapsOf(m.Height, into.Rect.Dy(), 3*m.Width)
	for v, y := range rows {
		out := into.Pix[v*into.Stride:][:4*len(columns)]
		upper, lower := m.Pix[y.at:][:3*m.Width], m.Pix[y.next:][:3*m.Width]
		for i := range columns {
			x := &columns[i]
			a, b, c, d := upper[x.at:x.at+3], upper[x.next:x.next+3], lower[x.at:x.at+3], lower[x.next:x.next+3]
			wd := x.weight * y.weight
			wb, wc := x.weight*256-wd, y.weight*256-wd
			wa := 1<<16 - wb - wc - wd
			o := out[4*i : 4*i+4]
			for k := range 3 {
				o[k] = uint8((int(a[k])*wa + int(b[k])*wb + int(c[k])*wc + int(d[k])*wd + 1<<15) >> 16)
			}
			o[3] = 255
		}
	}
}

// seenJSON is an observation of a camera whose level has no images.
type seenJSON struct {
	Level      string          `json:"level"`
	Stamp      float64         `json:"stamp_s"`
	Detections []detectionJSON `json:"detections"` // the objects, at levels objects and truth
}

// detectionJSON is a detected object in the robot's frame: x forward, y left.
type detectionJSON struct {
	Kind    string  `json:"kind"`
	Name    string  `json:"name,omitempty"`
	Team    string  `json:"team,omitempty"`
	X       float64 `json:"x_m"`
	Y       float64 `json:"y_m"`
	Visible float64 `json:"visible_fraction"`
}

// seen returns an observation of a camera without an image.
func (f *frame) seen() *seenJSON {
	j := &seenJSON{string(f.obs.Level), f.obs.Stamp.Seconds(), []detectionJSON{}}
	if f.obs.Objects != nil {
		for _, d := range f.obs.Objects.Detections {
			j.Detections = append(j.Detections, detectionJSON{string(d.Kind), d.Name, d.Team, rounded(d.PosB[0]),
				rounded(d.PosB[1]), rounded(d.Visible)})
		}
	}
	return j
}
