package referee

import (
	"slices"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// rule is a rule of play, with what it remembers of the present play.
type rule interface {
	// judge judges a state in which the ball is in play, or is being brought into play. If the rule has something to
	// decide, for instance that it has been broken, judge describes the decision in d and returns true.
	judge(m *match, d *Decision) bool
	// reset clears the rule's memory when play starts.
	reset()
	keyframe.Exchanger
}

// memoryless is embedded by rules that remember nothing beyond what match does.
type memoryless struct{}

func (memoryless) reset()                   {}
func (memoryless) Exchange(*keyframe.Codec) {}

// theRules returns the rules of play for a number of robots, in the order in which they judge. The first rule that
// decides something stops play.
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

// pushingRule is the name of the rule whose fouls earn cards.
const pushingRule = "pushing"

// Names of the rules about the course of a game, which Referee itself carries out.
const (
	repeatedFouls = "repeated_fouls"
	encroachment  = "encroachment"
	lapse         = "lapse"
	half          = "half"
)

// ruleNames are the names of all rules.
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
