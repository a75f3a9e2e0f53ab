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

// Receiving positions with an obstacle in the receiver's half. Oracle: Dai et al., tables 1 and 2.
func TestReceivingPlaces(t *testing.T) {
	left, right := pitch.Vec{2, 1.5}, pitch.Vec{2, -1.5}
	for _, c := range []struct {
		obstacle, ball float64 // y, m
		now, want      pitch.Vec
	}{
		{0.6, 1, receiveHome, right}, {0.6, -1, receiveHome, right}, {-0.6, 1, receiveHome, left},
		{-0.6, -1, receiveHome, left},
		{0.4, 1, receiveHome, left}, {0.4, -1, receiveHome, right}, {-0.4, 1, receiveHome, left}, {0, -1, left, right},
		// near the long axis it keeps the side to which it has moved
		{0, 0.1, receiveHome, left}, {0, 0.1, right, right}, {0, -0.1, left, left},
	} {
		if got := receivingPlace(pitch.Vec{1, c.obstacle}, pitch.Vec{-2, c.ball}, c.now); got != c.want {
			t.Errorf("obstacle at y = %.1f, ball at y = %.1f: %v, want %v", c.obstacle, c.ball, got, c.want)
		}
	}
}

// receiverWorld is the world of a receiver at its initial position that sees the ball and its partner in the other
// half.
func receiverWorld() *world.World {
	return &world.World{Now: 1e9, Pitch: field, Known: true, Me: world.Robot{Number: 3, Pos: receiveHome},
		Ball:   world.Ball{Known: true, Pos: pitch.Vec{-2, 0.5}},
		Others: []world.Robot{{Side: world.Mate, Number: 2, Pos: pitch.Vec{-2.3, 0.5}, Seen: 1e9}}}
}

// A receiver moves if an obstacle stands before it in its half, and else stays. A robot that does not adjust always
// stays.
func TestMovesAside(t *testing.T) {
	for _, c := range []struct {
		name     string
		adjusts  bool
		obstacle pitch.Vec
		change   func(*world.World)
		want     pitch.Vec
	}{
		{"before it", true, pitch.Vec{1, 0.2}, nil, pitch.Vec{2, 1.5}},
		{"does not adjust", false, pitch.Vec{1, 0.2}, nil, receiveHome},
		{"on the other side", true, pitch.Vec{-1, 0.2}, nil, receiveHome},
		{"behind it", true, pitch.Vec{3, 0}, nil, receiveHome},
		{"far from the ball's way", true, pitch.Vec{1, 1.6}, nil, receiveHome},
		{"the ball is not seen", true, pitch.Vec{1, 0.2},
			func(w *world.World) { w.Ball.Known = false; w.Others[0].Pos[1] = -0.5 }, pitch.Vec{2, -1.5}},
		{"nor is the mate", true, pitch.Vec{1, 0.2},
			func(w *world.World) { w.Ball.Known = false; w.Others = w.Others[1:] }, receiveHome},
	} {
		w := receiverWorld()
		w.Others = append(w.Others, world.Robot{Pos: c.obstacle, Seen: w.Now})
		if c.change != nil {
			c.change(w)
		}
		p := NewPartner(c.adjusts)
		p.Decide(w)
		if p.waits != c.want {
			t.Errorf("%s: waits at %v, want %v", c.name, p.waits, c.want)
		}
	}
}
