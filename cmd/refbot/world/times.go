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
	// time after which the ball is in play at a set piece, and at a penalty, even if nobody has moved it
	setPiece, penalty time.Duration
}

// times are the Times of the leagues. On wheels, Report is every second frame at 30 frames per second. On legs,
// everything happens more slowly, a camera in a head sees only a part of the field, and four robots may send 12,000
// messages in a game of twenty minutes and its stops.
var times = [...]Times{
	pitch.MiddleSize: {60 * time.Millisecond, 500 * time.Millisecond, 300 * time.Millisecond, 1500 * time.Millisecond,
		3 * time.Second, 10 * time.Second, 10 * time.Second},
	pitch.Humanoid: {500 * time.Millisecond, 2 * time.Second, time.Second, 4 * time.Second,
		8 * time.Second, 45 * time.Second, time.Minute},
}

// Times returns the Times of the world's league.
func (w *World) Times() *Times { return &times[w.Pitch.League] }

// setPieceTime returns the time after which the ball is in play even if nobody has moved it.
func (w *World) setPieceTime() time.Duration {
	switch t := w.Times(); w.Game.SetPiece {
	case Kickoff:
		return times[pitch.MiddleSize].setPiece // in both leagues
	case Penalty:
		return t.penalty
	default:
		return t.setPiece
	}
}
