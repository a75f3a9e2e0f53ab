package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
)

// sampling is how many paths of light backend.Reference follows for each pixel.
type sampling struct {
	Samples *int `placeholder:"N" help:"With --renderer reference: paths of light for each pixel; default: ${samples}. Ctrl-C keeps pictures with what they have."`

	mu     sync.Mutex
	fewest int // samples of an image that was stopped; 0 if none was
}

// mostSamples is where the noise is that of single precision.
const mostSamples = 1 << 20

// check judges what the flag says by itself.
func (s *sampling) check(renderer string) error {
	switch {
	case s.Samples == nil:
		return nil
	case renderer != backend.Reference:
		return fmt.Errorf("--samples: needs --renderer %s", backend.Reference)
	case *s.Samples < 1 || *s.Samples > mostSamples:
		return fmt.Errorf("--samples = %d: must be 1 to %d", *s.Samples, mostSamples)
	}
	return nil
}

// tracing says how images are drawn until ctx ends. It tells notify how many samples the image has that is being drawn.
func (s *sampling) tracing(ctx context.Context, notify func(text string)) render.Tracing {
	how := render.Tracing{Samples: s.count(), Stop: ctx.Done()}
	how.Progress = func(samples, of int) {
		notify(fmt.Sprintf("drawing, %d of %d samples", samples, of))
		if samples < of && ctx.Err() != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.fewest == 0 || samples < s.fewest {
				s.fewest = samples
			}
		}
	}
	return how
}

func (s *sampling) count() int {
	if s.Samples == nil {
		return render.DefaultSamples
	}
	return *s.Samples
}

// tell says whether images were stopped, and how far they had got.
func (s *sampling) tell(out io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fewest > 0 {
		fmt.Fprintf(out, "interrupted: the last pictures have %d of %d samples\n", s.fewest, s.count())
	}
}

// tracedSamples is how many paths each pixel gets by a renderer that follows some.
func (s *sampling) tracedSamples(renderer string) int {
	if renderer != backend.Reference {
		return 0
	}
	return s.count()
}
