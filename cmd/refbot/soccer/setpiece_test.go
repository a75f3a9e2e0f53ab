package soccer_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// drivePositions moves a robot without inertia by the command of the set play for the seven seconds that the referee
// gives, and returns its position.
func drivePositions(w *world.World, r soccer.Role) pitch.Vec {
	const dt = 1. / 30
	for range 7 * 30 {
		c := soccer.TakePositions(w, r)
		w.Me.Pos = w.Me.Pos.Add(c.Vel.Mul(dt))
	}
	return w.Me.Pos
}

// From any position, and for any position of the ball, a robot keeps the distance that the rules require at a set
// piece. At the opponents' set piece it need not in its own penalty area.
func TestRobotsKeepTheirDistances(t *testing.T) {
	pieces := []struct {
		piece world.SetPiece
		ours  bool
		room  float64 // m
	}{
		{world.FreeKick, true, 2}, {world.FreeKick, false, 3}, {world.ThrowIn, true, 2}, {world.ThrowIn, false, 3},
		{world.Corner, true, 2},
		{world.Corner, false, 3}, {world.GoalKick, true, 2}, {world.GoalKick, false, 3}, {world.Kickoff, true, 2},
		{world.Kickoff, false, 3},
		{world.DroppedBall, false, 1}, {world.Penalty, true, 3}, {world.Penalty, false, 3},
	}
	rapid.Check(t, func(t *rapid.T) {
		c := pieces[rapid.IntRange(0, len(pieces)-1).Draw(t, "piece")]
		p := pitch.Pitch{Length: 18, Width: 12}
		ball := pitch.Vec{rapid.Float64Range(-8.7, 8.7).Draw(t, "ball.x"), rapid.Float64Range(-5.7, 5.7).Draw(t,
			"ball.y")}
		switch {
		case c.piece == world.Kickoff:
			ball = pitch.Vec{}
		case c.piece == world.Penalty && c.ours:
			ball = pitch.Vec{9 - p.PenaltyMark(), 0}
		case c.piece == world.Penalty:
			ball = pitch.Vec{p.PenaltyMark() - 9, 0}
		}
		me := pitch.Vec{rapid.Float64Range(-7, 7).Draw(t, "x"), rapid.Float64Range(-5, 5).Draw(t, "y")}
		w := &world.World{Pitch: p, Known: true, Me: world.Robot{Number: 4, Pos: me}, Ball: world.Ball{Known: true,
			Pos: ball},
			Game: world.Game{Phase: world.TakePlaces, SetPiece: c.piece, Ours: c.ours, Spot: ball, SpotSeen: true,
				Taker: 2}}
		at := drivePositions(w, rapid.SampledFrom([]soccer.Role{soccer.Supporter, soccer.Marker, soccer.Sweeper}).Draw(
			t, "role"))
		exempt := !c.ours && c.piece != world.Penalty && p.InOwnPenaltyArea(at, 0)
		if d := pitch.Distance(at, ball); !exempt && !(d >= c.room) {
			t.Errorf("%s, ours %v: %.2f m from the ball at %v, want %.0f m", c.piece, c.ours, d, at, c.room)
		}
		if c.piece == world.Kickoff && !(at[0] <= 0) {
			t.Errorf("kick-off at %v, want the own half", at)
		}
		if c.piece == world.Penalty && (p.InOwnPenaltyArea(at, 0) || p.InTheirPenaltyArea(at, 0)) {
			t.Errorf("penalty at %v, want outside of the penalty areas", at)
		}
	})
}
