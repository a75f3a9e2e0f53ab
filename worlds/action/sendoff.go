package action

import (
	"errors"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// SendOff parks a robot beside the field, at its right touch line for cyan, and ends its player. Unless the action says
// where, all robots of both teams have a place of their own: beyond the boards, and before them when they may come
// back.
type SendOff struct {
	Robot   string       `toml:"robot" required:"true"`
	Number  int          `toml:"number" doc:"nothing happens unless it is the robot's number; −1 is any"`
	Team    physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"nothing happens unless it is the robot's team; left out is any"`
	Back    int          `toml:"back" doc:"10 + the robot's number: it may come back, and waits nearer to the field"`
	Spacing float64      `toml:"spacing_m" range:"[0, 10]" doc:"between the places of numbers that follow each other, along x, when places are given; 0: they are found beside the field"`
	X       float64      `toml:"x_m" range:"[-50, 50]" doc:"of the place of cyan's number 1, when places are given; magenta's are mirrored at the halfway line"`
	Y       float64      `toml:"y_m" range:"[-50, 50]" doc:"of all places, when they are given; where boards stand there, the place is beyond them"`
	BackY   float64      `toml:"back_y_m" range:"[-50, 50]" doc:"of those who may come back"`
}

// SetDefaults sends off whatever number the robot has. A message may say 0, which no robot has.
func (o *SendOff) SetDefaults() { o.Number = -1 }

func (o *SendOff) Validate(w World) error {
	if _, err := w.FindRobot(o.Robot); err != nil {
		return wrong("robot", o.Robot, err)
	}
	return errors.Join(o.spaced("x_m", o.X), o.spaced("y_m", o.Y), o.spaced("back_y_m", o.BackY))
}

// spaced reports a part of the places without their spacing.
func (o *SendOff) spaced(key string, value float64) error {
	if value == 0 || o.Spacing != 0 {
		return nil
	}
	return wrong(key, value, errors.New("needs spacing_m"))
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

func (o *SendOff) Anytime() bool { return false }
