package role

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/skill"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// places are where a supporter may offer itself, from the ball, m; for a ball on the left the other side comes first.
var places = [...]pitch.Vec{{2.5, -2.5}, {2.5, 2.5}, {1, -3}, {1, 3}, {3.5, -1.2}, {3.5, 1.2}, {-1, -2.5}, {-1, 2.5}}

// Support waits for a pass.
func Support(w *world.World) skill.Command { return wait(w, supportAt(w)) }

// supportAt is a place near the ball to which the way of a pass is free, outside of the penalty areas: only one may be in the opponents'.
func supportAt(w *world.World) pitch.Vec {
	best, worth := w.Me.Pos, math.Inf(-1)
	side := math.Copysign(1, w.Ball.Pos[1])
	for _, p := range places {
		at := w.Ball.Pos.Add(pitch.Vec{p[0], p[1] * side})
		at = w.Pitch.OutsideAreas(w.Pitch.Clamp(at, 0.8), 0.5)
		if pitch.Distance(at, w.Ball.Pos) < 1.8 {
			continue
		}
		if v := min(skill.Free(w, at), 0.5) + 0.05*p[0] - 0.08*pitch.Distance(at, w.Me.Pos); v > worth {
			best, worth = at, v
		}
	}
	return best
}

// wait goes to a place and looks at the ball there, ready to take it.
func wait(w *world.World, at pitch.Vec) skill.Command {
	c := skill.GoTo(w, skill.Goal{Pos: at, Heading: skill.Facing(w, w.Ball.Pos), Ball: 0.9})
	c.Dribble = w.Hold.Is
	return c
}
