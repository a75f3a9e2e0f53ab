package referee

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Rules are the thresholds of the referee's rules. The doc tag of each field names the source of the number. "recalled"
// means that the number was recalled from the league's rule book; "guess" means that no rule book states it.
type Rules struct {
	Off     []string      `toml:"off" maxlen:"40" oneof:"goal_from_own_half|goal_from_set_piece|goal|ball_out|set_piece_touch|double_touch|dribble_distance|dribble_halfway|ball_covered|goal_area|attackers|defenders|pushing|stuck_ball|fallen|stuck_robot|repeated_fouls|encroachment|lapse|half" doc:"rules that are switched off"`
	Half    time.Duration `toml:"half_s" range:"[1, 100000]" doc:"length of a half, from its first start; time runs on while play is stopped; recalled"`
	Break   time.Duration `toml:"half_time_s" range:"[0, 100000]" doc:"length of the break between the halves. Guess: as long as robots take to their places"`
	KickOff string        `toml:"kickoff" oneof:"cyan|magenta|none" doc:"team that kicks off the first half, the other team the second; none: the ball is in play from the start"`

	Stop     time.Duration `toml:"stop_s" range:"[0, 60]" doc:"time from a stop until the ball is placed and the set piece announced; as in simatch"`
	PlaceMin time.Duration `toml:"place_min_s" range:"[0, 60]" doc:"time from there until the start, when all robots keep their distances; recalled"`
	PlaceMax time.Duration `toml:"place_s" range:"[0, 60]" doc:"the same time when some robots do not keep their distances: the set-piece timer of the league's RefBox, July 2024; simatch waits 4 s"`
	Take     time.Duration `toml:"take_s" range:"[0.1, 60]" doc:"time from the start until all robots may play a ball that no robot has played; recalled"`
	InPlay   float64       `toml:"in_play_m" range:"[0.01, 5]" doc:"distance by which the ball must move to be in play; recalled"`
	PutBack  float64       `toml:"put_back_m" range:"[0, 100]" doc:"distance by which the ball must have moved before the start to be placed again. Guess"`
	Inset    float64       `toml:"inset_m" range:"[0, 2]" doc:"distance from the lines at which throw-ins and corners are taken; as simatch's throw-ins"`

	Direct []string `toml:"direct" maxlen:"10" oneof:"kickoff|freekick|goalkick|throwin|corner|penalty|drop_ball" doc:"set pieces from which a goal in the opponents' goal counts without the touch of a second robot; recalled"`

	Mates   float64 `toml:"mates_m" range:"[0, 10]" doc:"distance of the taker's teammates from the ball at a set piece; as in simatch"`
	Others  float64 `toml:"others_m" range:"[0, 10]" doc:"distance of the opponents, unless they are in their own penalty area; as in simatch"`
	Dropped float64 `toml:"dropped_ball_m" range:"[0, 10]" doc:"distance of all robots from a dropped ball, unless they are in their own penalty area; as in simatch"`

	Dribble     float64       `toml:"dribble_m" range:"[0.1, 100]" doc:"longest distance from where a robot took the ball to where it may carry it; as in simatch"`
	Across      bool          `toml:"dribble_across_halfway" doc:"whether a robot may carry the ball across the halfway line; simatch has this rule, switched off"`
	Release     time.Duration `toml:"release_s" range:"[0, 10]" doc:"a robot that loses the ball and takes it again within this time has not released it. Guess: a dribbler loses it for a few steps"`
	CoverShare  float64       `toml:"cover_share" range:"[0, 1]" doc:"share of the ball's diameter that a robot which holds it may cover, seen from above: a third, recalled"`
	CoverFor    time.Duration `toml:"cover_s" range:"[0, 60]" doc:"time for which it may cover more, as when it stops the ball; recalled"`
	DoubleTouch float64       `toml:"double_touch_m" range:"[0.1, 20]" doc:"distance that the ball must have from the taker of a set piece, between centres, before another touch of the taker counts as its second. Guess: clearly a kick and no bounce"`

	Attackers int           `toml:"attackers" range:"[0, 100]" doc:"robots that may be in the opponents' penalty area at once, not counting number 1; as in simatch"`
	Defenders int           `toml:"defenders" range:"[0, 100]" doc:"robots that may be in their own penalty area at once, not counting number 1; recalled"`
	AreaFor   time.Duration `toml:"area_s" range:"[0, 60]" doc:"time for which robots may be in an area against the rules. Guess: a robot on its way out is not at fault"`

	Push float64 `toml:"push_m" range:"[0.01, 5]" doc:"distance by which a robot may drive back an opponent that it presses against. Guess: a robot that only stops another does not push"`

	FoulsForYellow int `toml:"fouls_for_yellow" range:"[1, 1000]" doc:"number of pushes after which a robot gets a yellow card, and again its next one. Guess: the rule book leaves that to the referee"`

	Repair       time.Duration `toml:"repair_s" range:"[0, 100000]" doc:"time from when a robot leaves the field for repair until it may return; with any referee: the timer of the league's RefBox, July 2024"`
	DoubleYellow time.Duration `toml:"double_yellow_s" range:"[0, 100000]" doc:"the same time after two yellow cards, from the same source"`

	FallenBy      float64       `toml:"fallen_deg" range:"[1, 180]" doc:"tilt of a robot that counts as fallen. Guess: no robot gets up from there"`
	FallenFor     time.Duration `toml:"fallen_s" range:"[0, 600]" doc:"time for which a robot must lie until it leaves the field for repair. Guess"`
	StuckRobotFor time.Duration `toml:"stuck_robot_s" range:"[0, 600]" doc:"time for which a robot must be stuck until it leaves the field for repair; recalled"`
	StuckRobotBy  float64       `toml:"stuck_robot_m" range:"[0.01, 5]" doc:"distance after which a robot is no longer stuck. Guess"`

	StuckFor time.Duration `toml:"stuck_s" range:"[0.1, 600]" doc:"time without progress after which the ball is dropped; recalled"`
	StuckBy  float64       `toml:"stuck_m" range:"[0.01, 5]" doc:"distance that the ball must move for progress. Guess"`
}

// DefaultRules returns the thresholds of the league, as far as they are known. The others are guesses.
func DefaultRules() Rules {
	return Rules{
		Half: 15 * time.Minute, Break: 10 * time.Second, KickOff: "cyan",
		Stop: 2 * time.Second, PlaceMin: 2 * time.Second, PlaceMax: 7 * time.Second, Take: 10 * time.Second,
		InPlay: 0.2, PutBack: 0.05, Inset: 0.3,
		Direct: []string{string(game.Penalty), string(game.DropBall)},
		Mates:  2, Others: 3, Dropped: 1,
		Dribble: 3, Across: true, Release: 200 * time.Millisecond, DoubleTouch: 0.6, CoverShare: 0.334,
		CoverFor:  time.Second,
		Attackers: 1, Defenders: 1, AreaFor: 2 * time.Second,
		Push: 0.3, FoulsForYellow: 3,
		Repair: 20 * time.Second, DoubleYellow: 90 * time.Second,
		FallenBy: math.Pi / 4, FallenFor: 3 * time.Second, StuckRobotFor: 10 * time.Second, StuckRobotBy: 0.1,
		StuckFor: 10 * time.Second, StuckBy: 0.1,
	}
}

// Validate reports violations of the conditions that concern several fields together.
func (r *Rules) Validate() error {
	if r.PlaceMin > r.PlaceMax {
		return &rules.Violation{Field: "PlaceMin", Value: r.PlaceMin, Rule: "must be at most {PlaceMax}"}
	}
	return nil
}

// inForce reports whether a rule is in force.
func (r *Rules) inForce(rule string) bool { return !slices.Contains(r.Off, rule) }

// rule is a rule of play. It may have a memory of what has happened since play started.
type rule interface {
	// judge judges a state in which the ball is in play, or is being brought into play. If the rule has something to
	// decide, for instance that it has been broken, judge describes the decision in d and returns true.
	judge(m *match, d *Decision) bool
	// reset clears the rule's memory when play starts.
	reset()
	keyframe.Exchanger
}

// memoryless is the judge method of a rule that has no memory of its own, apart from what the type match remembers.
type memoryless func(m *match, d *Decision) bool

func (judge memoryless) judge(m *match, d *Decision) bool { return judge(m, d) }
func (memoryless) reset()                                 {}
func (memoryless) Exchange(*keyframe.Codec)               {}

// theRules returns the rules of play for a number of robots, in the order in which they judge. The first rule that
// decides something stops play.
func theRules(robots int) []named {
	return []named{
		{"goal_from_own_half", memoryless(goalFromOwnHalf)},
		{"goal_from_set_piece", memoryless(goalFromSetPiece)},
		{"goal", memoryless(goal)},
		{"ball_out", memoryless(ballOut)},
		{"set_piece_touch", memoryless(setPieceTouch)},
		{"double_touch", memoryless(doubleTouch)},
		{"dribble_distance", memoryless(dribbleDistance)},
		{"dribble_halfway", memoryless(dribbleHalfway)},
		{"ball_covered", &ballCovered{robots: robots, robot: nobody}},
		{"goal_area", &crowd{allowed: goalAreaRule}},
		{"attackers", &crowd{allowed: attackersRule}},
		{"defenders", &crowd{allowed: defendersRule}},
		{pushingRule, &pushing{robots: robots}},
		{"stuck_ball", memoryless(stuckBall)},
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
