package referee

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Decision is what the referee has decided, and what that rests on.
type Decision struct {
	Rule    string        // one of RuleNames
	Reason  string        // one sentence
	Step    int64         // whose state it rests on
	Time    time.Duration // sim time
	PlaceW  [2]float64    // where it happened, metres
	Against physics.Team  // who is at fault; empty: nobody
	Robots  []string      // that are at fault, or have done it
	Goal    physics.Team  // who has scored; empty: nobody
	Command game.Command  // by which the game goes on; empty: it goes on without one
	Team    physics.Team  // for whom the command is; empty: for both
	BallW   [2]float64    // where the ball is put for a set piece, metres, unless a robot stands there
	Basis   []Quantity    // what it rests on
}

// Quantity is a number that a decision rests on, with what the rule compares it with.
type Quantity struct {
	Name  string
	Value float64
	Unit  string
	Limit float64
}

func (q Quantity) String() string {
	return fmt.Sprintf("%s %.4g %s, limit %.4g", q.Name, q.Value, q.Unit, q.Limit)
}

func (d Decision) String() string {
	text := fmt.Sprintf("%.3f s: %s: %s", d.Time.Seconds(), d.Rule, d.Reason)
	if d.Command != "" {
		text += ": " + string(d.Command)
		if d.Team != "" {
			text += " of " + string(d.Team)
		}
	}
	return text
}

// rest notes what a decision rests on.
func (d *Decision) rest(name string, value float64, unit string, limit float64) {
	d.Basis = append(d.Basis, Quantity{name, value, unit, limit})
}

// Order is what follows a decision at once or later: a command of the referee box, or the ball's place.
type Order struct {
	Command  game.Command // empty: the ball is placed
	Team     physics.Team
	Number   int        // of the team's robot that the command is for; 0: for none
	BallPosW [2]float64 // on the floor, metres
}
