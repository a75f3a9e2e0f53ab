package game

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
)

// Command is a command of a referee that changes the game. Most are those of the MSL referee box. Two kinds of its
// commands are left out: substitutions, because all robots of a world play, and commands about connections (welcome, is
// alive). Source: RoboCup-MSL/RefBox. The names are those of the constants COMM_… in its file Config, in lower case.
// Set, Penalise and Unpenalise are commands of the leagues with legs.
type Command string

// The commands. The first group is for both teams, the second for one team, and the last for one robot: see Roster.
const (
	Start              Command = "start"
	Stop               Command = "stop"
	Set                Command = "set" // before a start: robots stand still on their places for the set piece
	DropBall           Command = "drop_ball"
	Park               Command = "park"
	FirstHalf          Command = "first_half"
	HalfTime           Command = "half_time"
	SecondHalf         Command = "second_half"
	EndGame            Command = "end_game" // after the second half; overtime may follow
	FirstHalfOvertime  Command = "first_half_overtime"
	SecondHalfOvertime Command = "second_half_overtime"
	GameOver           Command = "game_over"
	Reset              Command = "reset"

	Kickoff  Command = "kickoff"
	FreeKick Command = "freekick"
	GoalKick Command = "goalkick"
	ThrowIn  Command = "throwin"
	Corner   Command = "corner"
	Penalty  Command = "penalty"
	Goal     Command = "goal"
	SubGoal  Command = "subgoal" // takes back a goal that was counted

	Repair       Command = "repair"
	RepairEnd    Command = "repair_end"
	YellowCard   Command = "yellow_card"
	DoubleYellow Command = "double_yellow"
	RedCard      Command = "red_card"
	Penalise     Command = "penalise"   // the robot leaves the field for a time, or until the command unpenalise
	Unpenalise   Command = "unpenalise" // and returns at once, also while the ball is in play
)

var (
	setPieces   = []Command{Kickoff, FreeKick, GoalKick, ThrowIn, Corner, Penalty}
	corrections = []Command{Goal, SubGoal}
	forRobots   = []Command{Repair, RepairEnd, YellowCard, DoubleYellow, RedCard, Penalise, Unpenalise}
)

// ForOneTeam reports whether a command is for one team, or for one robot of a team.
func (c Command) ForOneTeam() bool {
	return slices.Contains(setPieces, c) || slices.Contains(corrections, c) || c.ForRobot()
}

// ForRobot reports whether a command is for one robot. Such a command changes the robot's Standing, but not the State.
func (c Command) ForRobot() bool { return slices.Contains(forRobots, c) }

// Whistle returns for how long the referee whistles with a command. It is 0 for most commands. The durations are
// guesses.
func (c Command) Whistle() time.Duration {
	switch c {
	case Start, Stop:
		return 500 * time.Millisecond
	case HalfTime, EndGame, GameOver:
		return 1500 * time.Millisecond
	}
	return 0
}

// Command carries a command out. If the command is for one team, the argument team is that team.
func (g *Game) Command(c Command, team physics.Team) { g.state = g.state.After(c, team) }

// After returns the state that a command leads to from the state s.
func (s State) After(c Command, team physics.Team) State {
	switch c {
	case Start:
		s.Phase = Playing
	case Set:
		s.Phase = InSet
	case Stop:
		s.Phase, s.SetPiece, s.Team = Stopped, "", ""
	case Park:
		s.Phase, s.SetPiece, s.Team = Parked, "", ""
	case FirstHalf, SecondHalf, FirstHalfOvertime, SecondHalfOvertime: // the command start then starts play
		s.Half = Half(c)
	case HalfTime, EndGame, GameOver:
		s.Phase, s.SetPiece, s.Team, s.Half = Stopped, "", "", Half(c)
	case Reset:
		s = State{Phase: Stopped, Half: PreGame}
	case Goal:
		*s.Score.goals(team)++
	case SubGoal:
		score := s.Score.goals(team)
		*score = max(*score-1, 0)
	case Repair, RepairEnd, YellowCard, DoubleYellow, RedCard, Penalise, Unpenalise:
	default:
		s.Phase, s.SetPiece, s.Team = SetPiece, c, team
	}
	return s
}
