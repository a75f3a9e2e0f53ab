package world

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Times say for how long robots of a league rely on what they know. All but those of set pieces are guesses.
type Times struct {
	Report time.Duration // least time between two radio messages
	silent time.Duration // time without a message after which only own sightings of a teammate count
	others time.Duration // age after which a teammate's report of other robots does not count
	track  time.Duration // time without a sighting after which a robot is forgotten
	ball   time.Duration // time without a sighting after which the ball is forgotten
	// time after which the ball is in play even if nobody has moved it: at a set piece, a kick-off and a penalty
	setPiece, kickoff, penalty time.Duration
}

// times are the Times of the leagues. On wheels, Report is every second frame at 30 frames per second. On legs,
// everything happens more slowly, a camera in a head sees only a part of the field, and four robots may send 12,000
// messages in a game of twenty minutes and its stops.
var times = [...]Times{
	pitch.MiddleSize: {Report: 60 * time.Millisecond, silent: 500 * time.Millisecond, others: 300 * time.Millisecond,
		track: 1500 * time.Millisecond, ball: 3 * time.Second, setPiece: 10 * time.Second, kickoff: 10 * time.Second,
		penalty: 10 * time.Second},
	pitch.Humanoid: {Report: 500 * time.Millisecond, silent: 2 * time.Second, others: time.Second,
		track: 4 * time.Second, ball: 8 * time.Second, setPiece: 45 * time.Second, kickoff: 10 * time.Second,
		penalty: time.Minute},
}

// Times returns the Times of the world's league.
func (w *World) Times() *Times { return &times[w.Pitch.League] }

// setPieceTime returns the time after which the ball is in play even if nobody has moved it.
func (w *World) setPieceTime() time.Duration {
	switch t := w.Times(); w.Game.SetPiece {
	case Kickoff:
		return t.kickoff
	case Penalty:
		return t.penalty
	default:
		return t.setPiece
	}
}
