package output

import (
	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// camerasFile holds the models of the cameras.
const camerasFile = "cameras.json"

// CameraModel is the optical model of a camera. Pixel coordinates (0, 0) are the centre of the top-left pixel.
type CameraModel struct {
	Width  int `json:"width_px"`
	Height int `json:"height_px"`
	// Model is plumb_bob, rational_polynomial, equidistant, mei or ocamcalib. It is empty if no model fits.
	Model string `json:"model"`

	FX         float64   `json:"fx_px,omitempty"`
	FY         float64   `json:"fy_px,omitempty"`
	CX         float64   `json:"cx_px"`
	CY         float64   `json:"cy_px"`
	Distortion []float64 `json:"distortion,omitempty"` // in the order of ROS's camera_info; for mei ξ, k1, k2, p1, p2

	OCam *ocamJSON `json:"ocamcalib,omitempty"` // for model ocamcalib
	// Off is the largest error of the model over the image, in pixels. If a mirror has no single viewpoint, Off is the
	// largest error for points on the floor.
	Off float64 `json:"off_px"`
}

// ocamJSON is the polynomial model of OCamCalib. It describes mirrors, and lenses that no other model describes: see
// docs/cameras.md.
type ocamJSON struct {
	C    float64 `json:"c"`
	D    float64 `json:"d"`
	E    float64 `json:"e"`
	Axis float64 `json:"axis"` // −1: the image centre shows +z of the optical frame; 1: it shows −z
	// Inverse is a polynomial that gives the distance from the image centre in pixels, as a function of the angle
	// atan(axis·z / √(x² + y²)).
	Inverse []float64 `json:"inverse"`
	Direct  []float64 `json:"direct"`
}

// writeCameras writes the models of the cameras that the function shown selects. If shown is nil, it writes the models
// of all cameras.
func (o *Folder) writeCameras(sim *omnipitch.Sim, shown func(robot, sensor string) bool) error {
	all := map[string]*CameraModel{}
	for i := range sim.World().Robots {
		r := &sim.World().Robots[i]
		for k := range r.Sensors {
			if camera, ok := sim.Sensors().Camera(r.Name, r.Sensors[k].Name); ok &&
				(shown == nil || shown(r.Name, r.Sensors[k].Name)) {
				all[r.Name+"."+r.Sensors[k].Name] = ModelOf(camera)
			}
		}
	}
	return o.writeJSON(camerasFile, all)
}

// ModelOf returns the model of a camera's optics.
func ModelOf(camera *sensors.Camera) *CameraModel {
	p, name, d := optics.Lens(camera.Model())
	if name != "" {
		return &CameraModel{Width: p.Width, Height: p.Height, Model: name, FX: p.FX, FY: p.FY, CX: p.CX, CY: p.CY,
			Distortion: d}
	}
	x := &CameraModel{Width: p.Width, Height: p.Height}
	model, err := calibration.Central(camera.Model(), camera.PoseBC())
	if err != nil {
		return x
	}
	const grid = 60 // rays per side
	fit, err := calibration.FitOCam(calibration.Sample(model, grid))
	if err != nil {
		return x
	}
	x.Model, x.CX, x.CY, x.Off = "ocamcalib", fit.CenterColumn, fit.CenterRow, fit.Max
	x.OCam = &ocamJSON{fit.C, fit.D, fit.E, fit.Axis, fit.Inverse, fit.Direct}
	return x
}
