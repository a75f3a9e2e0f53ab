package referee

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Decision is a decision of the referee, with its basis.
type Decision struct {
	Rule    string        // one of RuleNames
	Reason  string        // one sentence
	Step    int64         // step of the state that it is based on
	Time    time.Duration // sim time
	PlaceW  [2]float64    // place of the event, metres
	Against physics.Team  // team at fault; empty if none is
	Robots  []string      // robots at fault, or robots that acted
	Goal    physics.Team  // team that scored; empty if none did
	Command game.Command  // command with which the game continues; empty if there is none
	Team    physics.Team  // team of the command; empty for both
	BallW   [2]float64    // where the ball is placed for a set piece, metres, unless a robot stands there
	Basis   []Quantity    // numbers that it is based on
}

// Quantity is a number that a decision is based on, and the limit that the rule compares it with.
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

// addBasis adds a quantity to the basis of the decision.
func (d *Decision) addBasis(name string, value float64, unit string, limit float64) {
	d.Basis = append(d.Basis, Quantity{name, value, unit, limit})
}

// Order is a consequence of a decision, at once or later: a command of the referee box, or a place for the ball.
type Order struct {
	Command  game.Command // empty if the order places the ball
	Team     physics.Team
	Number   int        // number of the team's robot that the command concerns; 0 for none
	BallPosW [2]float64 // on the floor, metres
}
