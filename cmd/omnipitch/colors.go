package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/omnipitch/omnipitch/cmd/internal/colortable"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/worlds"
)

// colorTable is the colour table that NuBot's node for a camera reads, with statistics of how it classifies pixels.
type colorTable struct {
	folder    string
	table     *calibration.ColorTable
	confusion *calibration.Confusion
}

// write writes the table into the folder that has the node's other files.
func (t *colorTable) write(files *calibration.Files) error {
	return t.table.Write(files, filepath.Join(t.folder, t.table.File()))
}

// maxColorSeeds is the maximum number of worlds from which a colour table is made. Each world is rendered 24 times.
const maxColorSeeds = 1000

// colored returns the worlds from which a colour table is made. This is the world of the camera or, with --seeds, a
// random world for each seed.
func (c *calibrationCmd) colored(site *cameraSite) (all []*worlds.World, err error) {
	if len(c.Seeds) == 0 {
		return []*worlds.World{site.world}, nil
	}
	for _, seed := range c.Seeds {
		w, err := site.world.WithSeed(seed)
		if err != nil {
			return nil, console.BadInput(err)
		}
		all = append(all, w)
	}
	return all, nil
}

// makeColors makes the colour table that NuBot's node for the camera reads.
func (c *calibrationCmd) makeColors(ctx context.Context, con console.Streams, site *cameraSite) (*colorTable, error) {
	table, confusion, err := c.learnColors(ctx, con, site)
	if err != nil {
		return nil, err
	}
	return &colorTable{c.nubotFolder(site), table, confusion}, nil
}

// learnColors makes a colour table, and measures how the table classifies pixels of images.
func (c *calibrationCmd) learnColors(ctx context.Context, con console.Streams,
	site *cameraSite) (*calibration.ColorTable, *calibration.Confusion, error) {
	in, err := c.colored(site)
	if err != nil {
		return nil, nil, err
	}
	space := colortable.Space(site.camera.Config())
	status := console.NewStatus(con, site.world.Name)
	defer status.Close()
	learn := func(h *calibration.ColorHistogram) *calibration.ColorTable { return h.Table(space) }
	seen, err := colortable.See(ctx, in, site.robotName(), site.camera.Config().Name, status.Set)
	if err != nil {
		return nil, nil, err
	}
	table, confusion, err := colortable.Learn(seen, learn, calibration.GreenColor, calibration.BallColor)
	if err != nil {
		return nil, nil, c.unseen(err)
	}
	return table, confusion, nil
}

// unseen returns err. It marks err as BadInput if err says that the camera does not see the colours that the table
// needs.
func (c *calibrationCmd) unseen(err error) error {
	if errors.Is(err, colortable.ErrUnseen) {
		return console.BadInputf("%s: --format %s: %w", c.Camera, c.Format, err)
	}
	return err
}

// writeCarpet writes the file with the colours of the carpet for format bit-bots. It prints which pixels these colours
// match.
func (c *calibrationCmd) writeCarpet(ctx context.Context, con console.Streams, site *cameraSite) error {
	in, err := c.colored(site)
	if err != nil {
		return err
	}
	status := console.NewStatus(con, site.world.Name)
	defer status.Close()
	seen, err := colortable.See(ctx, in, site.robotName(), site.camera.Config().Name, status.Set)
	if err != nil {
		return err
	}
	carpet, confusion, err := colortable.Learn(seen, (*calibration.ColorHistogram).Carpet, calibration.GreenColor)
	if err != nil {
		return c.unseen(err)
	}
	status.Close()
	var files calibration.Files
	if err := c.toFile(&files, con.Out, carpet.WriteBitBots); err != nil {
		return console.BadInputf("--out: %w", err)
	}
	fmt.Fprintf(con.Notes(), "%s as bit-bots: which pixels of raw images that it was not made from have the carpet's "+
		"colours, in percent:\n%s\n", c.Camera, confusion.Carpet())
	c.printReplaced(con, &files)
	return nil
}
