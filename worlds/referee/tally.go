package referee

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

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
