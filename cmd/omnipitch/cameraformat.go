package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
)

// cameraFit is the result of fitting the model of a file format to a camera.
type cameraFit struct {
	write   func(files *calibration.Files, stdout io.Writer) error
	summary string // how well the model fits the camera
	// residual is in pixels. For mirrors in format nubot it is in metres on the floor.
	residual calibration.Residual
	aside    int // number of rays that the fit leaves out
	// beyond is the number of rays that the software of an exact fisheye model leaves out.
	beyond int
	rays   int
}

// grid is the number of sampled rays along each side of the image.
const grid = 80

// fit fits the model of --format to the camera.
func (c *calibrationCmd) fit(site *cameraSite, model optics.Model) (*cameraFit, error) {
	rays := calibration.Sample(model, grid)
	f := &cameraFit{rays: len(rays.All)}
	var err error
	text := func(write func(io.Writer) error) {
		f.write = func(files *calibration.Files, stdout io.Writer) error { return c.toFile(files, stdout, write) }
	}
	switch camera := site.camera; {
	case c.Format == "ocamcalib":
		var fit calibration.OCam
		fit, err = calibration.FitOCam(rays)
		f.residual = fit.Residual
		text(func(out io.Writer) error { return calibration.WriteOCamCalib(out, fit) })
	case c.Format == "nubot" && camera.Config().Mirror == nil:
		var fit calibration.Pinhole
		fit, err = calibration.FitUndistorted(rays)
		f.residual, f.aside = fit.Residual, len(rays.All)-fit.N
		f.write = func(files *calibration.Files, _ io.Writer) error {
			return calibration.WriteFrontVision(files, c.nubotFolder(site), fit, camera.PoseBC())
		}
	case c.Format == "nubot":
		err = c.fitNuBot(f, site, rays)
		f.summary = f.residual.String("m on the floor")
	default:
		lens, ok := calibration.ExactLens(model)
		if !ok {
			var fit calibration.Pinhole
			fit, err = calibration.FitPinhole(rays)
			lens = fit.Lens()
			f.aside = len(rays.All) - fit.N
		} else if lens.Fisheye() {
			f.beyond = rays.Aside(math.Pi / 2)
		}
		f.residual, f.summary = lens.Residual, lens.String()
		format := calibration.WriteOpenCV
		if c.Format == "ros" {
			format = calibration.WriteROS
		}
		text(func(out io.Writer) error { return format(out, c.Camera, lens) })
	}
	if f.summary == "" {
		f.summary = f.residual.String("px")
	}
	return f, err
}

// describes reports whether the model is accurate: the error of every ray is at most one pixel, and the fit leaves out
// no ray.
func (f *cameraFit) describes() bool { return f.residual.Max <= 1 && f.aside == 0 }

// others returns a part of a warning, which names the formats that describe the camera accurately.
func (c *calibrationCmd) others(site *cameraSite, model optics.Model) string {
	var names []string
	for _, format := range formats {
		// Format bit-bots has only colours. Format refbot has the same model as ocamcalib.
		if format == c.Format || format == "bit-bots" || format == "refbot" {
			continue
		}
		other := *c
		other.Format = format
		fit, err := other.fit(site, model)
		if floor := format == "nubot" && site.camera.Config().Mirror != nil; err == nil && (floor || fit.describes()) {
			names = append(names, "--format "+format)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; formats that describe it: " + strings.Join(names, ", ")
}

// warn prints a warning if the model differs too much from the camera: by more than a pixel in the image or, for
// mirrors in format nubot, by more than the radius of a robot on the floor.
func (c *calibrationCmd) warn(con console.Streams, site *cameraSite, model optics.Model, f *cameraFit) {
	mirror := c.Format == "nubot" && site.camera.Config().Mirror != nil
	switch {
	case mirror:
		const tolerated, noticed = 0.25, 0.1 // metres, degrees
		if !(f.residual.Max > tolerated) {
			return
		}
		cause := "NuBot's law a·tan(b·ρ) does not describe this mirror"
		if tilt := calibration.Tilt(site.camera.PoseBC()) * 180 / math.Pi; tilt > noticed {
			cause = fmt.Sprintf("the camera's axis tilts by %.2g°, which NuBot's files have no number for", tilt)
		}
		fmt.Fprintf(con.Err, "%s: warning: places on the floor will be off by up to %.2g m: %s\n", c.Camera,
			f.residual.Max, cause)
	case f.beyond > 0:
		fmt.Fprintf(con.Err, "%s: warning: %d of %d rays are 90° or more off the optical axis: OpenCV's fisheye "+
			"functions, which ROS calls too, cannot undistort them\n",
			c.Camera, f.beyond, f.rays)
	case f.describes():
	default:
		kind := "a pinhole with distortion"
		if c.Format == "nubot" {
			kind = "front_vision's pinhole without distortion"
		} else if c.Format == "ocamcalib" {
			kind = "the polynomial"
		}
		left := ""
		if f.aside > 0 {
			left = fmt.Sprintf(", and %d of %d rays, more than 80° off the optical axis, are left out", f.aside, f.rays)
		}
		fmt.Fprintf(con.Err, "%s: warning: %s is off by up to %.2g px%s%s\n", c.Camera, kind, f.residual.Max, left,
			c.others(site, model))
	}
}

// toFile calls the function write with the file of --out or, without --out, with stdout.
func (c *calibrationCmd) toFile(files *calibration.Files, stdout io.Writer, write func(io.Writer) error) error {
	if c.Out == nil {
		return write(stdout)
	}
	return files.Write(*c.Out, write)
}
