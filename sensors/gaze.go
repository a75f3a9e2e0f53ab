package sensors

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
)

// GazeMode is what a head's controller does, at the levels that stand in for the robot's own.
type GazeMode string

const (
	GazeHold   GazeMode = "hold"   // stays where it was aimed
	GazeAt     GazeMode = "at"     // looks at a point that moves with the robot
	GazeSearch GazeMode = "search" // sweeps the field, and stays where it finds the ball
	GazeTrack  GazeMode = "track"  // keeps the ball in the picture's middle, and searches for it when it is lost
)

// Gaze is a command to a head's controller.
type Gaze struct {
	Mode   GazeMode
	PointB mgl64.Vec3 // of GazeAt, in the robot's frame, metres
}

// Validate tells what is wrong with a command.
func (g *Gaze) Validate() error {
	switch g.Mode {
	case GazeHold, GazeSearch, GazeTrack:
		return nil
	case GazeAt:
		for i, v := range g.PointB {
			if !(math.Abs(v) <= 1000) { // NaN too
				return fmt.Errorf("gaze: %c = %v: must be a place within 1000 m", 'x'+rune(i), v)
			}
		}
		return nil
	}
	return fmt.Errorf("gaze = %q: must be one of hold, at, search, track", g.Mode)
}

const (
	// lostAfter is how long a tracked ball may go unseen. Guess: a pass behind another robot.
	lostAfter = 500 * time.Millisecond
	// searchNear and searchFar are how far down a search looks, sweep by sweep. Guess: at the floor 1.5 m and 6 m away.
	searchNear, searchFar = 25 * degree, 6 * degree
)

// gazing is where a head's controller is with its command.
type gazing struct {
	Gaze
	ballB  mgl64.Vec3 // where the ball was seen last
	unseen time.Duration
	known  bool // that it was
	sweep  int
}

func (e *eyes) Steer(g Gaze) bool {
	if e.cfg.Head == nil {
		return false
	}
	if g.Mode == GazeHold {
		e.turning.panTo, e.turning.tiltTo = e.turning.pan, e.turning.tilt
	}
	e.gazing = gazing{Gaze: g}
	return true
}

// Doing returns what the head's controller does.
func (e *eyes) Doing() GazeMode {
	if e.gazing.Mode == "" {
		return GazeHold
	}
	return e.gazing.Mode
}

// LooksForBall tells whether a controller that does so needs what the camera reports.
func (m GazeMode) LooksForBall() bool { return m == GazeSearch || m == GazeTrack }

// Notice lets the head's controller see what was delivered.
func (e *eyes) Notice(obs *Observation) {
	g := &e.gazing
	if !g.Mode.LooksForBall() {
		return
	}
	found := false
	switch {
	case obs.Objects != nil:
		for i := range obs.Objects.Detections {
			if d := &obs.Objects.Detections[i]; d.Kind == abstraction.BallKind && (!found || d.PosB.Len() < g.ballB.Len()) {
				g.ballB, found = d.PosB, true
			}
		}
	case obs.Features != nil && len(obs.Features.Balls) > 0:
		b := obs.Features.Balls[0]
		if dir, ok := e.looks.Unproject(b.U, b.V); ok {
			g.ballB, found = obs.PoseBC.Apply(dir.Normalize().Mul(3)), true // somewhere along the ray will do
		}
	}
	if found {
		g.known, g.unseen = true, 0
		if g.Mode == GazeSearch {
			e.aimAt(g.ballB)
		}
	}
}

// steer sets where the head is to turn to.
func (e *eyes) steer(dt time.Duration) {
	g := &e.gazing
	g.unseen += dt
	switch {
	case g.Mode == GazeAt:
		e.aimAt(g.PointB)
	case g.Mode == GazeTrack && g.known && g.unseen < lostAfter:
		e.aimAt(g.ballB)
	case g.Mode == GazeTrack, g.Mode == GazeSearch && !g.known:
		e.search()
	}
}

// aimAt turns towards a point in the robot's frame: the camera sits before and above the point where the axes cross.
func (e *eyes) aimAt(pointB mgl64.Vec3) {
	p := e.cfg.Mount.Pose().Inverse().Apply(pointB)
	tilt := math.Atan2(-p[2], math.Hypot(p[0], p[1]))
	if d := p.Len(); d > math.Abs(e.cfg.Head.Z) {
		tilt += math.Asin(e.cfg.Head.Z / d)
	}
	e.Aim(math.Atan2(p[1], p[0]), tilt)
}

// search sweeps from side to side, near and far in turns.
func (e *eyes) search() {
	h, t := e.cfg.Head, &e.turning
	side := float64(1 - 2*(e.gazing.sweep&1))
	tilt := searchNear
	if e.gazing.sweep&2 != 0 {
		tilt = searchFar
	}
	e.Aim(side*h.PanLimit, tilt-e.cfg.Mount.Pitch)
	if t.pan == t.panTo && t.tilt == t.tiltTo {
		e.gazing.sweep++
	}
}
