package gamecontroller

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// View follows the game of a simulation and tells it as a GameController does. It belongs to the goroutine that steps.
type View struct {
	sim     *omnipitch.Sim
	version Version
	numbers Numbers
	delay   time.Duration // see ServerConfig

	was    game.State
	taken  bool          // all robots may play the ball of the last set piece
	placed [3]float64    // the ball's position in W when the set piece was started, m
	began  time.Duration // sim time of that start
	left   time.Duration // rest of the half at that start
	held   bool          // robots are not told of that start yet
	ended  bool          // robots were last told that the half is over
}

var bothTeams = [...]physics.Team{physics.Cyan, physics.Magenta}

// NewView returns a View of a game that begins.
func NewView(sim *omnipitch.Sim, version Version, numbers Numbers, delay time.Duration) View {
	return View{sim: sim, version: version, numbers: numbers, delay: delay, was: sim.Match().Game(), taken: true}
}

// Observe follows the game to the new state. It reports whether play was interrupted in this step.
func (v *View) Observe(truth *physics.Snapshot) (interrupted bool) {
	is, rules := v.sim.Match().Game(), &v.sim.World().Rules
	switch {
	case v.was.Phase != game.Playing && is.Phase == game.Playing && is.SetPiece != "":
		v.taken, v.placed, v.began = false, truth.Ball.PosW, truth.Time
		v.held, v.left = v.delay > 0 && referee.Ready(is.SetPiece), v.leftOfHalf(is, truth.Time)
	case is.Phase != game.Playing:
		v.taken, v.held = true, false
	case is != v.was: // such as a goal
		v.held = false
	}
	moved := math.Hypot(truth.Ball.PosW[0]-v.placed[0], truth.Ball.PosW[1]-v.placed[1])
	v.taken = v.taken || !(moved < rules.InPlay) || truth.Time-v.began >= rules.TakeFor(is.SetPiece)
	v.held = v.held && truth.Time-v.began < v.delay
	board := v.sim.Match().Scoreboard()
	interrupted = board.Runs() && v.was.Phase == game.Playing && (is.Phase == game.Stopped ||
		is.Pending() && !referee.Ready(is.SetPiece))
	v.was = is
	return interrupted
}

func (v *View) leftOfHalf(is game.State, now time.Duration) time.Duration {
	board := v.sim.Match().Scoreboard()
	return board.Left(is, v.sim.World().Rules.Half, now)
}

// Fill tells the game at the sim time now: its true state, or the state for robots.
func (v *View) Fill(c *Control, truth bool, now time.Duration) {
	is, board, left := v.was, v.sim.Match().Scoreboard(), v.leftOfHalf(v.was, now)
	if v.held && !truth {
		is.Phase, left = game.InSet, v.left
	}
	*c = Control{Version: v.version, True: truth, Kicking: NoTeam, Left: seconds(left),
		FirstHalf: slices.Contains(firstHalves, is.Half), Secondary: seconds(v.sim.Match().StageLeft())}
	switch {
	case board.Shootout(is):
		c.Phase = Shootout
	case is.Half == game.Half(game.FirstHalfOvertime), is.Half == game.Half(game.SecondHalfOvertime):
		c.Phase = ExtraTime
	}
	v.tellState(c, is, board.Runs())
	switch {
	case c.State == Set:
		c.Secondary = 0
	case is.Phase == game.Playing && !v.taken:
		c.Secondary = seconds(v.sim.World().Rules.TakeFor(is.SetPiece) - (now - v.began))
	}
	if !truth {
		if v.ended && c.State != Finished { // robots prepare for a half before they walk to their places
			c.State, c.SetPlay, c.Stopped, c.Kicking = Initial, NoSetPlay, false, NoTeam
		}
		v.ended = c.State == Finished
	}
	if v.version == Humanoid12 {
		c.DropInTeam, c.DropIn = v.numbers.of(board.PutOut), math.MaxUint16
		if board.DropIn >= 0 {
			c.DropIn = uint16(min((now-board.DropIn)/time.Second, math.MaxUint16))
		}
	}
	for i, team := range bothTeams {
		c.Players = max(c.Players, v.tellTeam(&c.Teams[i], team, is, now))
	}
}

// firstHalves are the halves for which a packet's field firstHalf is set.
var firstHalves = []game.Half{game.PreGame, game.Half(game.FirstHalf), game.Half(game.HalfTime),
	game.Half(game.FirstHalfOvertime)}

// setPlays are the set plays of set pieces. A kick-off and a dropped ball are none.
var setPlays = map[game.Command]SetPlay{game.FreeKick: IndirectFreeKick, game.GoalKick: GoalKick,
	game.ThrowIn: ThrowIn, game.Corner: CornerKick, game.Penalty: PenaltyKick}

// tellState tells the state and the set play. runs reports whether the half has been started.
func (v *View) tellState(c *Control, is game.State, runs bool) {
	over := is.Half == game.Half(game.HalfTime) || is.Half == game.Half(game.EndGame) ||
		is.Half == game.Half(game.GameOver)
	switch {
	case is.Phase == game.Parked, is.Phase == game.Stopped && over && c.Phase != Shootout:
		c.State = Finished
		return
	case is.Phase == game.Stopped && !runs:
		c.State = Initial
		return
	case is.Phase == game.Stopped:
		c.State, c.Stopped = Playing, true
		if v.version != Soccer19 && v.version != Soccer20 { // these cannot interrupt play
			c.State, c.Stopped = Set, false
		}
		return
	}
	if is.Phase != game.Playing || !v.taken {
		c.SetPlay, c.Kicking = setPlays[is.SetPiece], v.numbers.of(is.Team)
		if is.SetPiece == game.FreeKick && slices.Contains(v.sim.World().Rules.Direct, string(game.FreeKick)) {
			c.SetPlay = DirectFreeKick
		}
	}
	switch {
	case is.Phase == game.Playing:
		c.State = Playing
		if v.version == Humanoid12 && !referee.Ready(is.SetPiece) {
			c.SetPlay, c.Kicking = NoSetPlay, NoTeam // there, a set play is over when play goes on
		}
	case referee.Ready(is.SetPiece) && (is.Phase == game.InSet || c.Phase == Shootout):
		c.State = Set
	case referee.Ready(is.SetPiece) || is.SetPiece == "":
		c.State = Ready
	default:
		c.State = Playing
		c.Stopped = v.version == Soccer19 || v.version == Soccer20
		c.Step = StepGetReady
		if is.Phase == game.InSet {
			c.Step = StepSet
		}
	}
	if v.version == Humanoid12 && c.SetPlay == PenaltyKick && c.State != Playing { // a set play of state Playing
		c.Step = StepGetReady
		if c.State == Set {
			c.Step = StepSet
		}
		c.State = Playing
	}
}

// penaltyFor gives the penalty for an offence.
var penaltyFor = map[game.Offence]Penalty{game.IllegalPosition: IllegalPosition, game.MotionInSet: MotionInSet,
	game.LocalGameStuck: LocalGameStuck, game.Incapable: Incapable, game.BallHolding: BallHolding,
	game.LeavingTheField: LeavingTheField, game.WithHands: PlayingWithHands, game.Pushing: Pushing}

// tellTeam tells a team, and returns its number of robots.
func (v *View) tellTeam(t *Team, team physics.Team, is game.State, now time.Duration) (players uint8) {
	board, standings, robots := v.sim.Match().Scoreboard(), v.sim.Match().Standings(), v.sim.World().Robots
	shots := board.Shots(team)
	*t = Team{Number: v.numbers.of(team), Colour: Blue, KeeperColour: Yellow, Score: uint8(min(is.Score.Of(team), 255)),
		PenaltyShot: uint8(min(shots.Taken, 255)), SingleShots: shots.Scored}
	if team == physics.Magenta {
		t.Colour, t.KeeperColour = Red, Black
	}
	for k := range t.Robots {
		t.Robots[k].Penalty = Substitute
	}
	for i := range robots {
		n := robots[i].Number
		if robots[i].Team != team {
			continue
		}
		players++
		if n < 1 || n > MaxPlayers {
			continue
		}
		r, s := &t.Robots[n-1], &standings[i]
		*r = Robot{Cautions: uint8(s.Yellow)}
		if n == 1 {
			t.Keeper, r.Keeper = 1, 1
		}
		switch s.Out {
		case "":
			continue
		case game.RedCard:
			r.Penalty, r.Red = SentOff, 1
		case game.DoubleYellow:
			r.Penalty, r.Cautions = Cautioned, 2
		default:
			r.Penalty = PickUp
			if p, ok := penaltyFor[s.Offence]; ok {
				r.Penalty = p
			}
		}
		r.Left = uint8(min(max(seconds(s.Until-now), 0), math.MaxUint8))
	}
	return players
}

// seconds rounds up to whole seconds, as a GameController does.
func seconds(d time.Duration) int16 {
	return int16(min(max(math.Ceil(d.Seconds()), math.MinInt16), math.MaxInt16))
}
