package referee

import (
	"cmp"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Rules are the thresholds of the referee's rules. The doc tag of each field names the source of the number. "recalled"
// means that the number was recalled from the league's rule book; "guess" means that no rule book states it.
type Rules struct {
	Book    Book          `toml:"book" oneof:"msl|humanoid" doc:"rule book, which also gives the defaults of the other keys: msl, of the Middle Size League, with those of this table; humanoid, of the Humanoid Soccer League, with those of docs/match.md"`
	Off     []string      `toml:"off" maxlen:"40" oneof:"goal_from_own_half|goal_from_set_piece|goal|ball_out|set_piece_touch|double_touch|dribble_distance|dribble_halfway|ball_covered|goal_area|attackers|defenders|pushing|stuck_ball|fallen|stuck_robot|repeated_fouls|encroachment|lapse|half|ball_holding|inactive_goalkeeper|left_field|motion_in_set|illegal_position|mercy" doc:"rules of the book that are switched off"`
	Half    time.Duration `toml:"half_s" range:"[1, 100000]" doc:"length of a half, from its first start; time runs on while play is stopped; recalled"`
	Break   time.Duration `toml:"half_time_s" range:"[0, 100000]" doc:"length of the break between the halves. Guess: as long as robots take to their places"`
	KickOff string        `toml:"kickoff" oneof:"cyan|magenta|none" doc:"team that kicks off the first half, the other team the second; none: the ball is in play from the start"`

	Stop     time.Duration `toml:"stop_s" range:"[0, 60]" doc:"time from a stop until the ball is placed and the set piece announced; as in simatch"`
	PlaceMin time.Duration `toml:"place_min_s" range:"[0, 60]" doc:"time from there until the start, when all robots keep their distances; recalled"`
	PlaceMax time.Duration `toml:"place_s" range:"[0, 60]" doc:"the same time when some robots do not keep their distances: the set-piece timer of the league's RefBox, July 2024; simatch waits 4 s"`
	Ready    time.Duration `toml:"ready_s" range:"[0, 600]" doc:"place_s at kick-offs, penalties and dropped balls; 0: as place_s"`
	Set      time.Duration `toml:"set_s" range:"[0, 60]" doc:"time for which robots stand still before the start of these, after the command set; 0: none"`
	Take     time.Duration `toml:"take_s" range:"[0.1, 600]" doc:"time from the start until all robots may play a ball that no robot has played; recalled"`
	TakeOff  time.Duration `toml:"take_kickoff_s" range:"[0, 600]" doc:"take_s at a kick-off; 0: as take_s"`
	TakePen  time.Duration `toml:"take_penalty_s" range:"[0, 600]" doc:"take_s at a penalty; 0: as take_s"`
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
	KeeperFor   time.Duration `toml:"keeper_cover_s" range:"[0, 60]" doc:"the same for a goalkeeper in its own penalty area, by the rule ball_holding"`
	DoubleTouch float64       `toml:"double_touch_m" range:"[0.1, 20]" doc:"distance that the ball must have from the taker of a set piece, between centres, before another touch of the taker counts as its second. Guess: clearly a kick and no bounce"`

	Attackers int           `toml:"attackers" range:"[0, 100]" doc:"robots that may be in the opponents' penalty area at once, not counting number 1; as in simatch"`
	Defenders int           `toml:"defenders" range:"[0, 100]" doc:"robots that may be in their own penalty area at once, not counting number 1; recalled"`
	AreaFor   time.Duration `toml:"area_s" range:"[0, 60]" doc:"time for which robots may be in an area against the rules. Guess: a robot on its way out is not at fault"`

	Push float64 `toml:"push_m" range:"[0.01, 5]" doc:"distance by which a robot may drive back an opponent that it presses against. Guess: a robot that only stops another does not push"`

	FoulsForYellow int `toml:"fouls_for_yellow" range:"[1, 1000]" doc:"number of pushes after which a robot gets a yellow card, and again its next one. Guess: the rule book leaves that to the referee"`

	Repair       time.Duration `toml:"repair_s" range:"[0, 100000]" doc:"time from when a robot leaves the field for repair until it may return; with any referee: the timer of the league's RefBox, July 2024"`
	DoubleYellow time.Duration `toml:"double_yellow_s" range:"[0, 100000]" doc:"the same time after two yellow cards, from the same source"`

	Removal     time.Duration `toml:"removal_s" range:"[0, 100000]" doc:"time for which a penalised robot leaves the field"`
	RemovalMore time.Duration `toml:"removal_more_s" range:"[0, 100000]" doc:"added to removal_s for each robot of the team that was penalised before, for an offence against others"`
	RemovalSet  time.Duration `toml:"removal_set_s" range:"[0, 100000]" doc:"removal_s of a robot that moves before the start"`

	SetMotion     float64       `toml:"set_motion_m" range:"[0.01, 5]" doc:"distance by which a robot may move while all must stand still. Guess"`
	Left          time.Duration `toml:"left_s" range:"[0, 600]" doc:"time after which a robot off the carpet has left the field"`
	InactiveFor   time.Duration `toml:"inactive_s" range:"[0, 600]" doc:"time after which a goalkeeper that does not go to a near ball is inactive"`
	InactiveBy    float64       `toml:"inactive_m" range:"[0.01, 5]" doc:"distance by which it must come nearer"`
	InactiveReach float64       `toml:"inactive_reach_m" range:"[0, 20]" doc:"distance from its centre at which a ball is near"`

	Mercy int `toml:"mercy_goals" range:"[1, 1000]" doc:"difference in goals that ends the game"`

	FallenBy      float64       `toml:"fallen_deg" range:"[1, 180]" doc:"tilt of a robot that counts as fallen. Guess: no robot gets up from there"`
	FallenFor     time.Duration `toml:"fallen_s" range:"[0, 600]" doc:"time for which a robot must lie until it leaves the field for repair. Guess"`
	StuckRobotFor time.Duration `toml:"stuck_robot_s" range:"[0, 600]" doc:"time for which a robot must be stuck until it leaves the field for repair; recalled"`
	StuckRobotBy  float64       `toml:"stuck_robot_m" range:"[0.01, 5]" doc:"distance after which a robot is no longer stuck. Guess"`

	StuckFor time.Duration `toml:"stuck_s" range:"[0.1, 600]" doc:"time without progress after which the ball is dropped; recalled"`
	StuckBy  float64       `toml:"stuck_m" range:"[0.01, 5]" doc:"distance that the ball must move for progress. Guess"`
}

// Validate reports violations of the conditions that concern several fields together.
func (r *Rules) Validate() error {
	if r.PlaceMin > r.PlaceMax {
		return &rules.Violation{Field: "PlaceMin", Value: r.PlaceMin, Rule: "must be at most {PlaceMax}"}
	}
	for _, rule := range r.Off {
		if b := books[r.Book]; b != nil && !slices.Contains(b.names(), rule) {
			return &rules.Violation{Field: "Off", Value: rule, Rule: "must be a rule of the book " + string(r.Book)}
		}
	}
	return nil
}

// inForce reports whether a rule is in force.
func (r *Rules) inForce(rule string) bool {
	return slices.Contains(books[r.Book].names(), rule) && !slices.Contains(r.Off, rule)
}

// PlaceFor returns the longest time between the announcement of a set piece and its start.
func (r *Rules) PlaceFor(piece game.Command) time.Duration {
	if Ready(piece) {
		return cmp.Or(r.Ready, r.PlaceMax)
	}
	return r.PlaceMax
}

// TakeFor returns the time after which all robots may play the ball of a set piece that no robot has played.
func (r *Rules) TakeFor(piece game.Command) time.Duration {
	switch piece {
	case game.Kickoff:
		return cmp.Or(r.TakeOff, r.Take)
	case game.Penalty:
		return cmp.Or(r.TakePen, r.Take)
	}
	return r.Take
}

// Ready reports whether robots walk to their places before a set piece while the clock of the set piece has not yet
// started: before a kick-off, a penalty and a dropped ball. Before others, play is only interrupted.
func Ready(piece game.Command) bool {
	return piece == game.Kickoff || piece == game.Penalty || piece == game.DropBall
}

// rule is a rule of play. It may have a memory of what has happened since play started.
type rule interface {
	// judge judges a state in which the ball is in play, or is being brought into play. If the rule has something to
	// decide, for instance that it has been broken, judge describes the decision in d and returns true.
	judge(m *match, d *Decision) bool
	// reset clears the rule's memory when play starts.
	reset()
	keyframe.Exchanger
}

type named struct {
	name string
	rule
}

// memoryless is the judge method of a rule that has no memory of its own, apart from what the type match remembers.
type memoryless func(m *match, d *Decision) bool

func (judge memoryless) judge(m *match, d *Decision) bool { return judge(m, d) }
func (memoryless) reset()                                 {}
func (memoryless) Exchange(*keyframe.Codec)               {}
