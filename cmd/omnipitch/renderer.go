package main

import (
	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/backend"
)

// drawing is how a command's pictures are drawn.
type drawing struct {
	Renderer string `enum:"opengl,raycast" default:"opengl" help:"What draws the pictures: opengl, or raycast, which needs no graphics driver and is slower. Default: ${default}."`
}

func (d *drawing) options() omnipitch.Options {
	if d.Renderer == "raycast" {
		return omnipitch.Options{NewRenderer: backend.RayCaster}
	}
	return omnipitch.Options{}
}
