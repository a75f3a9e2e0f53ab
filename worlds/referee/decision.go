package referee

import (
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Decision is a decision of the referee, with its basis.
type Decision struct {
	Rule    string        // one of RuleNames
	Reason  string        // one sentence
	Step    int64         // index of the step whose state the decision is based on
	Time    time.Duration // sim time of that state
	PlaceW  [2]float64    // where the event that led to the decision happened, in W, m
	Against physics.Team  // team at fault; empty if no team is
	Robots  []string      // robots at fault; if no robot is at fault, the robots that took part
	Goal    physics.Team  // team that scored a goal; empty if no team did
	Command game.Command  // command with which the game continues; empty if there is no such command
	Team    physics.Team  // team of the command; empty if the command is for both teams
	BallW   [2]float64    // where the ball is placed for a set piece, in W, m, unless a robot stands there
	Removal game.Removal  // why and for how long the first of the robots leaves the field; zero if none does
	Basis   []Quantity    // numbers that the decision is based on
}

// Quantity is a number that a decision is based on, with the limit that the rule compares it with.
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

// Order is a consequence of a decision, which the caller carries out: a command of the referee box, or a place for the
// ball.
type Order struct {
	Command  game.Command // empty if the order places the ball
	Team     physics.Team
	Number   int // number of the robot that the command concerns; 0 if it concerns no single robot
	Removal  game.Removal
	BallPosW [2]float64 // place for the ball on the floor, in W, m
}

// Tally is the statistics of a game.
type Tally struct {
	Rules          []int         // number of decisions by each rule, in the order of RuleNames
	Played         time.Duration // sim time during which the ball was in play
	Whole          time.Duration // duration of the halves, without the break between them
	LongestRestart time.Duration // longest time from a stop until the ball was in play again
}

// Tally returns the statistics of the game so far. They are valid until the next Observe.
func (r *Referee) Tally() *Tally { return &r.tally }

// Share returns the fraction of the time of the halves during which the ball was in play.
func (t *Tally) Share() float64 {
	if t.Whole == 0 {
		return 0
	}
	return t.Played.Seconds() / t.Whole.Seconds()
}

func (t *Tally) add(s stage, step time.Duration) {
	switch s {
	case pausing, ended:
		return
	case playing:
		t.Played += step
	}
	t.Whole += step
}

func (t *Tally) count(rule string) { t.Rules[slices.Index(ruleNames, rule)]++ }

func (t *Tally) restarted(after time.Duration) { t.LongestRestart = max(t.LongestRestart, after) }

// Exchange saves or restores the statistics.
func (t *Tally) Exchange(c *keyframe.Codec) {
	for i := range t.Rules {
		c.Int(&t.Rules[i])
	}
	c.Duration(&t.Played)
	c.Duration(&t.Whole)
	c.Duration(&t.LongestRestart)
}
