package game

import (
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
	Until  time.Duration
	Yellow int // number of yellow cards, 0 or 1
}

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
	case c == Penalise && (was == "" || was == Unpenalise):
		s.Out, s.Until = Penalise, now+r.repair
	case c == Unpenalise && was == Penalise:
		s.Out, s.Until = Unpenalise, now
	case c == RepairEnd || c == Repair || c == Penalise || c == Unpenalise:
	case c == YellowCard && s.Yellow == 0:
		s.Yellow = 1
	case c == YellowCard || c == DoubleYellow:
		*s = Standing{Out: DoubleYellow, Until: now + r.doubleYellow}
	case c == RedCard:
		*s = Standing{Out: RedCard, Until: never}
	}
	return was == "" && s.Out != ""
}

// Reset removes all cards. Robots off the field may then return.
func (r *Roster) Reset(now time.Duration) {
	for i := range r.robots {
		s := &r.robots[i]
		if s.Yellow, s.Until = 0, min(s.Until, now); s.Out == Penalise {
			s.Out = Unpenalise
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
// robot that was penalised may return whenever it is not any more.
// It returns at the first free place on the touch line of its own half, counted from the halfway line. Returning also
// records that the robot is on the field.
func (r *Roster) Returning(now *physics.Snapshot, phase Phase) (robot int, poseWB spatial.Pose, ok bool) {
	for i := range r.robots {
		s := &r.robots[i]
		if s.Out == "" || s.Out == Penalise || now.Time < s.Until ||
			s.Out != Unpenalise && phase != Stopped && phase != SetPiece || phase == Parked {
			continue
		}
		if at, free := r.freePlace(i, now); free {
			*s = Standing{Yellow: s.Yellow}
			return i, spatial.Planar(at[0], at[1], math.Pi/2), true
		}
	}
	return -1, spatial.Pose{}, false
}

// freePlace returns the place at which a robot returns. The result ok is false if all places are taken.
func (r *Roster) freePlace(robot int, now *physics.Snapshot) (at [2]float64, ok bool) {
	f := &r.model.Field
	side := r.model.Robots[robot].Team.Attacks(f).Side
	for k := 0; ; k++ {
		x := backFrom + float64(k)*backPitch
		if x > f.Length/2-backFrom {
			return at, false
		}
		at = [2]float64{-side * x, -f.Width / 2}
		if r.hasRoom(robot, at, now) {
			return at, true
		}
	}
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
	}
}
