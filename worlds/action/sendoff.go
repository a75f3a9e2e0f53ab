package action

import (
	"errors"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// SendOff parks a robot next to the field, at the touch line that is to the right of the cyan team, and ends the
// robot's player. The action may give the place. If it does not, the robot goes to its own place beyond the boards;
// every robot of both teams has such a place. If the robot may come back, its own place is in front of the boards.
type SendOff struct {
	Robot   string       `toml:"robot" required:"true"`
	Number  int          `toml:"number" doc:"number that the robot must have for the action to do anything; −1 is any"`
	Team    physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"team that the robot must have for the action to do anything; left out, any"`
	Back    int          `toml:"back" doc:"10 + the robot's number: it may come back, and waits closer to the field"`
	Spacing float64      `toml:"spacing_m" range:"[0, 10]" doc:"distance along x between the places of consecutive numbers, if places are given; 0 finds places next to the field"`
	X       float64      `toml:"x_m" range:"[-50, 50]" doc:"position of the place of cyan's number 1, if places are given; magenta's are mirrored at the halfway line"`
	Y       float64      `toml:"y_m" range:"[-50, 50]" doc:"position of all places, if places are given; a place inside the boards moves beyond them"`
	BackY   float64      `toml:"back_y_m" range:"[-50, 50]" doc:"position of the places of robots that may come back"`
}

// SetDefaults makes the action match robots with any number. The default is not 0, because a message may give 0, which
// no robot has.
func (o *SendOff) SetDefaults() { o.Number = -1 }

func (o *SendOff) Validate(w World) error {
	if _, err := w.FindRobot(o.Robot); err != nil {
		return violation("robot", o.Robot, err)
	}
	return errors.Join(o.spaced("x_m", o.X), o.spaced("y_m", o.Y), o.spaced("back_y_m", o.BackY))
}

// spaced returns an error if the given key is used without the key spacing_m.
func (o *SendOff) spaced(key string, value float64) error {
	if value == 0 || o.Spacing != 0 {
		return nil
	}
	return violation(key, value, errors.New("needs spacing_m"))
}

func (o *SendOff) Do(s Simulation) error {
	r, err := s.Robot(o.Robot)
	if err != nil || o.Number >= 0 && o.Number != r.Number || o.Team != "" && o.Team != r.Team {
		return err
	}
	p := game.NewParking(s.Field(), s.Robots())
	back := o.Back == 10+r.Number
	var x, y float64
	if o.Spacing > 0 {
		x, y = o.X+o.Spacing*float64(r.Number-1), o.Y
		if back {
			y = o.BackY
		}
		y = p.OffBoards(x, y)
	} else {
		x, y = p.Place(r, back)
	}
	heading := 0.0
	if r.Team == physics.Magenta {
		x, heading = -x, math.Pi
	}
	if err := s.Play(o.Robot, &player.Rest{}, false); err != nil {
		return err
	}
	return s.Place(o.Robot, spatial.Planar(x, y, heading), spatial.Twist{})
}
