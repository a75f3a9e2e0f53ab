package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// quarterTime is how long a robot looks for the ball in one quarter of the field before it goes on to the next, by the
// clock that all share.
const quarterTime = 5 * time.Second

// Search looks for the ball: each robot in a quarter of the field of its own, from whose middle it sees the most of
// that.
func Search(w *world.World) Command {
	quarters := [...]pitch.Vec{{-1, -1}, {-1, 1}, {1, 1}, {1, -1}}
	q := quarters[(int(w.Me.Number)+int(w.Now/quarterTime))%len(quarters)]
	at := pitch.Vec{q[0] * w.Pitch.Length / 5, q[1] * w.Pitch.Width / 4}
	return GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, pitch.Vec{})})
}
