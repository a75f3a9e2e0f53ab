package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"strings"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/dataset"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/robotio/python"
	"github.com/omnipitch/omnipitch/worlds"
)

// pythonCmd is a hidden command. The Python package omnipitch starts this executable with it.
type pythonCmd struct {
	Memory int `required:"" placeholder:"N" help:"Number of the open file that is the shared memory."`
}

func (c pythonCmd) Run(ctx context.Context) error {
	context.AfterFunc(ctx, func() { os.Exit(console.ExitDone) }) // there is nothing to save
	return python.Serve(os.Stdin, os.Stdout, c.Memory, python.Hooks{OpenDataset: openDataset, Assess: assessVision,
		Picture: pictureOf})
}

// frames is a data set for Python.
type frames struct {
	*dataset.Frames
	config *dataset.Config
}

func openDataset(w *worlds.World, options json.RawMessage) (python.Dataset, error) {
	c := &dataset.Config{World: w, Name: w.Name, Split: [3]float64{0.8, 0.1, 0.1}, Jobs: 1}
	var flags struct {
		Frames   int               `json:"frames"`
		PerScene int               `json:"per_scene"`
		Sensors  []string          `json:"sensors"`
		Level    abstraction.Level `json:"level"`
		Formats  []dataset.Format  `json:"formats"`
		Renderer string            `json:"renderer"`
	}
	if err := json.Unmarshal(options, &flags); err != nil {
		return nil, err
	}
	names := strings.NewReplacer("--per-scene", "per_scene", "--format", "labels", "--", "")
	c.Frames, c.PerScene, c.Cameras, c.Level, c.Renderer = flags.Frames, flags.PerScene, flags.Sensors, flags.Level,
		flags.Renderer
	c.Formats = append(flags.Formats, dataset.COCO) // one is needed
	opened, err := c.Open()
	if err != nil {
		return nil, errors.New(names.Replace(err.Error()))
	}
	return frames{opened, c}, nil
}

// Categories returns the number of each category of objects, and the meaning of each value of the class image.
func (f frames) Categories() any {
	all, categories := dataset.CategoriesOf(f.config.World), map[string]int{}
	for i := range all {
		categories[all[i].Name] = all[i].ID
	}
	return map[string]any{"categories": categories, "classes": dataset.ClassNames(all)}
}

func (f frames) Draw(ctx context.Context, number int, use func(any, []python.Pixels) error) error {
	if number < 0 || number >= f.config.Frames {
		return fmt.Errorf("frame %d: must lie in [0, %d)", number, f.config.Frames)
	}
	return f.Frames.Draw(ctx, number, func(l *dataset.Labelled) error {
		h, w := l.Height, l.Width
		pixels := []python.Pixels{python.PixelsOf("image", l.Color.Pix, h, w, 3)}
		if l.Classes != nil {
			pixels = append(pixels, python.PixelsOf("classes", l.Classes, h, w),
				python.PixelsOf("instances", l.Instances, h, w))
		}
		if l.Depth != nil {
			pixels = append(pixels, python.PixelsOf("depth", l.Depth, h, w))
		}
		if l.Range != nil {
			pixels = append(pixels, python.PixelsOf("range", l.Range, h, w))
		}
		if l.Measured != nil {
			pixels = append(pixels, python.PixelsOf("measured", l.Measured.Z, l.Measured.Height, l.Measured.Width))
		}
		if l.Normals != nil {
			pixels = append(pixels, python.PixelsOf("normals", l.Normals, h, w, 3))
		}
		if l.Flow != nil {
			pixels = append(pixels, python.PixelsOf("flow", l.Flow, h, w, 2))
		}
		return use(l.Frame, pixels)
	})
}

// pictureOf returns a PNG file of what a camera sees, or of the place from above.
func pictureOf(sim *omnipitch.Sim, camera string) ([]byte, error) {
	all, err := output.Moment(sim, []string{camera})
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	err = png.Encode(&file, all[len(all)-1])
	return file.Bytes(), err
}
