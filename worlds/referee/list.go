package referee

import (
	"slices"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// rule is a rule of play: what it remembers while the ball is in play, and how it judges.
type rule interface {
	// judge looks at a state in which the ball is in play, or is being brought into play. When the rule is broken, or
	// decides something else, it says in d what follows, and returns true.
	judge(m *match, d *Decision) bool
	// reset forgets everything: play begins.
	reset()
	keyframe.Exchanger
}

// memoryless is a rule that remembers nothing but what match does.
type memoryless struct{}

func (memoryless) reset()                   {}
func (memoryless) Exchange(*keyframe.Codec) {}

// theRules are those of play, for so many robots, in the order in which they are asked: the first that decides stops
// the game.
func theRules(robots int) []named {
	return []named{
		{"goal_from_own_half", goalFromOwnHalf{}},
		{"goal_from_set_piece", goalFromSetPiece{}},
		{"goal", goal{}},
		{"ball_out", ballOut{}},
		{"set_piece_touch", setPieceTouch{}},
		{"double_touch", doubleTouch{}},
		{"dribble_distance", dribbleDistance{}},
		{"dribble_halfway", dribbleHalfway{}},
		{"ball_covered", &ballCovered{robots: robots, robot: nobody}},
		{"goal_area", &crowd{allowed: goalAreaRule}},
		{"attackers", &crowd{allowed: attackersRule}},
		{"defenders", &crowd{allowed: defendersRule}},
		{pushingRule, &pushing{robots: robots}},
		{"stuck_ball", stuckBall{}},
	}
}

type named struct {
	name string
	rule
}

// pushingRule is the name of the rule for whose breach robots get cards.
const pushingRule = "pushing"

// Rules of the course of a game, which Referee itself follows.
const (
	repeatedFouls = "repeated_fouls"
	encroachment  = "encroachment"
	lapse         = "lapse"
	half          = "half"
)

// ruleNames are those of all rules.
var ruleNames = func() (names []string) {
	for _, r := range theRules(0) {
		names = append(names, r.name)
	}
	for _, r := range theRobotRules(0) {
		names = append(names, r.name)
	}
	return append(names, repeatedFouls, encroachment, lapse, half)
}()

// RuleNames returns the names of all rules.
func RuleNames() []string { return slices.Clone(ruleNames) }
