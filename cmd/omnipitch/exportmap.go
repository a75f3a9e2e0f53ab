package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/occupancy"
)

const defaultResolution = 0.05 // of gmapping, slam_toolbox and most maps, m

// checkMap checks the flags for a map.
func (c *exportCmd) checkMap() error {
	if len(c.Topic) > 0 || c.From != 0 || c.For != 0 || c.Rate != 0 {
		return errors.New("--topic, --from, --for, --rate: a map has no messages and no time")
	}
	if strings.EqualFold(filepath.Ext(c.Out), ".pgm") {
		return fmt.Errorf("--out = %q: must be the name of the map.yaml; the image is written beside it", c.Out)
	}
	return nil
}

// occupancyMap writes the map of a world, or of the world of a recording.
func (c *exportCmd) occupancyMap(ctx context.Context, con console.Streams) error {
	w, err := c.world(ctx, con)
	if err != nil {
		return err
	}
	height, resolution := w.LaserHeight(), defaultResolution
	if c.Height != nil {
		height = *c.Height
	}
	if c.Resolution != nil {
		resolution = *c.Resolution
	}
	grid, err := occupancy.Of(w.Model(), height, resolution)
	if err != nil {
		return console.BadInputf("--%w", err)
	}
	name := strings.TrimSuffix(c.Out, filepath.Ext(c.Out))
	image, err := aside.Create(name+".pgm", c.Overwrite)
	if err != nil {
		return console.BadInputf("--out %s: %w", c.Out, err)
	}
	defer image.Discard()
	meta, err := aside.Create(c.Out, c.Overwrite)
	if err != nil {
		return console.BadInputf("--out %s: %w", c.Out, err)
	}
	defer meta.Discard()
	err = errors.Join(grid.WritePGM(image), grid.WriteYAML(meta, filepath.Base(image.Path())))
	if err == nil {
		err = image.Finish()
	}
	if err == nil {
		err = meta.Finish()
	}
	if err != nil {
		return console.Unavailablef("--out %s: %w", c.Out, err)
	}
	return nil
}

// world returns the world to export.
func (c *exportCmd) world(ctx context.Context, con console.Streams) (*worlds.World, error) {
	if name := strings.TrimSuffix(c.File, aside.Suffix); filepath.Ext(name) != ".mcap" {
		return loadWorld(ctx, con, c.File, nil)
	}
	r, err := openRecording(ctx, con, c.File, replay.Open)
	if err != nil {
		return nil, err
	}
	return r.World, r.Close()
}
