package soccer

import (
	"testing"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

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
