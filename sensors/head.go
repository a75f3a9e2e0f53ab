package sensors

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Head turns a camera about an upright axis in its mount, and then about a level one. The mount is where the axes
// cross.
type Head struct {
	Pan       float64 `toml:"pan_deg" range:"[-180, 180]" doc:"at the start; anticlockwise"`
	Tilt      float64 `toml:"tilt_deg" range:"[-90, 90]" doc:"at the start; positive looks down"`
	PanLimit  float64 `toml:"pan_limit_deg" range:"[0, 180]" doc:"it turns so far to either side"`
	TiltLimit float64 `toml:"tilt_limit_deg" range:"[0, 90]" doc:"and so far up and down"`
	Speed     float64 `toml:"speed_deg_s" range:"(0, 10000]" doc:"of each axis"`
	X         float64 `toml:"x_m" range:"[-1, 1]" doc:"from the axes forward to the camera"`
	Z         float64 `toml:"z_m" range:"[-1, 1]" doc:"and up"`
}

// SetDefaults is a fast one for small cameras. Guess.
func (h *Head) SetDefaults() { h.PanLimit, h.TiltLimit, h.Speed = 150*degree, 60*degree, 300*degree }

// pose returns the camera's body frame in the mount.
func (h *Head) pose(pan, tilt float64) spatial.Pose {
	return spatial.RPY(mgl64.Vec3{}, 0, tilt, pan).Mul(spatial.Translation(mgl64.Vec3{h.X, 0, h.Z}))
}

// turning is where a head looks and is to look, radians.
type turning struct{ pan, tilt, panTo, tiltTo float64 }

// Aim has the camera's head turn to a pan and a tilt, radians, as far as it can. It reports false for a camera without
// a head. It belongs to the goroutine that steps, as Turn does.
func (e *eyes) Aim(pan, tilt float64) bool {
	h := e.cfg.Head
	if h == nil {
		return false
	}
	e.turning.panTo = mgl64.Clamp(pan, -h.PanLimit, h.PanLimit)
	e.turning.tiltTo = mgl64.Clamp(tilt, -h.TiltLimit, h.TiltLimit)
	return true
}

// Turn moves the camera's head, if it has one, towards where it is to look.
func (e *eyes) Turn(dt time.Duration) {
	h, t := e.cfg.Head, &e.turning
	if h == nil {
		return
	}
	e.steer(dt)
	if t.pan == t.panTo && t.tilt == t.tiltTo {
		return
	}
	step := h.Speed * dt.Seconds()
	t.pan += mgl64.Clamp(t.panTo-t.pan, -step, step)
	t.tilt += mgl64.Clamp(t.tiltTo-t.tilt, -step, step)
	e.place()
}

// Gaze returns where the camera's head looks, radians, and false for a camera without one.
func (e *eyes) Gaze() (pan, tilt float64, ok bool) {
	return e.turning.pan, e.turning.tilt, e.cfg.Head != nil
}

// place computes the optical frame's pose from that of the head.
func (e *eyes) place() {
	e.poseBC = e.cfg.Mount.Pose().Mul(e.cfg.Head.pose(e.turning.pan, e.turning.tilt)).Mul(spatial.BodyToOptical())
}

// limits returns whether a head starts within what it can.
func (h *Head) limits() bool {
	return math.Abs(h.Pan) <= h.PanLimit && math.Abs(h.Tilt) <= h.TiltLimit
}
