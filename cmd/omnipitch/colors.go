package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/omnipitch/omnipitch/cmd/colortable"
	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/render/calibration"
)

// writeColors writes the colour table that NuBot's node for such a camera reads, beside its other files, and says what it takes for what.
func (c *calibrationCmd) writeColors(ctx context.Context, con console.Streams, site *cameraSite) error {
	space := calibration.BGR
	if site.camera.Config().Mirror != nil {
		space = calibration.YUV
	}
	status := console.NewStatus(con.Err, site.world.Name)
	defer status.Close()
	table, confusion, err := colortable.Make(ctx, site.world, site.robotName(), site.camera.Config().Name, space, (*calibration.ColorCounts).Table, status.Set)
	if err != nil {
		return err
	}
	path := filepath.Join(c.nubotFolder(site), table.File())
	if err := table.Write(path); err != nil {
		return exit.BadInputf("--out: %w", err)
	}
	status.Close()
	fmt.Fprintf(con.Err, "%s: what %s calls the pixels of raw images that had no part in it, in percent:\n%s\n", c.Camera, table.File(), confusion)
	return nil
}

// writeCarpet writes the carpet's colours for format bit-bots, and says which pixels are taken for it.
func (c *calibrationCmd) writeCarpet(ctx context.Context, con console.Streams, site *cameraSite) error {
	status := console.NewStatus(con.Err, site.world.Name)
	defer status.Close()
	carpet, confusion, err := colortable.Make(ctx, site.world, site.robotName(), site.camera.Config().Name, calibration.BGR, (*calibration.ColorCounts).Carpet, status.Set)
	if err != nil {
		return err
	}
	status.Close()
	if err := toFile(c.Out, con.Out, carpet.WriteBitBots); err != nil {
		return exit.BadInputf("--out: %w", err)
	}
	fmt.Fprintf(con.Err, "%s as bit-bots: which pixels of raw images that had no part in it have the carpet's colours, in percent:\n%s\n", c.Camera, confusion)
	return nil
}
