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

// drawing is how a command's images are drawn.
type drawing struct {
	Renderer string `enum:"${renderers}" default:"auto" help:"What draws the pictures: opengl, tile (on the processor, without a graphics driver), raycast (slow and exact), reference (light as it is, by paths; slowest), or auto: opengl on a graphics card, else tile. Default: ${default}."`
}

// newSim builds a simulation that reports to notify what takes long. topics, if not nil, are what its conditions hear,
// hook, if not nil, changes what it is made with, and how is how backend.Reference draws. It ends with console.ErrInterrupted
// when ctx does.
func (d *drawing) newSim(ctx context.Context, w *worlds.World, topics *robotio.Topics, hook func(*omnipitch.Options),
	how render.Tracing, notify func(text string)) (*omnipitch.Sim, error) {
	opts := omnipitch.Options{Renderer: d.Renderer, Notify: notify, Tracing: how}
	if topics != nil {
		opts.Topics = topics
	}
	if hook != nil {
		hook(&opts)
	}
	return console.Await(ctx, func() (*omnipitch.Sim, error) { return omnipitch.New(w, opts) }, (*omnipitch.Sim).Close)
}

// tellRenderer says what draws, if anything does.
func tellRenderer(out io.Writer, draws backend.Choice) {
	if draws.Name != "" {
		fmt.Fprintf(out, "renderer: %s\n", draws)
	}
}
