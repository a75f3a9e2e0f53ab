package sensors

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// HeadConfig configures a head, which turns a camera about the vertical axis of its mount (pan) and about a horizontal
// axis (tilt). The axes cross at the mount.
type HeadConfig struct {
	Pan       float64 `toml:"pan_deg" range:"[-180, 180]" doc:"initial pan; positive is anticlockwise"`
	Tilt      float64 `toml:"tilt_deg" range:"[-90, 90]" doc:"initial tilt; positive looks down"`
	PanLimit  float64 `toml:"pan_limit_deg" range:"[0, 180]" doc:"limit of the pan to either side"`
	TiltLimit float64 `toml:"tilt_limit_deg" range:"[0, 90]" doc:"limit of the tilt up and down"`
	Speed     float64 `toml:"speed_deg_s" range:"(0, 10000]" doc:"of each axis"`
	X         float64 `toml:"x_m" range:"[-1, 1]" doc:"from the axes to the camera, forward"`
	Z         float64 `toml:"z_m" range:"[-1, 1]" doc:"from the axes to the camera, up"`
	PanJoint  string  `toml:"pan_joint" doc:"joint of the robot's file that pans, about a vertical axis; with tilt_joint, instead of all keys but speed_deg_s"`
	TiltJoint string  `toml:"tilt_joint" doc:"joint that tilts, about a horizontal axis, and carries the camera: its mount names it"`
}

// OnJoints reports whether joints of the robot turn the camera.
func (h *HeadConfig) OnJoints() bool { return h.TiltJoint != "" }

// SetDefaults sets the limits and the speed of a fast head for small cameras, which are guesses.
func (h *HeadConfig) SetDefaults() {
	h.PanLimit, h.TiltLimit, h.Speed = 150*spatial.Degree, 60*spatial.Degree, 300*spatial.Degree
}

// pose returns the pose of the camera's body frame in the mount.
func (h *HeadConfig) pose(pan, tilt float64) spatial.Pose {
	return spatial.RPY(mgl64.Vec3{}, 0, tilt, pan).Mul(spatial.Translation(mgl64.Vec3{h.X, 0, h.Z}))
}

// Validate reports violations of rules that involve several fields.
func (h *HeadConfig) Validate(violate func(field string, value any, rule string)) {
	if math.Abs(h.Pan) > h.PanLimit || math.Abs(h.Tilt) > h.TiltLimit {
		violate("", "table", "must start within its limits")
	}
	if (h.PanJoint == "") != (h.TiltJoint == "") {
		violate("", "table", "needs both pan_joint and tilt_joint, or none of them")
	}
}

// Head turns a camera towards an aim. Either the caller sets the aim, or the head's controller sets it according to its
// HeadCommand. A nil *Head stands for a camera without a head. A Head belongs to the goroutine that steps.
type Head struct {
	cfg       *HeadConfig
	poseBM    spatial.Pose // pose of the mount on the robot; with a neck, of the axes' crossing
	pitch     float64      // pitch of the mount, rad
	model     optics.Model
	poseBC    spatial.Pose // present pose of the optical frame on the robot
	pan, tilt float64      // present angles, rad

	low, high     [2]float64 // limits of pan and tilt, rad
	panTo, tiltTo float64    // the aim: the angles to which the head turns, rad
	neck          *neck      // joints that turn the camera; nil: the head turns it itself

	panRate, tiltRate float64 // mean rates of the last step, rad/s

	command HeadCommand
	sought  [2]sought     // what the controller knows of the command's objects
	turn    int           // index of the object that the head follows now
	turned  time.Duration // sim time since the head began to follow it
	sweep   int           // number of completed sweeps of a search
}

func newHead(cfg *Config, model optics.Model) *Head {
	c := cfg.Head
	h := &Head{cfg: c, poseBM: cfg.Mount.Pose(), pitch: cfg.Mount.Pitch, model: model, pan: c.Pan, tilt: c.Tilt,
		panTo: c.Pan, tiltTo: c.Tilt, high: [2]float64{c.PanLimit, c.TiltLimit}}
	h.low = [2]float64{-c.PanLimit, -c.TiltLimit}
	h.place()
	return h
}

// place computes the pose of the optical frame from the present pan and tilt.
func (h *Head) place() {
	h.poseBC = h.poseBM.Mul(h.cfg.pose(h.pan, h.tilt)).Mul(spatial.BodyToOptical())
}

// Angles returns the present pan (anticlockwise) and tilt (down), rad.
func (h *Head) Angles() (pan, tilt float64) { return h.pan, h.tilt }

// Rates returns the rates of the axes in the last step, rad/s.
func (h *Head) Rates() (pan, tilt float64) { return h.panRate, h.tiltRate }

// Aim stops the head's controller and sets the pan and the tilt, in rad, to which the head turns. Angles beyond the
// head's limits are clamped to them.
func (h *Head) Aim(pan, tilt float64) {
	h.Command(HeadCommand{Mode: HeadHold})
	h.aim(pan, tilt)
}

func (h *Head) aim(pan, tilt float64) {
	if math.IsNaN(pan) || math.IsNaN(tilt) {
		return // NaN is no direction
	}
	h.panTo = mgl64.Clamp(pan, h.low[0], h.high[0])
	h.tiltTo = mgl64.Clamp(tilt, h.low[1], h.high[1])
}

// Turn runs the head's controller, and moves the head towards its aim for a step of the length dt.
func (h *Head) Turn(dt time.Duration) {
	h.control(dt)
	if h.neck != nil {
		return
	}
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

// HeadMode is the mode of a head's controller. The controller works only at levels without images, at which it replaces
// the controller in the robot's software.
type HeadMode string

const (
	HeadHold     HeadMode = "hold"      // keeps its aim
	HeadAt       HeadMode = "at"        // aims at a point that moves with the robot
	HeadSearch   HeadMode = "search"    // sweeps the field until it finds the object, then stays
	HeadTrack    HeadMode = "track"     // keeps the object in the centre of the image, and searches for a lost object
	HeadScan     HeadMode = "scan"      // sweeps the field without end
	HeadScanHigh HeadMode = "scan_high" // sweeps the surroundings of the field and the ceiling without end
	HeadDown     HeadMode = "down"      // looks ahead, and down as far as the head can
	HeadForward  HeadMode = "forward"   // looks ahead, horizontally
	HeadUp       HeadMode = "up"        // looks ahead, and up as far as the head can
)

// HeadCommand is a command to a head's controller.
type HeadCommand struct {
	Mode   HeadMode
	PointB mgl64.Vec3 // aim of HeadAt, in the robot's frame, m
	Object HeadObject // object of HeadSearch and HeadTrack
	Other  HeadObject // if it is not zero, HeadTrack follows Object and Other by turns
}

const (
	// lostAfter is the time after which a tracked ball that is not perceived counts as lost. The value is a guess: a
	// ball that rolls past behind another robot is hidden for about half a second.
	lostAfter = 500 * time.Millisecond
	// searchNear and searchFar are the tilts of alternate sweeps, rad. The values are guesses, with which the camera
	// looks at the floor at distances of 1.5 m and 6 m.
	searchNear, searchFar = 25 * spatial.Degree, 6 * spatial.Degree
	// wallTilt and ceilingTilt are the tilts of alternate sweeps of HeadScanHigh, rad. The values are guesses.
	wallTilt, ceilingTilt = -5 * spatial.Degree, -30 * spatial.Degree
	// headTurn is the time for which a head follows one of two objects before it turns to the other. A guess.
	headTurn = 2 * time.Second
	// headSweeps is the number of sweeps after which a head stops searching for one of two objects. These are two
	// sweeps at each tilt.
	headSweeps = 4
)

// Command sends a command to the head's controller.
func (h *Head) Command(c HeadCommand) {
	if c.Mode == HeadHold {
		h.panTo, h.tiltTo = h.pan, h.tilt
	}
	h.command, h.sought, h.turn, h.turned, h.sweep = c, [2]sought{}, 0, 0, 0
}

// Mode returns the mode of the head's controller.
func (h *Head) Mode() HeadMode {
	if h == nil || h.command.Mode == "" {
		return HeadHold
	}
	return h.command.Mode
}

// NeedsObservations reports whether a mode needs the camera's observations.
func (m HeadMode) NeedsObservations() bool { return m == HeadSearch || m == HeadTrack }

// Exchange saves or restores the state of the head and of its controller.
func (h *Head) Exchange(c *keyframe.Codec) {
	room := 0.
	if h.neck != nil {
		room = pastLimit
	}
	for _, pan := range []*float64{&h.pan, &h.panTo} {
		c.FloatIn(pan, h.low[0]-room, h.high[0]+room)
	}
	for _, tilt := range []*float64{&h.tilt, &h.tiltTo} {
		c.FloatIn(tilt, h.low[1]-room, h.high[1]+room)
	}
	c.Float(&h.panRate)
	c.Float(&h.tiltRate)
	c.Value(&h.command)
	for i := range h.sought {
		c.Floats(h.sought[i].posB[:])
		c.Duration(&h.sought[i].unseen)
		c.Bool(&h.sought[i].known)
	}
	c.Index(&h.turn, 0, len(h.sought))
	c.Duration(&h.turned)
	c.Int(&h.sweep)
	if c.Restoring() && h.neck == nil {
		h.place()
	}
}

// control sets the aim of the head according to the command. The argument dt is the length of the step.
func (h *Head) control(dt time.Duration) {
	for i := range h.sought {
		h.sought[i].unseen += dt
	}
	switch h.command.Mode {
	case HeadAt:
		h.aimAt(h.command.PointB)
	case HeadTrack:
		h.alternate(dt)
		if s := &h.sought[h.turn]; s.known && s.unseen < lostAfter {
			h.aimAt(s.posB)
		} else {
			h.search(searchNear, searchFar)
		}
	case HeadSearch:
		if !h.sought[0].known {
			h.search(searchNear, searchFar)
		}
	case HeadScan:
		h.search(searchNear, searchFar)
	case HeadScanHigh:
		h.search(wallTilt, ceilingTilt)
	case HeadDown:
		h.aim(0, h.high[1])
	case HeadForward:
		h.aim(0, -h.pitch)
	case HeadUp:
		h.aim(0, h.low[1])
	}
}

// alternate makes the head turn to the other one of two objects when it has followed one for headTurn, or has not found
// it in headSweeps sweeps.
func (h *Head) alternate(dt time.Duration) {
	if h.command.Other == (HeadObject{}) {
		return
	}
	h.turned += dt
	if now := &h.sought[h.turn]; now.known && now.unseen < lostAfter && h.turned >= headTurn || h.sweep >= headSweeps {
		h.turn, h.turned, h.sweep = 1-h.turn, 0, 0
		h.sought[h.turn].unseen = -headTurn // the head needs time to turn to where it saw the object last
	}
}

// aimAt aims the camera at a point in the robot's frame. It takes into account that the camera lies ahead of and above
// the point where the axes cross.
func (h *Head) aimAt(pointB mgl64.Vec3) {
	p := h.poseBM.Inverse().Apply(pointB)
	tilt := math.Atan2(-p[2], math.Hypot(p[0], p[1]))
	if d := p.Len(); d > math.Abs(h.cfg.Z) {
		tilt += math.Asin(h.cfg.Z / d)
	}
	h.aim(math.Atan2(p[1], p[0]), tilt)
}

// arrived reports whether the head has its aim.
func (h *Head) arrived() bool {
	if h.neck != nil {
		return math.Abs(h.pan-h.panTo) < neckError && math.Abs(h.tilt-h.tiltTo) < neckError
	}
	return h.pan == h.panTo && h.tilt == h.tiltTo
}

// search sets the aim for a search: the head sweeps from side to side, alternately at two tilts of the camera.
func (h *Head) search(first, second float64) {
	tilt, pan := first, h.high[0]
	if h.sweep&1 != 0 {
		pan = h.low[0]
	}
	if h.sweep&2 != 0 {
		tilt = second
	}
	h.aim(pan, tilt-h.pitch)
	if h.arrived() {
		h.sweep++
	}
}
