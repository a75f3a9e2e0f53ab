package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
)

// checkFit checks the flags of --fit.
func (c *calibrationCmd) checkFit() error {
	switch _, _, err := c.size(); {
	case c.World != "":
		return errors.New("--fit: is for a real camera, and takes no WORLD")
	case c.Format != "opencv" || len(c.Seeds) > 0:
		return errors.New("--fit: writes a table for a world file, and takes neither --format nor --seeds")
	case c.Lens != "" && !slices.Contains(calibration.LensKinds(), c.Lens):
		return fmt.Errorf("--lens %s: must be one of %s", c.Lens, strings.Join(calibration.LensKinds(), ", "))
	default:
		return err
	}
}

// size returns the width and the height that --size gives, in pixels.
func (c *calibrationCmd) size() (width, height int, err error) {
	w, h, _ := strings.Cut(c.Size, "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if errW != nil || errH != nil || min(width, height) < 16 || max(width, height) > 4096 {
		return 0, 0, fmt.Errorf("--size %q: must be the width and height of the images, 16 to 4096, such as 640x480",
			c.Size)
	}
	return width, height, nil
}

// fitMarks fits camera models to the marks of the file --fit, reports how well each does, and writes the sensor's
// table.
func (c *calibrationCmd) fitMarks(ctx context.Context, con console.Streams) error {
	file, err := os.Open(c.Fit)
	if err != nil {
		return console.BadInputf("--fit: %w", err)
	}
	defer file.Close()
	marks, views, err := calibration.ReadMarks(file)
	if err != nil {
		return console.BadInputf("%s: %w", c.Fit, err)
	}
	width, height, _ := c.size()
	var fits []calibration.MarkFit
	done := make(chan struct{})
	go func() {
		defer close(done)
		fits, err = calibration.FitMarks(marks, views, width, height)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return console.ErrInterrupted
	}
	if err != nil {
		return console.BadInputf("%s: %w", c.Fit, err)
	}
	fmt.Fprintf(con.Notes(), "%s: %d marks in %d views, without %d on the image's border; pixels between mark and model:\n"+
		"model          rms     median  largest\n", c.Fit, fits[0].N, views, len(marks)-fits[0].N)
	for _, f := range fits {
		fmt.Fprintf(con.Notes(), "%-13s  %-6.3g  %-6.3g  %.3g\n", f.Name, f.RMS, f.Median, f.Max)
	}
	chosen := 0
	if c.Lens != "" {
		if chosen = slices.IndexFunc(fits, func(f calibration.MarkFit) bool { return f.Name == c.Lens }); chosen < 0 {
			return console.BadInputf("--lens %s: cannot describe these marks", c.Lens)
		}
	}
	fit := &fits[chosen]
	if floor := fit.PoseCP[0].Inverse().Pos[2]; views == 1 && floor < 0 {
		return console.BadInputf("%s: the camera is %.2f m below the plane of the marks: with x_m forward, y_m must "+
			"point to the left", c.Fit, -floor)
	}
	var files calibration.Files
	err = c.toFile(&files, con.Data(), func(out io.Writer) error { return writeSensor(out, c.Fit, fit, views == 1) })
	if err != nil {
		return console.BadInputf("--out: %w", err)
	}
	return nil
}

// writeSensor writes a camera as a sensor of a world file. placed reports whether the marks are on the floor around the
// robot, so that the camera's place on the robot is known.
func writeSensor(out io.Writer, source string, f *calibration.MarkFit, placed bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s fitted to %q: %s\n[[robot.sensor]]\nname = \"camera\"\nkind = \"camera\"\n", f.Name, source,
		f.Residual.String("px"))
	if placed {
		pose := f.PoseCP[0].Inverse().Mul(spatial.BodyToOptical().Inverse())
		roll, pitch, yaw := pose.RollPitchYaw()
		fmt.Fprintf(&b, "mount = { x_m = %.4f, y_m = %.4f, z_m = %.4f, roll_deg = %.3f, pitch_deg = %.3f, yaw_deg = %.3f }\n",
			pose.Pos[0], pose.Pos[1], pose.Pos[2], roll/spatial.Degree, pitch/spatial.Degree, yaw/spatial.Degree)
	}
	w, h := f.Camera.Size()
	fmt.Fprintf(&b, "image = { width_px = %d, height_px = %d }\n", w, h)
	if m, ok := f.Camera.(optics.OCam); ok {
		fmt.Fprintf(&b, "lens = { model = \"ocamcalib\", cx_px = %.3f, cy_px = %.3f, c = %.6f, d = %.6f, e = %.6f, poly = %s }\n",
			m.CX, m.CY, m.C, m.D, m.E, list(m.Poly))
	} else {
		p, _, d := optics.Lens(f.Camera)
		model := f.Name
		if model == "pinhole" {
			model = "brown-conrady"
		}
		fmt.Fprintf(&b, "lens = { model = %q, fx_px = %.3f, fy_px = %.3f, cx_px = %.3f, cy_px = %.3f", model, p.FX, p.FY, p.CX,
			p.CY)
		switch f.Name {
		case "fisheye":
			fmt.Fprintf(&b, ", k = %s", list(d))
		case "brown-conrady":
			fmt.Fprintf(&b, ", k = %s, p = %s", list([]float64{d[0], d[1], d[4]}), list(d[2:4]))
		case "unified":
			fmt.Fprintf(&b, ", xi = %.6f, k = %s, p = %s", d[0], list(d[1:3]), list(d[3:5]))
		}
		b.WriteString(" }\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// list returns numbers as an array of TOML.
func list(numbers []float64) string {
	var text []string
	for _, x := range numbers {
		text = append(text, strconv.FormatFloat(x, 'e', 8, 64))
	}
	return "[" + strings.Join(text, ", ") + "]"
}
