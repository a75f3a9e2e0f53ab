package referee

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/worlds/game"
)

// Book is a league's rule book: a list of rules, and the default thresholds of Rules.
type Book string

// The books.
const (
	MSL      Book = "msl"      // Middle Size League
	Humanoid Book = "humanoid" // Humanoid Soccer League
)

// book is the contents of a Book. If several rules of play, or about single robots, decide in the same step, the first
// of the list decides.
type book struct {
	play, robots []string
	course       []string // rules about the course of a game, which Referee itself carries out
	// offences are the rules that penalise a robot, and why. A robot that a rule about single robots sends off for
	// another reason leaves the field for repair.
	offences map[string]game.Offence

	areas    bool // free kicks, goal kicks and dropped balls are not taken in penalty areas, but at restart points
	centre   bool // the ball is dropped in the centre, and all robots wait for it as for a kick-off
	circle   bool // at a kick-off, only the team that takes it may be in the centre circle
	contacts bool // each contact of opponents counts as pressing, not only what package physics reports as pushing
}

// names returns the names of all rules of the book.
func (b *book) names() []string { return slices.Concat(b.play, b.robots, b.course) }

// Names of rules to which other code refers.
const (
	pushingRule   = "pushing" // its fouls earn cards
	repeatedFouls = "repeated_fouls"
	encroachment  = "encroachment"
	lapse         = "lapse"
	half          = "half"
	motionInSet   = "motion_in_set"
	mercy         = "mercy"
)

var books = map[Book]*book{
	MSL: {
		play: []string{"goal_from_own_half", "goal_from_set_piece", "goal", "ball_out", "set_piece_touch",
			"double_touch", "dribble_distance", "dribble_halfway", "ball_covered", "goal_area", "attackers",
			"defenders", pushingRule, "stuck_ball"},
		robots: []string{"fallen", "stuck_robot"},
		course: []string{repeatedFouls, encroachment, lapse, half},
		areas:  true,
	},
	Humanoid: {
		play: []string{"goal_from_set_piece", "goal", "ball_out", "set_piece_touch", "ball_holding", pushingRule,
			"stuck_ball"},
		robots: []string{"fallen", "inactive_goalkeeper", "left_field", motionInSet, "illegal_position"},
		course: []string{lapse, half, mercy},
		offences: map[string]game.Offence{"set_piece_touch": game.IllegalPosition, "ball_holding": game.BallHolding,
			pushingRule: game.Pushing, "fallen": game.Incapable, "inactive_goalkeeper": game.Incapable,
			"left_field": game.LeavingTheField, motionInSet: game.MotionInSet,
			"illegal_position": game.IllegalPosition},
		centre: true, circle: true, contacts: true,
	},
}

// playRules make the rules of play, for a number of robots.
var playRules = map[string]func(robots int) rule{
	"goal_from_own_half":  func(int) rule { return memoryless(goalFromOwnHalf) },
	"goal_from_set_piece": func(int) rule { return memoryless(goalFromSetPiece) },
	"goal":                func(int) rule { return memoryless(goal) },
	"ball_out":            func(int) rule { return memoryless(ballOut) },
	"set_piece_touch":     func(int) rule { return memoryless(setPieceTouch) },
	"double_touch":        func(int) rule { return memoryless(doubleTouch) },
	"dribble_distance":    func(int) rule { return memoryless(dribbleDistance) },
	"dribble_halfway":     func(int) rule { return memoryless(dribbleHalfway) },
	"ball_covered": func(robots int) rule {
		return &ballCovered{robots: robots, robot: nobody, by: (*match).dribbler}
	},
	"ball_holding": func(robots int) rule {
		return &ballCovered{robots: robots, robot: nobody, by: (*match).coverer, keepers: true}
	},
	"goal_area":  func(int) rule { return &crowd{allowed: goalAreaRule} },
	"attackers":  func(int) rule { return &crowd{allowed: attackersRule} },
	"defenders":  func(int) rule { return &crowd{allowed: defendersRule} },
	pushingRule:  func(robots int) rule { return &pushing{robots: robots} },
	"stuck_ball": func(int) rule { return memoryless(stuckBall) },
}

// robotRules make the rules about single robots, for a number of robots.
var robotRules = map[string]func(robots int) robotRule{
	"fallen":              func(robots int) robotRule { return &fallen{make([]span, robots)} },
	"stuck_robot":         func(robots int) robotRule { return &stuckRobot{make([]standstill, robots)} },
	"inactive_goalkeeper": func(robots int) robotRule { return &inactive{make([]approach, robots)} },
	"left_field":          func(robots int) robotRule { return &leftField{make([]span, robots)} },
	motionInSet:           func(robots int) robotRule { return &setMotion{make([]stand, robots)} },
	"illegal_position":    func(int) robotRule { return illegalPosition{} },
}

// DefaultRules returns the thresholds of a book, as far as they are known. The others are guesses.
func DefaultRules(b Book) Rules {
	r := Rules{
		Book: MSL,
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
		KeeperFor: 6 * time.Second, Removal: 30 * time.Second, RemovalMore: 15 * time.Second,
		RemovalSet: 10 * time.Second, SetMotion: 0.2, Left: 20 * time.Second, InactiveFor: 20 * time.Second,
		InactiveBy: 0.05, InactiveReach: 0.5, Mercy: 10,
	}
	if b == Humanoid {
		r.setHumanoid()
	}
	return r
}

// setHumanoid sets the thresholds in which the book of the Humanoid Soccer League differs. Sources: the parameters of
// its GameController for times of set pieces, and the referee of the Humanoid League's simulated games for distances,
// for times of robots and for direct goals. The draft of the rules of 2026 leaves most of these laws empty. Guesses:
// PlaceMin, PlaceMax, Push.
func (r *Rules) setHumanoid() {
	r.Book, r.Half = Humanoid, 10*time.Minute
	r.PlaceMin, r.PlaceMax, r.Ready, r.Set = 5*time.Second, 15*time.Second, 45*time.Second, 5*time.Second
	r.Take, r.TakeOff, r.TakePen = 45*time.Second, 10*time.Second, time.Minute
	r.InPlay, r.Inset = 0.05, 0
	r.Direct = []string{string(game.FreeKick), string(game.GoalKick), string(game.Corner), string(game.Penalty),
		string(game.DropBall)}
	r.Mates, r.Others, r.Dropped = 0, 0.75, 0.75
	r.CoverFor, r.Push = 5*time.Second, 0.15
	r.Repair = r.Removal
	r.FallenFor, r.StuckFor, r.StuckBy = 20*time.Second, 2*time.Minute, 0.05
}

// Known reports whether there is a book of that name.
func (b Book) Known() bool { return books[b] != nil }

// ruleNames are the names of all rules of all books.
var ruleNames = func() []string {
	names := books[MSL].names()
	for _, name := range books[Humanoid].names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}()

// RuleNames returns the names of all rules of all books.
func RuleNames() []string { return slices.Clone(ruleNames) }

// RulesOf returns the names of the rules of a book.
func RulesOf(b Book) []string { return books[b].names() }
