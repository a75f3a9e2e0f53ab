package soccer

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// The task by the positions of the robot, the ball and the partner. Oracle: Dai et al., table 3, whose rows come first.
func TestTasks(t *testing.T) {
	far := func(x float64) pitch.Vec { return pitch.Vec{x, 2} }
	for _, c := range []struct {
		name           string
		me, ball, mate pitch.Vec
		held, lost     bool
		want           challengeTask
	}{
		{"passes", pitch.Vec{-2.5, 0}, pitch.Vec{-2.2, 0}, far(2), true, false, taskPass},
		{"the mate has it: to the other side", pitch.Vec{-2, 0}, pitch.Vec{2, 0}, pitch.Vec{2.3, 0}, false, false,
			taskReceive},
		{"the mate brings it past", pitch.Vec{2, 0}, pitch.Vec{1, 1}, pitch.Vec{1.3, 1}, false, false, taskReceive},
		{"the mate will pass", pitch.Vec{2, 0}, pitch.Vec{-2, 0}, pitch.Vec{-2.3, 0}, false, false, taskReceive},
		{"brings it", pitch.Vec{2, 0}, pitch.Vec{1.7, 0}, far(-2), true, false, taskBring},
		{"has brought it not far enough", pitch.Vec{-1, 0}, pitch.Vec{-1.3, 0}, far(2), true, false, taskBring},
		{"the ball lies on its side", pitch.Vec{-5, 0}, pitch.Vec{-3.75, 0}, far(3), false, false, taskFetch},
		{"it has come across the halfway line", pitch.Vec{2, 0}, pitch.Vec{0.1, 0}, pitch.Vec{-0.5, 0}, false, false,
			taskFetch},
		{"it has not yet", pitch.Vec{2, 0}, pitch.Vec{-0.1, 0}, pitch.Vec{-0.6, 0}, false, false, taskReceive},
		{"both are beyond, this one nearer", pitch.Vec{1, 0}, pitch.Vec{-3.75, 0}, far(2), false, false, taskFetch},
		{"both are beyond, the mate nearer", far(3), pitch.Vec{-3.75, 0}, pitch.Vec{1, 0}, false, false, taskReceive},
		{"nobody knows where it is", pitch.Vec{2, 0}, pitch.Vec{}, far(-2), false, true, taskSearch},
	} {
		w := &world.World{Now: 10 * time.Second, Pitch: field, Known: true, Me: world.Robot{Number: 3, Pos: c.me},
			Hold: world.Hold{Is: c.held},
			Ball: world.Ball{Known: !c.lost, Pos: c.ball}, Others: []world.Robot{{Side: world.Mate, Number: 2,
				Pos: c.mate, Seen: 10 * time.Second}}}
		p := NewPartner(true)
		p.remember(w)
		if got := p.task(w); got != c.want {
			t.Errorf("%s: stage %d, want %d", c.name, got, c.want)
		}
	}
}

// After a pass a robot waits until its partner has the ball, or the ball has come to rest.
func TestWaitsForThePassToCome(t *testing.T) {
	w := receiverWorld()
	w.Me, w.Others[0].Pos = world.Robot{Number: 2, Pos: pitch.Vec{-2, 0}}, receiveHome
	w.Ball.Pos, w.Ball.Vel = pitch.Vec{-1, 0}, pitch.Vec{3, 0}
	p := NewPartner(true)
	p.kicked = w.Now
	task := func() challengeTask { p.remember(w); return p.task(w) }
	if got := task(); got != taskWait {
		t.Errorf("while the ball rolls: stage %d, want %d", got, taskWait)
	}
	w.Ball.Vel = pitch.Vec{}
	if got := task(); got != taskFetch {
		t.Errorf("when it lies on this side: stage %d, want %d", got, taskFetch)
	}
	w.Ball.Pos = pitch.Vec{1.7, 0}
	if got := task(); got != taskReceive {
		t.Errorf("when the mate has it: stage %d, want %d", got, taskReceive)
	}
}
