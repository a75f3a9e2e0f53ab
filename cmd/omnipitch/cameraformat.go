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

// cameraFit is a camera in the model of a format.
type cameraFit struct {
	write    func(files *calibration.Files, stdout io.Writer) error
	summary  string               // how well the model fits the camera
	residual calibration.Residual // in pixels; for mirrors of NuBot in metres on the floor
	aside    int                  // rays that the fit leaves out
	beyond   int                  // rays of an exact fisheye model that its software leaves out
	rays     int
}

// grid is the number of sampled rays per side of the image.
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

// describes reports whether the model is accurate: less than a pixel of error, for all rays.
func (f *cameraFit) describes() bool { return f.residual.Max <= 1 && f.aside == 0 }

// others suggests formats that describe the camera well, for a message.
func (c *calibrationCmd) others(site *cameraSite, model optics.Model) string {
	var names []string
	for _, format := range formats {
		// bit-bots holds only colours, and refbot what ocamcalib holds
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

// warn warns if the model differs from the camera by more than a pixel or, on the floor, by more than the radius of a
// robot.
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

// toFile writes to --out, or to stdout without --out.
func (c *calibrationCmd) toFile(files *calibration.Files, stdout io.Writer, write func(io.Writer) error) error {
	if c.Out == nil {
		return write(stdout)
	}
	return files.Write(*c.Out, write)
}
