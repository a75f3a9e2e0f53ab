package world

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// The ball is in play after the time that the referee of each league waits.
func TestSetPieceTimes(t *testing.T) {
	for league, want := range map[pitch.League]map[SetPiece]time.Duration{
		pitch.MiddleSize: {Kickoff: 10 * time.Second, FreeKick: 10 * time.Second, Penalty: 10 * time.Second},
		pitch.Humanoid:   {Kickoff: 10 * time.Second, FreeKick: 45 * time.Second, Penalty: time.Minute},
	} {
		for piece, span := range want {
			w := World{Pitch: pitch.Pitch{League: league}, Game: Game{SetPiece: piece}}
			if got := w.setPieceTime(); got != span {
				t.Errorf("league %d, %s: %v, want %v", league, piece, got, span)
			}
		}
	}
}

// A humanoid knows the spot of a set piece from a teammate that sees the ball, and stays one when the world restarts.
func TestHumanoidHearsTheSpot(t *testing.T) {
	m := NewModel()
	m.League = pitch.Humanoid
	frame := func(at time.Duration, phase string) *World {
		return m.Update(&msg.Perception{Header: msg.Header{Stamp: msg.TimeFrom(at)}, Team: 1, Number: 2, FieldLength: 9,
			FieldWidth: 6, SelfKnown: true, Phase: phase, SetPiece: "kickoff", SetPieceTeam: 1})
	}
	frame(time.Second, "stopped")
	if w := frame(2*time.Second, "set_piece"); w.Game.SpotSeen {
		t.Fatal("the spot is known although nobody has seen the ball")
	}
	m.Hear(2100*time.Millisecond, &RadioMessage{Number: 3, Ball: RadioBall{Known: true, Pos: pitch.Vec{0.3, 0.1}}})
	if w := frame(2200*time.Millisecond, "set_piece"); !w.Game.SpotSeen || !(pitch.Distance(w.Game.Spot,
		pitch.Vec{0.3, 0.1}) < 0.01) {
		t.Errorf("spot %v, %v", w.Game.Spot, w.Game.SpotSeen)
	}
	if w := frame(time.Second, "stopped"); !w.OnLegs() {
		t.Error("after a restart the robot is no humanoid")
	}
}
