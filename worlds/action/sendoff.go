package action

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// SendOff parks a robot beside the field, where NuBot's match simulator does.
type SendOff struct {
	Robot  string       `toml:"robot" required:"true"`
	Number int          `toml:"number" doc:"nothing happens unless it is the robot's number; −1 is any"`
	Team   physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"nothing happens unless it is the robot's team; left out is any"`
	Back   int          `toml:"back" doc:"10 + the robot's number: it may come back, and waits nearer to the field"`
}

// SetDefaults sends off whatever number the robot has. A message may say 0, which no robot has.
func (o *SendOff) SetDefaults() { o.Number = -1 }

// How far from the touch line NuBot's match simulator parks a robot that is sent off, and one that may come back, metres.
const parkedOff, parkedBack = 2.5, 1

func (o *SendOff) Validate(w World) error {
	_, err := w.FindRobot(o.Robot)
	return wrong("robot", o.Robot, err)
}

func (o *SendOff) Do(s Simulation) error {
	r, err := s.Robot(o.Robot)
	if err != nil || o.Number >= 0 && o.Number != r.Number || o.Team != "" && o.Team != r.Team {
		return err
	}
	away := parkedOff
	if o.Back == 10+r.Number {
		away = parkedBack
	}
	x, heading := -s.Field().Length/2-3+2*float64(r.Number), 0.0
	if r.Team == physics.Magenta {
		x, heading = -x, math.Pi
	}
	return s.Place(o.Robot, spatial.Planar(x, -s.Field().Width/2-away, heading), spatial.Twist{})
}

func (o *SendOff) Anytime() bool { return false }
