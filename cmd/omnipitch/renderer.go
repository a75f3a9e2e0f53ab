package main

import (
	"context"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/worlds"
)

// drawing is how a command's images are drawn.
type drawing struct {
	Renderer string `enum:"opengl,raycast" default:"opengl" help:"What draws the pictures: opengl, or raycast, which needs no graphics driver and is slower. Default: ${default}."`
}

// newRenderer returns what makes a renderer; nil is OpenGL's.
func (d *drawing) newRenderer() func(*render.Scene) (render.Renderer, error) {
	if d.Renderer == "raycast" {
		return backend.RayCaster
	}
	return nil
}

// newSim builds a simulation that reports to notify what takes long. topics, if not nil, are what its conditions hear. It ends with exit.ErrNotBegun when ctx does.
func (d *drawing) newSim(ctx context.Context, w *worlds.World, topics *robotio.Topics, notify func(text string)) (*omnipitch.Sim, error) {
	opts := omnipitch.Options{NewRenderer: d.newRenderer(), Notify: notify}
	if topics != nil {
		opts.Topics = topics
	}
	return exit.Await(ctx, func() (*omnipitch.Sim, error) { return omnipitch.New(w, opts) }, (*omnipitch.Sim).Close)
}
