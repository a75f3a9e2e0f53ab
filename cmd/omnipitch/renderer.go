package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/worlds"
)

// drawingFlags are the flags that select the renderer of a command.
type drawingFlags struct {
	Renderer string `enum:"${renderers}" default:"auto" help:"What renders the images: opengl; tile, on the CPU, without a graphics driver; raycast, slow and exact; reference, a path tracer, physically accurate and slowest; or auto: with a graphics card the faster one of opengl and tile, otherwise tile. Default: ${default}."`
}

// newSim builds a simulation. It calls the function notify with a text whenever a part of this takes long. The argument
// topics has the topics of the world's conditions, or is nil. The function configure, if not nil, changes the options.
// tracing has the settings of the renderer backend.Reference. If ctx ends before the simulation is built, newSim
// returns console.ErrInterrupted.
func (d *drawingFlags) newSim(ctx context.Context, w *worlds.World, topics *robotio.Topics,
	configure func(*omnipitch.Options), tracing render.Tracing, notify func(text string)) (*omnipitch.Sim, error) {
	opts := omnipitch.Options{Renderer: d.Renderer, Notify: notify, Tracing: tracing}
	if topics != nil {
		opts.Topics = topics
	}
	if configure != nil {
		configure(&opts)
	}
	return console.Await(ctx, func() (*omnipitch.Sim, error) { return omnipitch.New(w, opts) }, (*omnipitch.Sim).Close)
}

// renderEarly configures a simulation whose images are certainly wanted.
func renderEarly(opts *omnipitch.Options) { opts.RenderEarly = true }

// printRenderer prints which renderer was used. It prints nothing if no renderer was used.
func printRenderer(out io.Writer, choice backend.Choice) {
	if choice.Name != "" {
		fmt.Fprintf(out, "renderer: %s\n", choice)
	}
}

// samplingFlags are the flags for the number of light paths per pixel that the renderer backend.Reference traces.
type samplingFlags struct {
	Samples *int `placeholder:"N" help:"With --renderer reference: light paths per pixel. Default: ${samples}. Ctrl-C keeps the images with the samples they have."`

	mu sync.Mutex
	// fewest is the smallest number of samples of all images that were interrupted; 0 if no image was interrupted.
	fewest int
}

// maxSamples is the maximum of --samples. With more samples per pixel, the rounding error of single precision would
// exceed the noise.
const maxSamples = 1 << 20

// check returns an error if the flag is invalid or does not apply to the renderer.
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

// tracing returns the settings for tracing images until ctx ends. The function notify is called with a text that says
// how many samples the current image has.
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

// reportInterrupted prints how many samples the last images have. It prints nothing if no image was interrupted.
func (s *samplingFlags) reportInterrupted(out io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fewest > 0 {
		fmt.Fprintf(out, "interrupted: the last images have %d of %d samples\n", s.fewest, s.count())
	}
}

// tracedSamples returns the number of samples per pixel for a renderer. It is 0 for a renderer that does not trace
// paths.
func (s *samplingFlags) tracedSamples(renderer string) int {
	if renderer != backend.Reference {
		return 0
	}
	return s.count()
}
