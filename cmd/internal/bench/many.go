package bench

import (
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
)

// cameras is a row of bench render --many: the images of many cameras at one instant.
type cameras struct {
	name   string
	sensor string
	level  abstraction.Level
	times  float64 // number of cameras per camera that --many asks for
	size   int     // side of the images of a pinhole of 90°, pixels; 0: the sensor's own model
	labels bool    // also each pixel's label
	truth  bool    // also the whole ground truth of each pixel
	cube   int     // render.View.CubeFace
	goal   float64 // images per second of bench card; 0: none
}

// result returns the name of the cameras' result with a renderer.
func (c *cameras) result(by backend.Choice) string {
	return (&renderBench{draws: by}).name(c.name, c.level)
}

var manyCameras = []cameras{
	{name: "many_omni_640x640", sensor: "omni", level: abstraction.Ideal, times: 1},
	{name: "many_omni_640x640", sensor: "omni", level: abstraction.Raw, times: 1, goal: 3_000},
	{name: "many_omni_640x640_labels", sensor: "omni", level: abstraction.Raw, times: 1, labels: true},
	{name: "many_omni_640x640_truth", sensor: "omni", level: abstraction.Raw, times: 1, truth: true},
	{name: "many_omni_640x640_cube", sensor: "omni", level: abstraction.Ideal, times: 0.1, cube: 512},
	{name: "many_front_640x480", sensor: "front", level: abstraction.Ideal, times: 1},
	{name: "many_front_640x480", sensor: "front", level: abstraction.Raw, times: 1, goal: 5_000},
	{name: "many_64x64", sensor: "front", level: abstraction.Ideal, times: 10, size: 64},
	{name: "many_64x64", sensor: "front", level: abstraction.Raw, times: 10, size: 64, goal: 50_000},
	{name: "many_64x64_labels", sensor: "front", level: abstraction.Ideal, times: 10, size: 64, labels: true},
	{name: "many_128x128", sensor: "front", level: abstraction.Ideal, times: 10, size: 128},
}

// views returns the views of the cameras if --many asks for a number of them: those of all robots' sensors again and
// again, each with its own images.
func (c *cameras) views(s *stills, many int) (all []render.View) {
	for i := range max(1, int(c.times*float64(many))) {
		v := s.of[stillOf{s.world.Robots[i%len(s.world.Robots)].Name, c.sensor, c.level}]
		v.Depth, v.Ranging, v.CubeFace, v.NoiseKey = nil, nil, c.cube, v.NoiseKey+uint64(i)
		if c.size > 0 {
			half := float64(c.size) / 2
			v.Model = optics.Pinhole{Width: c.size, Height: c.size, FX: half, FY: half, CX: half - 0.5,
				CY: half - 0.5}
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
		switch {
		case c.labels:
			v.Truth = &render.Truth{Width: width, Height: height, Labels: make([]uint16, width*height)}
		case c.truth:
			v.Truth, v.Before = render.NewTruth(width, height), &render.Before{PosesWB: s.posesWB, PoseWC: v.PoseWC}
		}
		all = append(all, v)
	}
	return all
}

// runMany measures many cameras in the world ten-robots, with as many renderers as a run has. With OpenGL it also
// measures how long the device takes for each pass of one renderer.
func (b *renderBench) runMany(ten *stills, many int, natural bool) error {
	look := ""
	if natural {
		ten, look = ten.natural(), "natural_"
	}
	var device *backend.OpenGLRenderer
	if b.draws.Name == "opengl" {
		var err error
		if device, err = backend.NewOpenGL(ten.scene); err != nil {
			return err
		}
		defer device.Close()
	}
	renderers, err := ten.open(b.draws)
	if err != nil {
		return err
	}
	defer renderers.close()
	for i := range manyCameras {
		c := &manyCameras[i]
		if c.cube > 0 && b.draws.Name != "opengl" {
			continue
		}
		views := c.views(ten, many)
		drawn, _, err := inTurns(b.ctx, b.rounds, ten.drawTogether(renderers, views), func() error { return nil })
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		name := look + c.result(b.draws)
		b.report.add(name, median(drawn.wall)/float64(len(views)), "ms", len(drawn.wall))
		b.report.add(name+"_cpu", median(drawn.cpu)/float64(len(views)), "ms", len(drawn.cpu))
		b.report.add(name+"_rate", 1e3*float64(len(views))/median(drawn.wall), "Hz", len(drawn.wall))
		if device != nil && (!c.labels && !c.truth || device.DrawsTruth()) {
			if err := b.addPasses(device, ten, views, name); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	return nil
}

// addPasses adds the times of the passes, for one image. name is that of the other results.
func (b *renderBench) addPasses(device *backend.OpenGLRenderer, ten *stills, views []render.View,
	name string) error {
	batch := &render.Batch{PosesWB: ten.posesWB, Views: views}
	if err := device.Render(batch); err != nil { // prepares what later batches use again
		return err
	}
	passes, err := device.TimePasses(batch)
	if err != nil {
		return err
	}
	for _, p := range passes {
		b.report.add(name+"_device_"+p.Pass, p.Time.Seconds()*1e3/float64(len(views)), "ms", 1)
	}
	return nil
}
