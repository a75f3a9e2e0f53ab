package game

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Standing is a robot's cards, and whether it is on the field.
type Standing struct {
	// why the robot is off the field: repair, double_yellow, red_card or penalise, or unpenalise for a robot that waits
	// for a free place; empty for a robot on the field
	Out Command
	// sim time from which the robot may return; meaningless for a robot on the field, and an estimate after penalise
	// without a time
	Until  time.Duration
	Yellow int // number of yellow cards, 0 or 1
	Removal
}

// Removal is why a robot is penalised, and for how long.
type Removal struct {
	Offence Offence       // empty if the reason is not given
	For     time.Duration // 0: until the command unpenalise
}

// Offence is why a robot is penalised. Source of the list: the GameController of the Humanoid Soccer League.
type Offence string

// The offences for which a referee penalises.
const (
	IllegalPosition Offence = "illegal_position"
	MotionInSet     Offence = "motion_in_set"
	LocalGameStuck  Offence = "local_game_stuck"
	Incapable       Offence = "incapable"
	BallHolding     Offence = "ball_holding"
	LeavingTheField Offence = "leaving_the_field"
	WithHands       Offence = "playing_with_hands"
	Pushing         Offence = "pushing"
)

// Roster is the standing of each robot of a world.
type Roster struct {
	model                *physics.Model
	parking              Parking
	repair, doubleYellow time.Duration
	robots               []Standing // in the model's order
}

// NewRoster returns the roster of a model's robots. All robots are on the field. The arguments repair and doubleYellow
// are how long a robot stays off the field after these commands.
func NewRoster(model *physics.Model, repair, doubleYellow time.Duration) *Roster {
	return &Roster{model, NewParking(&model.Field, model.Robots), repair, doubleYellow,
		make([]Standing, len(model.Robots))}
}

// Standings returns the standings of all robots, in the model's order. The slice belongs to the roster.
func (r *Roster) Standings() []Standing { return r.robots }

// Find returns the index of the robot that has a number in a team. It fails if there is no such robot.
func (r *Roster) Find(team physics.Team, number int) (robot int, err error) {
	for i := range r.model.Robots {
		if x := &r.model.Robots[i]; x.Team == team && x.Number == number {
			return i, nil
		}
	}
	return -1, fmt.Errorf("number = %d: %s has no robot of that number", number, team)
}

// never is a time that is later than all sim times.
const never time.Duration = math.MaxInt64

// Command carries out a command for one robot. It returns true if the robot leaves the field. A second yellow card
// sends the robot off, as the command double_yellow does; both also take back the robot's yellow card. A robot that is
// off the field cannot be sent off for repair, and a robot with a red card stays off. Source: RoboCup-MSL/RefBox,
// Team.pde: a double yellow resets the yellow cards.
func (r *Roster) Command(c Command, robot int, now time.Duration) (leaves bool) {
	s := &r.robots[robot]
	was := s.Out
	switch {
	case was == RedCard:
	case c == Repair && was == "":
		s.Out, s.Until = Repair, now+r.repair
	case c == RepairEnd && was == Repair:
		s.Until = min(s.Until, now)
	case c == Penalise:
		return r.Penalise(robot, Removal{}, now)
	case c == Unpenalise && was == Penalise:
		s.Out, s.Until, s.Removal = Unpenalise, now, Removal{}
	case c == RepairEnd || c == Repair || c == Unpenalise:
	case c == YellowCard && s.Yellow == 0:
		s.Yellow = 1
	case c == YellowCard || c == DoubleYellow:
		*s = Standing{Out: DoubleYellow, Until: now + r.doubleYellow}
	case c == RedCard:
		*s = Standing{Out: RedCard, Until: never}
	}
	return was == "" && s.Out != ""
}

// Penalise carries out the command penalise. It returns true if the robot leaves the field.
func (r *Roster) Penalise(robot int, why Removal, now time.Duration) (leaves bool) {
	s := &r.robots[robot]
	was := s.Out
	if was != "" && was != Unpenalise {
		return false
	}
	s.Out, s.Until, s.Removal = Penalise, now+cmp.Or(why.For, r.repair), why
	return was == ""
}

// Reset removes all cards. Robots off the field may then return.
func (r *Roster) Reset(now time.Duration) {
	for i := range r.robots {
		s := &r.robots[i]
		if s.Yellow, s.Until = 0, min(s.Until, now); s.Out == Penalise {
			s.Out, s.Removal = Unpenalise, Removal{}
		}
	}
}

// ClearCommands clears the commands of the robots that are off the field.
func (r *Roster) ClearCommands(commands []physics.Command) {
	for i := range r.robots {
		if r.robots[i].Out != "" {
			commands[i] = physics.Command{}
		}
	}
}

// ParkedPose returns the pose of a robot while it is off the field. This is the robot's own place, beyond the boards,
// along the half of its team.
func (r *Roster) ParkedPose(robot int) (poseWB spatial.Pose) {
	of := &r.model.Robots[robot]
	x, y := r.parking.Place(of, false)
	side := of.Team.Attacks(&r.model.Field).Side
	return spatial.Planar(side*x, y, math.Pi/2)
}

// Distances, in m, that determine where robots return. Robots return at the touch line, according to the rule book
// (from memory, not checked). The distances from the halfway line, from other robots and from the ball are guesses.
const (
	backFrom    = 1.0 // distance of the first place from the halfway line
	backPitch   = 0.5 // distance between neighbouring places
	backGap     = 0.2 // gap between two bodies
	backOffBall = 1.0 // smallest distance between the centres of robot and ball
)

// Returning returns the index of the first robot that may return now, and the pose at which it returns. The result ok
// is false if there is no such robot. A robot may return while play is stopped and its time off the field has passed. A
// robot that was penalised may return whenever it is not any more. It returns at the first free place on a touch line
// of its own half, see freePlace. Returning also records that the robot is on the field.
func (r *Roster) Returning(now *physics.Snapshot, phase Phase) (robot int, poseWB spatial.Pose, ok bool) {
	for i := range r.robots {
		s := &r.robots[i]
		penalised := s.Out == Penalise && s.For > 0 || s.Out == Unpenalise
		if s.Out == "" || s.Out == Penalise && !penalised || now.Time < s.Until ||
			!penalised && phase != Stopped && phase != SetPiece || phase == Parked {
			continue
		}
		if poseWB, free := r.freePlace(i, penalised, now); free {
			*s = Standing{Yellow: s.Yellow}
			return i, poseWB, true
		}
	}
	return -1, spatial.Pose{}, false
}

// freePlace returns the place at which a robot returns, facing the field. The result ok is false if all places are
// taken. Places are on the right touch line, as cyan sees it, counted from the halfway line. A robot that was penalised
// returns on the touch line that is farther from the ball, level with the penalty mark or, if there is no room, between
// the mark and the halfway line. Source of that: the referee of the Humanoid League's simulated games.
func (r *Roster) freePlace(robot int, penalised bool, now *physics.Snapshot) (poseWB spatial.Pose, ok bool) {
	f := &r.model.Field
	x, step, line, heading := backFrom, backPitch, -1.0, math.Pi/2
	if penalised {
		x, step = f.Length/2-max(f.PenaltyMark, backFrom), -backPitch
		if now.Ball.PosW[1] < 0 {
			line, heading = 1, -math.Pi/2
		}
	}
	side := r.model.Robots[robot].Team.Attacks(f).Side
	for ; x >= backFrom && x <= f.Length/2-backFrom; x += step {
		if at := [2]float64{-side * x, line * f.Width / 2}; r.hasRoom(robot, at, now) {
			return spatial.Planar(at[0], at[1], heading), true
		}
	}
	return poseWB, false
}

// hasRoom reports whether a robot has room at a place.
func (r *Roster) hasRoom(robot int, at [2]float64, now *physics.Snapshot) bool {
	far := func(pos [3]float64) float64 { return math.Hypot(pos[0]-at[0], pos[1]-at[1]) }
	own := r.model.Robots[robot].Body.Radius
	for i := range now.Robots {
		if i != robot && far(now.Robots[i].PoseWB.Pos) < own+r.model.Robots[i].Body.Radius+backGap {
			return false
		}
	}
	for i := range now.Obstacles {
		o := &r.model.Obstacles[i]
		if far(now.Obstacles[i].PoseWO.Pos) < own+math.Hypot(o.SizeX, o.SizeY)/2+backGap {
			return false
		}
	}
	return far(now.Ball.PosW) >= backOffBall
}

// Exchange saves or restores all standings.
func (r *Roster) Exchange(c *keyframe.Codec) {
	for i := range r.robots {
		s := &r.robots[i]
		keyframe.Text(c, &s.Out)
		c.Check(s.Out == "" || s.Out.ForRobot(), "a robot is out by %.40q", string(s.Out))
		c.Duration(&s.Until)
		c.Index(&s.Yellow, 0, 2)
		keyframe.Text(c, &s.Offence)
		c.Duration(&s.For)
	}
}
