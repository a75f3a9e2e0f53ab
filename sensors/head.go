package sensors

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// HeadConfig is what turns a camera about an upright axis in its mount, and then about a level one. The mount is where
// the axes cross.
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

// Head turns a camera: to where it is aimed, or as its controller is commanded. A nil *Head is that of a fixed camera:
// it holds. It belongs to the goroutine that steps.
type Head struct {
	cfg       *HeadConfig
	poseBM    spatial.Pose // of the mount on the robot
	pitch     float64      // of the mount
	model     optics.Model
	poseBC    spatial.Pose // of the optical frame on the robot, now
	pan, tilt float64      // now, radians

	panTo, tiltTo float64 // where it turns to

	panRate, tiltRate float64 // mean of the last step, rad/s

	command HeadCommand
	ballB   mgl64.Vec3    // where the ball was perceived last
	unseen  time.Duration // since then
	known   bool          // whether the ball was perceived since the command
	sweep   int           // of a search
}

func newHead(cfg *Config, model optics.Model) *Head {
	c := cfg.Head
	h := &Head{cfg: c, poseBM: cfg.Mount.Pose(), pitch: cfg.Mount.Pitch, model: model, pan: c.Pan, tilt: c.Tilt,
		panTo: c.Pan, tiltTo: c.Tilt}
	h.place()
	return h
}

// place computes the optical frame's pose.
func (h *Head) place() {
	h.poseBC = h.poseBM.Mul(h.cfg.pose(h.pan, h.tilt)).Mul(spatial.BodyToOptical())
}

// Angles returns the pan (anticlockwise) and the tilt (down) now, radians.
func (h *Head) Angles() (pan, tilt float64) { return h.pan, h.tilt }

// Rates returns how fast the axes have turned in the last step, rad/s.
func (h *Head) Rates() (pan, tilt float64) { return h.panRate, h.tiltRate }

// Aim has the head turn to a pan and a tilt, radians, as far as it can, and ends what its controller was commanded.
func (h *Head) Aim(pan, tilt float64) {
	h.Command(HeadCommand{Mode: HeadHold})
	h.aim(pan, tilt)
}

func (h *Head) aim(pan, tilt float64) {
	if math.IsNaN(pan) || math.IsNaN(tilt) {
		return // it cannot turn to where nothing can be
	}
	h.panTo = mgl64.Clamp(pan, -h.cfg.PanLimit, h.cfg.PanLimit)
	h.tiltTo = mgl64.Clamp(tilt, -h.cfg.TiltLimit, h.cfg.TiltLimit)
}

// Turn moves the head for a time towards where it is aimed, or where its controller aims it.
func (h *Head) Turn(dt time.Duration) {
	h.control(dt)
	if h.pan == h.panTo && h.tilt == h.tiltTo {
		h.panRate, h.tiltRate = 0, 0
		return
	}
	step := h.cfg.Speed * dt.Seconds()
	pan, tilt := mgl64.Clamp(h.panTo-h.pan, -step, step), mgl64.Clamp(h.tiltTo-h.tilt, -step, step)
	h.pan, h.tilt = h.pan+pan, h.tilt+tilt
	h.panRate, h.tiltRate = pan/dt.Seconds(), tilt/dt.Seconds()
	h.place()
}

// HeadMode is what a head's controller does, at the levels that stand in for the robot's own.
type HeadMode string

const (
	HeadHold   HeadMode = "hold"   // stays where it was aimed
	HeadAt     HeadMode = "at"     // looks at a point that moves with the robot
	HeadSearch HeadMode = "search" // sweeps the field, and stays where it finds the ball
	HeadTrack  HeadMode = "track"  // keeps the ball in the image's middle, and searches for it when it is lost
)

// HeadCommand is a command to a head's controller.
type HeadCommand struct {
	Mode   HeadMode
	PointB mgl64.Vec3 // of HeadAt, in the robot's frame, metres
}

const (
	// lostAfter is how long a tracked ball may go unseen. Guess: a pass behind another robot.
	lostAfter = 500 * time.Millisecond
	// searchNear and searchFar are how far down a search looks, sweep by sweep. Guess: at the floor 1.5 m and 6 m away.
	searchNear, searchFar = 25 * spatial.Degree, 6 * spatial.Degree
)

// Command tells the head's controller what to do.
func (h *Head) Command(c HeadCommand) {
	if c.Mode == HeadHold {
		h.panTo, h.tiltTo = h.pan, h.tilt
	}
	h.command, h.ballB, h.unseen, h.known, h.sweep = c, mgl64.Vec3{}, 0, false, 0
}

// Mode returns what the head's controller does.
func (h *Head) Mode() HeadMode {
	if h == nil || h.command.Mode == "" {
		return HeadHold
	}
	return h.command.Mode
}

// NeedsBall tells whether a controller in this mode needs what the camera reports.
func (m HeadMode) NeedsBall() bool { return m == HeadSearch || m == HeadTrack }

// Exchange passes where the head is and what its controller does to a codec.
func (h *Head) Exchange(c *keyframe.Codec) {
	for _, pan := range []*float64{&h.pan, &h.panTo} {
		c.FloatIn(pan, -h.cfg.PanLimit, h.cfg.PanLimit)
	}
	for _, tilt := range []*float64{&h.tilt, &h.tiltTo} {
		c.FloatIn(tilt, -h.cfg.TiltLimit, h.cfg.TiltLimit)
	}
	c.Float(&h.panRate)
	c.Float(&h.tiltRate)
	c.Value(&h.command)
	c.Floats(h.ballB[:])
	c.Duration(&h.unseen)
	c.Bool(&h.known)
	c.Int(&h.sweep)
	if c.Restoring() {
		h.place()
	}
}

// Notice gives the head's controller what the camera delivered.
func (h *Head) Notice(obs *Observation) {
	if !h.Mode().NeedsBall() {
		return
	}
	found := false
	switch {
	case obs.Objects != nil:
		for i := range obs.Objects.Detections {
			if d := &obs.Objects.Detections[i]; d.Kind == abstraction.BallKind &&
				(!found || d.PosB.Len() < h.ballB.Len()) {
				h.ballB, found = d.PosB, true
			}
		}
	case obs.Features != nil && len(obs.Features.Balls) > 0:
		b := obs.Features.Balls[0]
		if dir, ok := h.model.Unproject(b.U, b.V); ok {
			h.ballB, found = obs.PoseBC.Apply(dir.Normalize().Mul(3)), true // somewhere along the ray will do
		}
	}
	if found {
		h.known, h.unseen = true, 0
		if h.command.Mode == HeadSearch {
			h.aimAt(h.ballB)
		}
	}
}

// control sets where the head is to turn to.
func (h *Head) control(dt time.Duration) {
	h.unseen += dt
	switch mode := h.command.Mode; {
	case mode == HeadAt:
		h.aimAt(h.command.PointB)
	case mode == HeadTrack && h.known && h.unseen < lostAfter:
		h.aimAt(h.ballB)
	case mode == HeadTrack, mode == HeadSearch && !h.known:
		h.search()
	}
}

// aimAt turns towards a point in the robot's frame: the camera sits before and above the point where the axes cross.
func (h *Head) aimAt(pointB mgl64.Vec3) {
	p := h.poseBM.Inverse().Apply(pointB)
	tilt := math.Atan2(-p[2], math.Hypot(p[0], p[1]))
	if d := p.Len(); d > math.Abs(h.cfg.Z) {
		tilt += math.Asin(h.cfg.Z / d)
	}
	h.aim(math.Atan2(p[1], p[0]), tilt)
}

// search sweeps from side to side, near and far in turns.
func (h *Head) search() {
	side := float64(1 - 2*(h.sweep&1))
	tilt := searchNear
	if h.sweep&2 != 0 {
		tilt = searchFar
	}
	h.aim(side*h.cfg.PanLimit, tilt-h.pitch)
	if h.pan == h.panTo && h.tilt == h.tiltTo {
		h.sweep++
	}
}
