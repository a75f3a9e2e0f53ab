package main

import (
	"context"
	"fmt"
	"io"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/worlds"
)

// drawingFlags are the flags that select the renderer of a command.
type drawingFlags struct {
	Renderer string `enum:"${renderers}" default:"auto" help:"What renders the images: opengl; tile, on the CPU, without a graphics driver; raycast, slow and exact; reference, a path tracer, physically accurate and slowest; or auto: opengl with a graphics card, otherwise tile. Default: ${default}."`
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

// printRenderer prints which renderer was used. It prints nothing if no renderer was used.
func printRenderer(out io.Writer, choice backend.Choice) {
	if choice.Name != "" {
		fmt.Fprintf(out, "renderer: %s\n", choice)
	}
}
