package bench

import (
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// crowdOf is a row of bench render --many: the images of many cameras at one instant.
type crowdOf struct {
	name    string
	sensor  string
	cameras int
	level   abstraction.Level
	size    int  // side of the images of a pinhole of 90°, pixels; 0: the sensor's own model
	truth   bool // also each pixel's label
	cube    int  // render.View.CubeFace
}

var crowds = []crowdOf{
	{name: "hundred_omni_640x640", sensor: "omni", cameras: 100, level: abstraction.Ideal},
	{name: "hundred_omni_640x640", sensor: "omni", cameras: 100, level: abstraction.Raw},
	{name: "hundred_omni_640x640_labels", sensor: "omni", cameras: 100, level: abstraction.Raw, truth: true},
	{name: "ten_omni_640x640_cube", sensor: "omni", cameras: 10, level: abstraction.Ideal, cube: 512},
	{name: "hundred_front_640x480", sensor: "front", cameras: 100, level: abstraction.Ideal},
	{name: "hundred_front_640x480", sensor: "front", cameras: 100, level: abstraction.Raw},
	{name: "thousand_64x64", sensor: "front", cameras: 1000, level: abstraction.Ideal, size: 64},
	{name: "thousand_64x64", sensor: "front", cameras: 1000, level: abstraction.Raw, size: 64},
	{name: "thousand_64x64_labels", sensor: "front", cameras: 1000, level: abstraction.Ideal, size: 64, truth: true},
	{name: "thousand_128x128", sensor: "front", cameras: 1000, level: abstraction.Ideal, size: 128},
}

// views returns the views of a crowd: those of all robots' sensors again and again, each with its own images.
func (c *crowdOf) views(s *stills) (all []render.View) {
	for i := range c.cameras {
		v := s.of[stillOf{s.world.Robots[i%len(s.world.Robots)].Name, c.sensor, c.level}]
		v.Depth, v.Ranging, v.CubeFace, v.NoiseKey = nil, nil, c.cube, v.NoiseKey+uint64(i)
		if c.size > 0 {
			half := float64(c.size) / 2
			v.Model = optics.Pinhole{Width: c.size, Height: c.size, FX: half, FY: half, CX: half - 0.5, CY: half - 0.5}
			if v.Chip != nil && len(v.Chip.Dirt) > 0 { // is for images of another size
				chip := *v.Chip
				chip.Dirt = nil
				v.Chip = &chip
			}
		}
		width, height := v.Model.Size()
		above := v.Color.Above != nil && c.cube == 0
		v.Color = render.NewImage(width, height)
		if above {
			v.Color.KeepAbove()
		}
		if c.truth {
			v.Truth = render.NewTruth(width, height)
		}
		all = append(all, v)
	}
	return all
}

// runMany measures all crowds in the world ten-robots, with as many renderers as a run has.
func (b *renderBench) runMany(ten *stills) error {
	for i := range crowds {
		c := &crowds[i]
		if c.cube > 0 && b.draws.Name != "opengl" {
			continue
		}
		draw, end, err := ten.drawTogether(b.draws, c.views(ten))
		if err != nil {
			return err
		}
		drawn, _, err := inTurns(b.ctx, b.rounds, draw, func() error { return nil })
		end()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		name := b.name(c.name, c.level)
		b.report.add(name, median(drawn.wall)/float64(c.cameras), "ms", len(drawn.wall))
		b.report.add(name+"_cpu", median(drawn.cpu)/float64(c.cameras), "ms", len(drawn.cpu))
		b.report.add(name+"_rate", 1e3*float64(c.cameras)/median(drawn.wall), "Hz", len(drawn.wall))
	}
	return nil
}
