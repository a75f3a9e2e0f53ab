package rcsssmj

import (
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/gamecontroller"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// numbers of the teams in the packets of the View, which this package does not send
const cyan, magenta = 1, 2

// view is the game as agents get it. It belongs to the goroutine that steps.
type view struct {
	gamecontroller.View
	sim     *omnipitch.Sim
	control gamecontroller.Control
	played  game.Score // score while the ball was last in play
	mode    string     // play mode
	beams   bool       // whether agents may beam robots that have not been sent off
}

func newView(sim *omnipitch.Sim) view {
	v := view{sim: sim, View: gamecontroller.NewView(sim, gamecontroller.Soccer20,
		gamecontroller.Numbers{Cyan: cyan, Magenta: magenta}, 0), played: sim.Match().Game().Score}
	v.update(0)
	return v
}

// observe follows the game to the state of a step.
func (v *view) observe(truth *physics.Snapshot) {
	if truth.Step == 0 { // the world starts or restarts
		*v = newView(v.sim)
	}
	v.Observe(truth)
	v.update(truth.Time)
}

func (v *view) update(now time.Duration) {
	v.Fill(&v.control, true, now)
	is := v.sim.Match().Game()
	if v.control.State == gamecontroller.Playing && !v.control.Stopped {
		v.played = is.Score
	}
	v.mode = playMode(&v.control, v.played, is.Score)
	v.beams = v.mode == "BeforeKickOff" || v.mode == "Goal_Left" || v.mode == "Goal_Right"
}

// sets are the league's names of set plays, without the side.
var sets = map[gamecontroller.SetPlay]string{gamecontroller.DirectFreeKick: "direct_free_kick",
	gamecontroller.IndirectFreeKick: "free_kick", gamecontroller.PenaltyKick: "penalty_kick",
	gamecontroller.ThrowIn: "KickIn", gamecontroller.GoalKick: "goal_kick", gamecontroller.CornerKick: "corner_kick"}

// sides are the league's names of the sides in two groups of play modes.
var sides = map[bool]map[uint8]string{false: {cyan: "_left", magenta: "_right"},
	true: {cyan: "_Left", magenta: "_Right"}}

// playMode returns the league's name of a state of the game. The league has no other stops than those of set plays and
// goals: another stop, and the time before a kick-off is free, are BeforeKickOff. Source: the play modes of version
// 0.2.1.
func playMode(c *gamecontroller.Control, played, score game.Score) string {
	piece := sets[c.SetPlay]
	ready := c.State == gamecontroller.Ready || c.Stopped && c.SetPlay == gamecontroller.NoSetPlay
	switch {
	case c.State == gamecontroller.Finished && !c.FirstHalf:
		return "GameOver"
	case piece != "":
		return piece + sides[piece == "KickIn"][c.Kicking]
	case ready && score.Cyan > played.Cyan:
		return "Goal_Left"
	case ready && score.Magenta > played.Magenta:
		return "Goal_Right"
	case c.State != gamecontroller.Playing || c.Stopped:
		return "BeforeKickOff"
	case c.Kicking == cyan || c.Kicking == magenta:
		return "KickOff" + sides[true][c.Kicking]
	}
	return "PlayOn"
}

// append appends the perceptor GS. The names of teams without an agent are left out.
func (v *view) append(b []byte, teams [2]string, now time.Duration) []byte {
	is, board, half := v.sim.Match().Game(), v.sim.Match().Scoreboard(), v.sim.World().Rules.Half
	var played time.Duration
	if board.Runs() {
		played = half - board.Left(is, half, now)
	}
	if !v.control.FirstHalf {
		played += half
	}
	b = append(appendNumber(append(b, "(GS (t "...), played.Seconds(), 2), ")(pm "...)
	b = append(append(b, v.mode...), ')')
	for i, tag := range [...]string{"(tl ", "(tr "} {
		if teams[i] != "" {
			b = append(append(append(b, tag...), teams[i]...), ')')
		}
	}
	b = strconv.AppendInt(append(b, "(sl "...), int64(is.Score.Cyan), 10)
	b = strconv.AppendInt(append(b, ")(sr "...), int64(is.Score.Magenta), 10)
	return append(b, "))"...)
}
