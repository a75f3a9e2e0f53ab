package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// quarterTime is how long a robot searches one quarter of the field. All robots switch at the same sim time.
const quarterTime = 5 * time.Second

// Search drives the robot to the centre of a quarter of the field to look for the ball. Each robot searches a different
// quarter.
func Search(w *world.World) Command {
	quarters := [...]pitch.Vec{{-1, -1}, {-1, 1}, {1, 1}, {1, -1}}
	q := quarters[(int(w.Me.Number)+int(w.Now/quarterTime))%len(quarters)]
	at := pitch.Vec{q[0] * w.Pitch.Length / 5, q[1] * w.Pitch.Width / 4}
	return GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, pitch.Vec{})})
}
