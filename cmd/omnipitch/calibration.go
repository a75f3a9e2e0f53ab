package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/colortable"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// formats are the formats of --format.
var formats = []string{"opencv", "ros", "ocamcalib", "nubot", "bit-bots", "refbot"}

type calibrationCmd struct {
	World  string      `arg:"" optional:"" help:"Name of a built-in world, or the path of a world file."`
	Camera string      `arg:"" optional:"" placeholder:"ROBOT.SENSOR" help:"The camera, such as cyan1.omni. Omit it for format refbot, which covers all omni and front cameras at level raw."`
	Fit    string      `placeholder:"MARKS.csv" help:"Instead of a world: fit camera models to a real camera's marks, and write the camera for a world file. The file has the columns u_px, v_px, x_m, y_m: pixels, and the points of the floor or a chessboard that are there; for several images the column view, too."`
	Size   string      `placeholder:"WxH" help:"For --fit: width and height of the images, such as 640x480."`
	Lens   string      `placeholder:"MODEL" help:"For --fit: write this model (${lenses}). Default: the one that describes the marks best."`
	Format string      `default:"opencv" enum:"${formats}" help:"Format of the parameters: ${enum}."`
	Seeds  suite.Seeds `placeholder:"SEEDS" help:"For nubot, bit-bots and refbot: make one colour table from the world drawn with each of these seeds: 1..8, 7, or 1,5,9. Default: the world's seed."`
	Out    *string     `placeholder:"PATH" help:"File to write. An existing file is replaced. For nubot a folder, which may hold the files of several robots, but of only one front camera per robot. For refbot a folder with a subfolder for each robot. Default: standard output."`
}

// Check checks the flags without reading any file.
func (c *calibrationCmd) Check() error {
	switch {
	case c.Out != nil && *c.Out == "":
		return errors.New("--out = \"\": must name a file")
	case c.Fit != "":
		return c.checkFit()
	case c.Size != "" || c.Lens != "":
		return errors.New("--size and --lens: need --fit")
	case c.World == "":
		return errors.New("names no world: omnipitch calibration WORLD ROBOT.SENSOR, or --fit MARKS.csv")
	case c.Out == nil && (c.Format == "nubot" || c.Format == "refbot"):
		return fmt.Errorf("--format %s: needs --out DIR: it is several files", c.Format)
	case c.Camera == "" && c.Format != "refbot":
		return fmt.Errorf("--format %s: needs ROBOT.SENSOR, the camera", c.Format)
	case c.Camera != "" && c.Format == "refbot":
		return errors.New("--format refbot: is for all of a world's cameras, and takes no ROBOT.SENSOR")
	case len(c.Seeds) > 0 && c.Format != "nubot" && c.Format != "bit-bots" && c.Format != "refbot":
		return fmt.Errorf("--seeds: needs --format nubot, bit-bots or refbot: %s has no colours", c.Format)
	case len(c.Seeds) > maxColorSeeds:
		return fmt.Errorf("--seeds: %d seeds: must be at most %d", len(c.Seeds), maxColorSeeds)
	}
	return nil
}

func (c *calibrationCmd) Run(ctx context.Context, con console.Streams) error {
	if c.Fit != "" {
		return c.fitMarks(ctx, con)
	}
	w, err := loadWorld(ctx, con, c.World, nil)
	if err != nil {
		return err
	}
	if err := c.checkFolder(); err != nil {
		return err
	}
	if c.Format == "refbot" {
		return c.writeRefbot(ctx, con, w)
	}
	robot, sensor, _ := strings.Cut(c.Camera, ".")
	cfg, ok := w.Sensor(robot, sensor)
	if !ok {
		return console.BadInputf("%s: there is no such sensor in %s%s", c.Camera, c.World, cameras(w, c.Camera))
	}
	if !cfg.Kind.TakesImages() {
		return console.BadInputf("%s: kind = %q: only cameras can be calibrated%s", c.Camera, cfg.Kind, cameras(w, ""))
	}
	r := slices.IndexFunc(w.Robots, func(r worlds.Robot) bool { return r.Name == robot })
	site, err := newCameraSite(w, r, slices.IndexFunc(w.Robots[r].Sensors,
		func(s sensors.Config) bool { return s.Name == sensor }))
	if err != nil {
		return console.BadInputf("%s: %w", c.Camera, err)
	}
	if c.Format == "bit-bots" {
		return c.writeCarpet(ctx, con, site)
	}
	model, err := calibration.Central(site.camera.Model(), site.camera.PoseBC())
	if err != nil {
		return console.BadInputf("%s: %w", c.Camera, err)
	}
	fit, err := c.fit(site, model)
	if err != nil {
		return console.BadInputf("%s: --format %s: %w%s", c.Camera, c.Format, err, c.others(site, model))
	}
	var colors *colorTable
	// The colour table is made before any file is written. A camera that does not see the field then gets no files.
	if c.Format == "nubot" {
		if colors, err = c.makeColors(ctx, con, site); err != nil {
			return err
		}
	}
	var files calibration.Files
	err = fit.write(&files, con.Data())
	if err == nil && colors != nil {
		err = colors.write(&files)
	}
	if err != nil {
		return console.BadInputf("--out: %w", err)
	}
	fmt.Fprintf(con.Notes(), "%s as %s: %s\n", c.Camera, c.Format, fit.summary)
	fmt.Fprintf(con.Notes(), "%s: %s\n", c.Camera, calibration.Front(model, site.camera.PoseBC()))
	c.warn(con, site, model, fit)
	if c.Format == "nubot" {
		c.printNuBotHints(con, site)
	}
	if m, ok := model.(optics.Central); ok {
		// top is the height of robots. reach is the distance within which the errors matter. Both are in metres.
		const top, reach = 0.8, 6
		off := calibration.Parallax(m, site.camera.PoseBC().Pos[2], top, reach)
		fmt.Fprintf(con.Notes(), "%s has no single viewpoint; rendered with one (method = \"direct\"), objects up to "+
			"%v m high within %v m are off by: %s\n", c.Camera, top, reach, off.String("px"))
	}
	if colors != nil {
		fmt.Fprintf(con.Notes(), "%s: how %s classifies pixels of raw images that it was not made from, in "+
			"percent:\n%s\n",
			c.Camera, colors.table.File(), colors.confusion)
	}
	c.printReplaced(con, &files)
	return nil
}

// checkFolder returns an error if the format needs a folder but --out is a file.
func (c *calibrationCmd) checkFolder() error {
	if c.Format != "nubot" && c.Format != "refbot" {
		return nil
	}
	if info, err := os.Stat(*c.Out); err == nil && !info.IsDir() {
		return console.BadInputf("--out %s: is a file: --format %s writes a folder", *c.Out, c.Format)
	}
	return nil
}

// cameras returns a part of an error message: a suggestion for a misspelled camera name, and a list of the world's
// cameras.
func cameras(w *worlds.World, name string) string {
	var all []string
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if s := &w.Robots[i].Sensors[j]; s.Kind.TakesImages() {
				all = append(all, w.Robots[i].Name+"."+s.Name)
			}
		}
	}
	if len(all) == 0 {
		return "; it has no cameras"
	}
	text := rules.DidYouMean(name, all)
	const most = 20
	if more := len(all) - most; more > 0 {
		all = append(all[:most], fmt.Sprintf("and %d more", more))
	}
	if text == "" {
		return "; cameras: " + strings.Join(all, ", ")
	}
	return text + " Cameras: " + strings.Join(all, ", ")
}

// printReplaced prints which files were replaced although they had other data. This is the data of another camera or of
// another field.
func (c *calibrationCmd) printReplaced(con console.Streams, files *calibration.Files) {
	if len(files.Replaced) > 0 {
		fmt.Fprintf(con.Err, "%s: replaced %s, which held other data: another --out keeps both\n", c.Camera,
			strings.Join(files.Replaced, ", "))
	}
}

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
func (c *calibrationCmd) colored(ctx context.Context, site *cameraSite) (all []*worlds.World, err error) {
	if len(c.Seeds) == 0 {
		return []*worlds.World{site.world}, nil
	}
	for _, seed := range c.Seeds {
		w, _, err := site.world.Draw(ctx, seed)
		if ctx.Err() != nil {
			return nil, console.ErrInterrupted
		}
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
	in, err := c.colored(ctx, site)
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
	in, err := c.colored(ctx, site)
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
	if err := c.toFile(&files, con.Data(), carpet.WriteBitBots); err != nil {
		return console.BadInputf("--out: %w", err)
	}
	fmt.Fprintf(con.Notes(), "%s as bit-bots: which pixels of raw images that it was not made from have the carpet's "+
		"colours, in percent:\n%s\n", c.Camera, confusion.Carpet())
	c.printReplaced(con, &files)
	return nil
}
