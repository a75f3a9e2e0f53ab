package output

import (
	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// camerasFile tells what the images of each camera show where.
const camerasFile = "cameras.json"

// CameraModel is a camera's model. Pixel (0, 0) is the middle of the top-left one.
type CameraModel struct {
	Width  int `json:"width_px"`
	Height int `json:"height_px"`
	// plumb_bob, rational_polynomial, equidistant, mei, ocamcalib; empty: none describes it
	Model string `json:"model"`

	FX         float64   `json:"fx_px,omitempty"`
	FY         float64   `json:"fy_px,omitempty"`
	CX         float64   `json:"cx_px"`
	CY         float64   `json:"cy_px"`
	Distortion []float64 `json:"distortion,omitempty"` // in the order of ROS's camera_info; of mei ξ, k1, k2, p1, p2

	OCam *ocamJSON `json:"ocamcalib,omitempty"` // of that model
	// Off is by how much the model misses the camera's pixels at most; of a mirror without a single viewpoint, on the
	// floor.
	Off float64 `json:"off_px"`
}

// ocamJSON is the polynomial of OCamCalib, of mirrors and of lenses that no other model describes: see docs/cameras.md.
type ocamJSON struct {
	C    float64 `json:"c"`
	D    float64 `json:"d"`
	E    float64 `json:"e"`
	Axis float64 `json:"axis"` // −1: the middle of the image shows the optical frame's z, 1: its opposite
	// of the distance from the centre, pixels, by the angle atan(axis·z / √(x² + y²))
	Inverse []float64 `json:"inverse"`
	Direct  []float64 `json:"direct"`
}

// writeCameras writes the models of the cameras that shown names, of all if it is nil.
func (o *Folder) writeCameras(sim *omnipitch.Sim, shown func(robot, sensor string) bool) error {
	all := map[string]*CameraModel{}
	for i := range sim.World().Robots {
		r := &sim.World().Robots[i]
		for k := range r.Sensors {
			if camera, ok := sim.Camera(r.Name, r.Sensors[k].Name); ok &&
				(shown == nil || shown(r.Name, r.Sensors[k].Name)) {
				all[r.Name+"."+r.Sensors[k].Name] = ModelOf(camera)
			}
		}
	}
	return o.writeJSON(camerasFile, all)
}

// ModelOf describes a camera's optics.
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
	const grid = 60 // rays a side
	fit, err := calibration.FitOCam(calibration.Sample(model, grid))
	if err != nil {
		return x
	}
	x.Model, x.CX, x.CY, x.Off = "ocamcalib", fit.CenterColumn, fit.CenterRow, fit.Max
	x.OCam = &ocamJSON{fit.C, fit.D, fit.E, fit.Axis, fit.Inverse, fit.Direct}
	return x
}
