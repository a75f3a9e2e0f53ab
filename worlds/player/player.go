package player

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Behaviour is how a robot is to play.
type Behaviour interface {
	// Validate reports, before a run, each field that asks for what the world or the robot does not have: as a
	// schema.Violation with that field's key.
	Validate(robot string, w World) error
	// Start returns a player that begins with the next step, or nil for none. The behaviour is valid, and must not be
	// changed afterwards.
	Start(m *physics.Model, robot int) Player
}

// Player plays one robot.
type Player interface {
	// Command changes the robot's command for the step that starts at now, in the parts that it decides about. It
	// returns false when it has ended; the command is then as it was.
	Command(now *physics.Snapshot, c *physics.Command) bool
	// Exchange passes what it remembers from step to step to a codec.
	Exchange(c *keyframe.Codec)
}

// Planner is a Player that can say where it drives.
type Planner interface {
	// Plan appends to into the places that the robot is to go to, W, metres, in their order, as of the step that ended
	// with now; none if it did not drive then.
	Plan(now *physics.Snapshot, into []mgl64.Vec2) []mgl64.Vec2
}

// World is what behaviours are checked against.
type World interface {
	// FindRobot fails when there is no such robot.
	FindRobot(name string) (physics.Robot, error)
}

// Choice names one behaviour by its key.
type Choice struct {
	Rest        *Rest        `toml:"rest" doc:"no player: the robot stands still and waits for its own program"`
	Hold        *Hold        `toml:"hold" doc:"stays at a pose, and returns when it is pushed"`
	Patrol      *Patrol      `toml:"patrol" doc:"drives from way point to way point, again and again"`
	ChaseBall   *ChaseBall   `toml:"chase_ball" doc:"goes for the ball, and takes it somewhere or shoots"`
	Keeper      *Keeper      `toml:"keeper" doc:"stays between the ball and its own goal"`
	PassBetween *PassBetween `toml:"pass_between" doc:"passes the ball to the next of several robots, and takes passes"`
	Mark        *Mark        `toml:"mark" doc:"stays between a robot and the ball, or its own goal"`
	Flee        *Flee        `toml:"flee" doc:"keeps away from the robots of the other team"`
	Herd        *Herd        `toml:"herd" doc:"drives robots of the other team that flee to a place"`
}

// Behaviour returns the behaviour that is chosen, with its key. It fails unless there is just one.
func (c *Choice) Behaviour() (key string, b Behaviour, err error) {
	value, all, chosen := rules.Chosen(c)
	switch {
	case len(chosen) == 0:
		return "", nil, errors.New("a player needs one behaviour of " + strings.Join(all, ", "))
	case len(chosen) > 1:
		return "", nil, fmt.Errorf("has %s: a player needs one behaviour", strings.Join(chosen, " and "))
	}
	return chosen[0], value.(Behaviour), nil
}

// wrong is what Validate reports about a field.
func wrong(key string, value any, rule string) error {
	return &schema.Violation{Key: key, Value: value, Rule: rule}
}
