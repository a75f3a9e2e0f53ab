package referee

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Rules are the thresholds of the rules. A doc names the source of a number, or says that it is recalled from the
// league's rule book; "guess" marks what no rule book says.
type Rules struct {
	Off     []string      `toml:"off" maxlen:"40" oneof:"goal_from_own_half|goal_from_set_piece|goal|ball_out|set_piece_touch|double_touch|dribble_distance|dribble_halfway|ball_covered|goal_area|attackers|defenders|pushing|stuck_ball|fallen|stuck_robot|repeated_fouls|encroachment|lapse|half" doc:"rules that are not judged"`
	Half    time.Duration `toml:"half_s" range:"[1, 100000]" doc:"length of a half, from its first start; it goes on while play is stopped; recalled"`
	Break   time.Duration `toml:"half_time_s" range:"[0, 100000]" doc:"between the halves. Guess: as long as robots take to their places"`
	KickOff string        `toml:"kickoff" oneof:"cyan|magenta|none" doc:"who kicks off the first half, the others the second; none: the ball is in play when the world begins"`

	Stop     time.Duration `toml:"stop_s" range:"[0, 60]" doc:"from a stop until the ball is placed and the set piece announced; simatch waits as long"`
	PlaceMin time.Duration `toml:"place_min_s" range:"[0, 60]" doc:"from there until the start, when all robots keep their distances; recalled"`
	PlaceMax time.Duration `toml:"place_s" range:"[0, 60]" doc:"the same, when some do not: the set-piece timer of the league's RefBox, July 2024; simatch waits 4 s"`
	Take     time.Duration `toml:"take_s" range:"[0.1, 60]" doc:"from the start until all may play a ball that has not been taken; recalled"`
	InPlay   float64       `toml:"in_play_m" range:"[0.01, 5]" doc:"by how much a ball has to be moved to be in play; recalled"`
	PutBack  float64       `toml:"put_back_m" range:"[0, 100]" doc:"how far a ball has to have been moved before the start to be put back. Guess"`
	Inset    float64       `toml:"inset_m" range:"[0, 2]" doc:"distance from the lines at which throw-ins and corners are taken; simatch's for throw-ins"`

	Direct []string `toml:"direct" maxlen:"10" oneof:"kickoff|freekick|goalkick|throwin|corner|penalty|drop_ball" doc:"set pieces from which a goal counts that no second robot has touched; recalled"`

	Mates   float64 `toml:"mates_m" range:"[0, 10]" doc:"distance of the taker's team-mates from the ball at a set piece; simatch's"`
	Others  float64 `toml:"others_m" range:"[0, 10]" doc:"distance of the opponents, unless they are in their own penalty area; simatch's"`
	Dropped float64 `toml:"dropped_ball_m" range:"[0, 10]" doc:"distance of all from a dropped ball, unless they are in their own penalty area; simatch's"`

	Dribble     float64       `toml:"dribble_m" range:"[0.1, 100]" doc:"farthest from where it took the ball that a robot may carry it; simatch's"`
	Across      bool          `toml:"dribble_across_halfway" doc:"whether a robot may carry the ball across the halfway line; simatch has the rule written, and switched off"`
	Release     time.Duration `toml:"release_s" range:"[0, 10]" doc:"a ball that its robot loses and takes again within that time has not been released. Guess: a dribbler loses it for a few steps"`
	CoverShare  float64       `toml:"cover_share" range:"[0, 1]" doc:"share of the ball's diameter that a robot which holds it may cover, seen from above: a third, recalled"`
	CoverFor    time.Duration `toml:"cover_s" range:"[0, 60]" doc:"for how long it may cover more, as when it stops the ball; recalled"`
	DoubleTouch float64       `toml:"double_touch_m" range:"[0.1, 20]" doc:"how far the ball has to be from the taker of a set piece, centre to centre, before a touch of the taker is its second. Guess: clearly a kick, no bounce"`

	Attackers int           `toml:"attackers" range:"[0, 100]" doc:"robots that may be in the opponents' penalty area at once, without number 1; simatch's"`
	Defenders int           `toml:"defenders" range:"[0, 100]" doc:"robots that may be in their own penalty area at once, without number 1; recalled"`
	AreaFor   time.Duration `toml:"area_s" range:"[0, 60]" doc:"how long robots may be in an area against the rules. Guess: who is on the way out is not at fault"`

	Push float64 `toml:"push_m" range:"[0.01, 5]" doc:"how far a robot may drive an opponent back that it presses against. Guess: no push that only stops"`

	FoulsForYellow int `toml:"fouls_for_yellow" range:"[1, 1000]" doc:"how often a robot may push until it gets a yellow card, and as often again for its next one. Guess: the rule book leaves that to the referee"`

	Repair       time.Duration `toml:"repair_s" range:"[0, 100000]" doc:"from when a robot leaves the field for repair until it may come back; with any referee: the timer of the league's RefBox, July 2024"`
	DoubleYellow time.Duration `toml:"double_yellow_s" range:"[0, 100000]" doc:"the same after two yellow cards: as above"`

	FallenBy      float64       `toml:"fallen_deg" range:"[1, 180]" doc:"by how much a robot is tilted that has fallen. Guess: none gets up from there"`
	FallenFor     time.Duration `toml:"fallen_s" range:"[0, 600]" doc:"for how long, until it leaves the field for repair. Guess"`
	StuckRobotFor time.Duration `toml:"stuck_robot_s" range:"[0, 600]" doc:"for how long a robot is stuck until it leaves the field for repair; recalled"`
	StuckRobotBy  float64       `toml:"stuck_robot_m" range:"[0.01, 5]" doc:"how far a robot has to get that is not stuck any more. Guess"`

	StuckFor time.Duration `toml:"stuck_s" range:"[0.1, 600]" doc:"after how long without progress the ball is dropped; recalled"`
	StuckBy  float64       `toml:"stuck_m" range:"[0.01, 5]" doc:"how far the ball has to get for progress. Guess"`
}

// DefaultRules returns those of the league, as far as they are known.
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

// Validate reports the rules that span several fields.
func (r *Rules) Validate() error {
	if r.PlaceMin > r.PlaceMax {
		return &rules.Violation{Field: "PlaceMin", Value: r.PlaceMin, Rule: "must be at most {PlaceMax}"}
	}
	return nil
}

// on tells whether a rule is judged.
func (r *Rules) on(rule string) bool { return !slices.Contains(r.Off, rule) }
