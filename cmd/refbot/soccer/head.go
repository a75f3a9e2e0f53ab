package soccer

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Guesses for the head. Angles are in rad.
const (
	eyeHeight = 0.74 // m, height of the camera: that of the humanoid-kid robot
	panLimit  = 1.4
	sweepTime = 5.0                     // s, duration of a sweep to the left, to the right and back
	unseenFor = 600 * time.Millisecond  // how long the head waits for a ball that it does not see
	glanceAll = 6 * time.Second         // how often the head looks away from a ball that it sees
	glanceFor = 1500 * time.Millisecond // and for how long, to see lines and other robots
	farTilt   = 0.17
	nearTilt  = 0.8
)

// Look returns the pan, anticlockwise, and the tilt, down, at which the robot's head looks after a frame, in rad. ok is
// false for a robot without a head. The head follows the ball, and now and then looks around; without a ball or a
// pose it sweeps the field.
func (p *Player) Look() (pan, tilt float64, ok bool) {
	w := p.model.World()
	if p.model.League != pitch.Humanoid {
		return 0, 0, false
	}
	if seen := w.Now - w.Ball.Seen; w.Known && w.Ball.Known && seen < unseenFor && w.Now%glanceAll > glanceFor {
		off := w.Ball.Pos.Sub(w.Me.Pos)
		pan = pitch.Wrap(pitch.Angle(off) - w.Me.Heading)
		return clampAbs(pan, panLimit), math.Atan2(eyeHeight-w.Ball.Height, off.Len()), true
	}
	sweeps := w.Now.Seconds() / sweepTime
	tilt = farTilt
	if int(sweeps)%2 == 1 && !w.Ball.Known {
		tilt = nearTilt
	}
	return panLimit * math.Sin(2*math.Pi*sweeps), tilt, true
}
