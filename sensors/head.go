package sensors

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// HeadConfig is what turns a camera about an upright axis in its mount, and then about a level one. The mount is where the axes
// cross.
type HeadConfig struct {
	Pan       float64 `toml:"pan_deg" range:"[-180, 180]" doc:"at the start; anticlockwise"`
	Tilt      float64 `toml:"tilt_deg" range:"[-90, 90]" doc:"at the start; positive looks down"`
	PanLimit  float64 `toml:"pan_limit_deg" range:"[0, 180]" doc:"it turns so far to either side"`
	TiltLimit float64 `toml:"tilt_limit_deg" range:"[0, 90]" doc:"and so far up and down"`
	Speed     float64 `toml:"speed_deg_s" range:"(0, 10000]" doc:"of each axis"`
	X         float64 `toml:"x_m" range:"[-1, 1]" doc:"from the axes forward to the camera"`
	Z         float64 `toml:"z_m" range:"[-1, 1]" doc:"and up"`
}

// SetDefaults is a fast one for small cameras. Guess.
func (h *HeadConfig) SetDefaults() {
	h.PanLimit, h.TiltLimit, h.Speed = 150*spatial.Degree, 60*spatial.Degree, 300*spatial.Degree
}

// pose returns the camera's body frame in the mount.
func (h *HeadConfig) pose(pan, tilt float64) spatial.Pose {
	return spatial.RPY(mgl64.Vec3{}, 0, tilt, pan).Mul(spatial.Translation(mgl64.Vec3{h.X, 0, h.Z}))
}

// Validate reports the rules that span several fields.
func (h *HeadConfig) Validate(violate func(field string, value any, rule string)) {
	if math.Abs(h.Pan) > h.PanLimit || math.Abs(h.Tilt) > h.TiltLimit {
		violate("", "table", "must start within its limits")
	}
}

// Head turns a camera: to where it is aimed, or as its controller is commanded. A nil *Head is that of a fixed camera: it
// holds. It belongs to the goroutine that steps.
type Head struct {
	cfg       *HeadConfig
	poseBM    spatial.Pose // of the mount on the robot
	pitch     float64      // of the mount
	model     optics.Model
	poseBC    spatial.Pose // of the optical frame on the robot, now
	pan, tilt float64      // now, radians

	panTo, tiltTo float64 // where it turns to

	command HeadCommand
	ballB   mgl64.Vec3    // where the ball was perceived last
	unseen  time.Duration // since then
	known   bool          // whether the ball was perceived since the command
	sweep   int           // of a search
}

func newHead(cfg *Config, model optics.Model) *Head {
	c := cfg.Head
	h := &Head{cfg: c, poseBM: cfg.Mount.Pose(), pitch: cfg.Mount.Pitch, model: model, pan: c.Pan, tilt: c.Tilt, panTo: c.Pan, tiltTo: c.Tilt}
	h.place()
	return h
}

// place computes the optical frame's pose.
func (h *Head) place() {
	h.poseBC = h.poseBM.Mul(h.cfg.pose(h.pan, h.tilt)).Mul(spatial.BodyToOptical())
}

// Angles returns the pan (anticlockwise) and the tilt (down) now, radians.
func (h *Head) Angles() (pan, tilt float64) { return h.pan, h.tilt }

// Aim has the head turn to a pan and a tilt, radians, as far as it can, and ends what its controller was commanded.
func (h *Head) Aim(pan, tilt float64) {
	h.Command(HeadCommand{Mode: HeadHold})
	h.aim(pan, tilt)
}

func (h *Head) aim(pan, tilt float64) {
	h.panTo = mgl64.Clamp(pan, -h.cfg.PanLimit, h.cfg.PanLimit)
	h.tiltTo = mgl64.Clamp(tilt, -h.cfg.TiltLimit, h.cfg.TiltLimit)
}

// Turn moves the head for a time towards where it is aimed, or where its controller aims it.
func (h *Head) Turn(dt time.Duration) {
	h.control(dt)
	if h.pan == h.panTo && h.tilt == h.tiltTo {
		return
	}
	step := h.cfg.Speed * dt.Seconds()
	h.pan += mgl64.Clamp(h.panTo-h.pan, -step, step)
	h.tilt += mgl64.Clamp(h.tiltTo-h.tilt, -step, step)
	h.place()
}
