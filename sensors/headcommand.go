package sensors

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// HeadMode is what a head's controller does, at the levels that stand in for the robot's own.
type HeadMode string

const (
	HeadHold   HeadMode = "hold"   // stays where it was aimed
	HeadAt     HeadMode = "at"     // looks at a point that moves with the robot
	HeadSearch HeadMode = "search" // sweeps the field, and stays where it finds the ball
	HeadTrack  HeadMode = "track"  // keeps the ball in the picture's middle, and searches for it when it is lost
)

// HeadCommand is a command to a head's controller.
type HeadCommand struct {
	Mode   HeadMode
	PointB mgl64.Vec3 // of HeadAt, in the robot's frame, metres
}

// Validate tells what is wrong with a command.
func (c *HeadCommand) Validate() error {
	switch c.Mode {
	case HeadHold, HeadSearch, HeadTrack:
		return nil
	case HeadAt:
		for i, v := range c.PointB {
			if !(math.Abs(v) <= 1000) { // NaN too
				return fmt.Errorf("gaze: %c = %v: must be a place within 1000 m", 'x'+rune(i), v)
			}
		}
		return nil
	}
	return fmt.Errorf("gaze = %q: must be one of hold, at, search, track", c.Mode)
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

// Notice gives the head's controller what the camera delivered.
func (h *Head) Notice(obs *Observation) {
	if !h.Mode().NeedsBall() {
		return
	}
	found := false
	switch {
	case obs.Objects != nil:
		for i := range obs.Objects.Detections {
			if d := &obs.Objects.Detections[i]; d.Kind == abstraction.BallKind && (!found || d.PosB.Len() < h.ballB.Len()) {
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
