package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// formats are whose parameters can be written.
var formats = []string{"opencv", "ros", "ocamcalib", "nubot", "bit-bots"}

type calibrationCmd struct {
	World  string  `arg:"" help:"Name of a shipped world, or a path."`
	Camera string  `arg:"" placeholder:"ROBOT.SENSOR" help:"Which camera."`
	Format string  `default:"opencv" enum:"${formats}" help:"Whose parameters: ${enum}."`
	Out    *string `placeholder:"PATH" help:"File to write, or to write anew; for nubot a folder, which may hold several robots' files. Default: standard output."`
}

// Check judges what the flags say by themselves.
func (c *calibrationCmd) Check() error {
	switch {
	case c.Out != nil && *c.Out == "":
		return errors.New("--out = \"\": must name a file")
	case c.Out == nil && c.Format == "nubot":
		return errors.New("--format nubot: needs --out DIR: it is several files")
	}
	return nil
}

func (c *calibrationCmd) Run(ctx context.Context, con console.Streams) error {
	w, err := loadWorld(ctx, c.World, nil)
	if err != nil {
		return err
	}
	robot, sensor, _ := strings.Cut(c.Camera, ".")
	cfg, ok := w.Sensor(robot, sensor)
	if !ok {
		return exit.BadInputf("%s: there is no such sensor in %s", c.Camera, c.World)
	}
	if !cfg.Kind.TakesImages() { // others need the robot that they are on, or the field
		return exit.BadInputf("%s: kind = %q: only cameras can be calibrated", c.Camera, cfg.Kind)
	}
	r := slices.IndexFunc(w.Robots, func(r worlds.Robot) bool { return r.Name == robot })
	site, err := newCameraSite(w, r, slices.IndexFunc(w.Robots[r].Sensors, func(s sensors.Config) bool { return s.Name == sensor }))
	if err != nil {
		return exit.BadInputf("%s: %w", c.Camera, err)
	}
	camera := site.camera
	if c.Format == "bit-bots" {
		return c.writeCarpet(ctx, con, site)
	}
	model, err := central(camera)
	if err != nil {
		return exit.BadInputf("%s: %w", c.Camera, err)
	}
	write, residual, err := c.fit(site, model)
	if err != nil {
		return exit.BadInputf("%s: --format %s: %w%s", c.Camera, c.Format, err, c.others(site, model))
	}
	if err := write(con.Out); err != nil {
		return exit.BadInputf("--out: %w", err)
	}
	fmt.Fprintf(con.Err, "%s as %s: %s\n", c.Camera, c.Format, residual)
	fmt.Fprintf(con.Err, "%s: %s\n", c.Camera, calibration.Front(model, camera.PoseBC()))
	if c.Format == "nubot" {
		c.tellNuBot(con, site)
	}
	if m, ok := model.(optics.Central); ok {
		const top, reach = 0.8, 6 // metres: robots, as far as it matters
		off := calibration.Parallax(m, camera.PoseBC().Pos[2], top, reach)
		fmt.Fprintf(con.Err, "%s has no single viewpoint; drawn with one (method = \"raster\"), what stands up to %v m high %v m away or nearer is off by: %s\n", c.Camera, top, reach, off.String("px"))
	}
	if c.Format == "nubot" {
		return c.writeColors(ctx, con, site)
	}
	return nil
}

// central returns the camera with a single viewpoint, as all formats have one: of a mirror without, the one whose floor
// is right.
func central(camera *sensors.Camera) (optics.Model, error) {
	if m, ok := camera.Model().(*optics.Mirror); ok {
		return optics.NewCentral(m, camera.PoseBC().Pos[2])
	}
	return camera.Model(), nil
}

// fit returns what writes the camera's parameters, and what the fit leaves over.
func (c *calibrationCmd) fit(site *cameraSite, model optics.Model) (write func(io.Writer) error, residual string, err error) {
	const grid = 80 // rays a side
	rays := calibration.Sample(model, grid)
	text := func(f func(io.Writer) error) func(io.Writer) error {
		return func(stdout io.Writer) error { return toFile(c.Out, stdout, f) }
	}
	switch camera := site.camera; {
	case c.Format == "ocamcalib":
		fit, err := calibration.FitOCam(rays)
		return text(func(out io.Writer) error { return calibration.WriteOCamCalib(out, fit) }), fit.Residual.String("px"), err
	case c.Format == "nubot" && camera.Config().Mirror == nil:
		fit, err := calibration.FitUndistorted(rays)
		return func(io.Writer) error { return calibration.WriteFrontVision(c.nubotFolder(site), fit, camera.PoseBC()) }, fit.Residual.String("px"), err
	case c.Format == "nubot":
		return c.fitNuBot(site, rays)
	default:
		fit, err := calibration.FitPinhole(rays)
		format := calibration.WriteOpenCV
		if c.Format == "ros" {
			format = calibration.WriteROS
		}
		return text(func(out io.Writer) error { return format(out, c.Camera, fit) }), fit.Residual.String("px"), err
	}
}

// others says which formats describe the camera, as the one that was asked for does not.
func (c *calibrationCmd) others(site *cameraSite, model optics.Model) string {
	var fit []string
	for _, f := range formats {
		if f == "bit-bots" { // which holds colours alone
			continue
		}
		other := *c
		other.Format = f
		if _, _, err := other.fit(site, model); err == nil {
			fit = append(fit, "--format "+f)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return "; what describes it: " + strings.Join(fit, ", ")
}

// toFile writes to a path, or to stdout where there is none.
func toFile(path *string, stdout io.Writer, f func(io.Writer) error) error {
	if path == nil {
		return f(stdout)
	}
	file, err := os.Create(*path)
	if err != nil {
		return err
	}
	if err := f(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
