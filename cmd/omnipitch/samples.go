package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
)

// samplingFlags set how many light paths the renderer backend.Reference traces for each pixel.
type samplingFlags struct {
	Samples *int `placeholder:"N" help:"With --renderer reference: light paths per pixel. Default: ${samples}. Ctrl-C keeps the images with the samples they have."`

	mu     sync.Mutex
	fewest int // samples of the least finished image that was interrupted; 0 if none was
}

// maxSamples is the number of samples above which rounding in single precision exceeds the noise.
const maxSamples = 1 << 20

// check checks the flag for a renderer.
func (s *samplingFlags) check(renderer string) error {
	switch {
	case s.Samples == nil:
		return nil
	case renderer != backend.Reference:
		return fmt.Errorf("--samples: needs --renderer %s", backend.Reference)
	case *s.Samples < 1 || *s.Samples > maxSamples:
		return fmt.Errorf("--samples = %d: must be 1 to %d", *s.Samples, maxSamples)
	}
	return nil
}

// tracing returns the settings for images that are traced until ctx ends. It calls notify with the number of samples of
// the current image.
func (s *samplingFlags) tracing(ctx context.Context, notify func(text string)) render.Tracing {
	settings := render.Tracing{Samples: s.count(), Stop: ctx.Done()}
	settings.Progress = func(samples, of int) {
		notify(fmt.Sprintf("drawing, %d of %d samples", samples, of))
		if samples < of && ctx.Err() != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.fewest == 0 || samples < s.fewest {
				s.fewest = samples
			}
		}
	}
	return settings
}

func (s *samplingFlags) count() int {
	if s.Samples == nil {
		return render.DefaultSamples
	}
	return *s.Samples
}

// reportInterrupted prints how many samples the last images have, if they were interrupted.
func (s *samplingFlags) reportInterrupted(out io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fewest > 0 {
		fmt.Fprintf(out, "interrupted: the last images have %d of %d samples\n", s.fewest, s.count())
	}
}

// tracedSamples returns the samples per pixel of a renderer, 0 if it does not trace paths.
func (s *samplingFlags) tracedSamples(renderer string) int {
	if renderer != backend.Reference {
		return 0
	}
	return s.count()
}
