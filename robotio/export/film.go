package export

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"golang.org/x/image/draw"

	"github.com/omnipitch/omnipitch/robotio/recording"
)

// Frames takes the pictures of a film, all of one size, which are shown one after another for equally long.
type Frames interface {
	// Add appends a picture, which it does not keep.
	Add(m *image.RGBA) error
	// End writes what is left. It fails where no picture has come.
	End() error
}

// FilmConfig says how a film is made.
type FilmConfig struct {
	Rate  float64 // pictures a second of sim time, which the film shows in a second
	Width int     // of the film in pixels; 0 is that of the pictures
}

// Validate reports every value that is out of range.
func (c FilmConfig) Validate() error {
	var errs []error
	if !(c.Rate >= 0.1 && c.Rate <= 50) { // GIF has no more
		errs = append(errs, fmt.Errorf("rate = %v: must lie in [0.1, 50] Hz", c.Rate))
	}
	if c.Width != 0 && (c.Width < 16 || c.Width > 4096) {
		errs = append(errs, fmt.Errorf("width = %d: must lie in [16, 4096]", c.Width))
	}
	return errors.Join(errs...)
}

// Film makes a film of pictures that come at any times: each of its frames shows the newest picture there is then. It
// is for one goroutine.
type Film struct {
	cfg    FilmConfig
	frames Frames
	size   image.Point // of the first picture
	shown  *image.RGBA // the newest picture; nil before the first
	began  time.Duration
	count  int // frames so far
}

// NewFilm begins a film. cfg must be valid.
func NewFilm(cfg FilmConfig, frames Frames) *Film { return &Film{cfg: cfg, frames: frames} }

// maxFrames bounds a film, whatever times a recording says: an hour of 50 Hz.
const maxFrames = 180_000

// due is the time of the next frame.
func (f *Film) due() time.Duration {
	return f.began + time.Duration(float64(f.count)/f.cfg.Rate*float64(time.Second))
}

// Show takes a picture, which it does not keep. Times must not go back. It fails where the picture has another size
// than the first.
func (f *Film) Show(at time.Duration, m image.Image) error {
	size := m.Bounds().Size()
	if f.shown == nil {
		if size.X <= 0 || size.Y <= 0 {
			return fmt.Errorf("a picture of %d × %d pixels: must have some", size.X, size.Y)
		}
		to := size
		if f.cfg.Width > 0 {
			to = image.Pt(f.cfg.Width, max(1, (size.Y*f.cfg.Width+size.X/2)/size.X))
		}
		f.began, f.size, f.shown = at, size, image.NewRGBA(image.Rectangle{Max: to})
	}
	if size != f.size {
		return fmt.Errorf("a picture of %d × %d pixels: must be of %d × %d, as the first", size.X, size.Y, f.size.X,
			f.size.Y)
	}
	if float64(at-f.began)*f.cfg.Rate > maxFrames*float64(time.Second) {
		return fmt.Errorf("a film from %v to %v: must have at most %d frames", f.began, at, maxFrames)
	}
	for f.due() < at {
		if err := f.next(); err != nil {
			return err
		}
	}
	if f.cfg.Width == 0 {
		draw.Copy(f.shown, image.Point{}, m, m.Bounds(), draw.Src, nil)
	} else {
		draw.ApproxBiLinear.Scale(f.shown, f.shown.Rect, m, m.Bounds(), draw.Src, nil)
	}
	return nil
}

// next appends a frame.
func (f *Film) next() error {
	f.count++
	return f.frames.Add(f.shown)
}

// End ends the film with a frame of the last picture.
func (f *Film) End() error {
	if f.shown != nil {
		if err := f.next(); err != nil {
			return err
		}
	}
	return f.frames.End()
}

// Pictures makes a film of the selected images, which must all be of one topic: sensor_msgs/Image, or CompressedImage
// as PNG or JPEG. It fails where the recording does, where images have different sizes or encodings that it does not
// know, where frames do, and with ctx.
func Pictures(ctx context.Context, r *recording.Reader, s Selection, cfg FilmConfig, frames Frames) error {
	p, err := s.pick(r, "topic of images",
		func(c *recording.ChannelInfo) bool { return recording.IsImage(c.Schema.Name) })
	if err != nil {
		return err
	}
	topic := ""
	for _, c := range r.Channels() {
		if p.channels[c] && topic != "" && c.Topic != topic {
			return fmt.Errorf("%s: topics %.200s and %.200s have images: a film shows those of one", r.Path(), topic,
				c.Topic)
		}
		if p.channels[c] {
			topic = c.Topic
		}
	}
	film := NewFilm(cfg, frames)
	if err := p.each(ctx, func(m recording.Message) error {
		picture, err := recording.DecodeImage(m.Channel.Schema.Name, m.Data)
		if err != nil {
			return p.wrong(m, err)
		}
		return film.Show(m.LogTime, picture)
	}); err != nil {
		return err
	}
	return film.End()
}
