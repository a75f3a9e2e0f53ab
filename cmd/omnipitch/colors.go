package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/omnipitch/omnipitch/cmd/colortable"
	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/render/calibration"
)

// colorTable is what NuBot's node for a camera calls colours, and what it makes of images.
type colorTable struct {
	folder    string
	table     *calibration.ColorTable
	confusion *calibration.Confusion
}

// write writes the table beside the node's other files.
func (t *colorTable) write(files *calibration.Files) error {
	return t.table.Write(files, filepath.Join(t.folder, t.table.File()))
}

// makeColors makes the colour table that NuBot's node for such a camera reads.
func (c *calibrationCmd) makeColors(ctx context.Context, con console.Streams, site *cameraSite) (*colorTable, error) {
	space := calibration.BGR
	if site.camera.Config().Mirror != nil {
		space = calibration.YUV
	}
	status := console.NewStatus(con.Err, site.world.Name)
	defer status.Close()
	table, confusion, err := colortable.Make(ctx, site.world, site.robotName(), site.camera.Config().Name, space, (*calibration.ColorCounts).Table, status.Set,
		calibration.GreenColor, calibration.BallColor)
	if err != nil {
		return nil, c.unseen(err)
	}
	return &colorTable{c.nubotFolder(site), table, confusion}, nil
}

// unseen makes bad input of a camera that does not see what a table is made of.
func (c *calibrationCmd) unseen(err error) error {
	if errors.Is(err, colortable.ErrUnseen) {
		return exit.BadInputf("%s: --format %s: %w", c.Camera, c.Format, err)
	}
	return err
}

// writeCarpet writes the carpet's colours for format bit-bots, and says which pixels are taken for it.
func (c *calibrationCmd) writeCarpet(ctx context.Context, con console.Streams, site *cameraSite) error {
	status := console.NewStatus(con.Err, site.world.Name)
	defer status.Close()
	carpet, confusion, err := colortable.Make(ctx, site.world, site.robotName(), site.camera.Config().Name, calibration.BGR, (*calibration.ColorCounts).Carpet, status.Set,
		calibration.GreenColor)
	if err != nil {
		return c.unseen(err)
	}
	status.Close()
	var files calibration.Files
	if err := c.toFile(&files, con.Out, carpet.WriteBitBots); err != nil {
		return exit.BadInputf("--out: %w", err)
	}
	fmt.Fprintf(con.Err, "%s as bit-bots: which pixels of raw images that had no part in it have the carpet's colours, in percent:\n%s\n", c.Camera, confusion.Carpet())
	c.tellReplaced(con, &files)
	return nil
}
