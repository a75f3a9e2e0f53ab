package worlds

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/player"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Values of Obstacle.Looks.
const (
	LooksBox     = "box"
	LooksPerson  = "person"
	LooksReferee = "referee"
)

// Obstacle is a black box or a person on the field.
type Obstacle struct {
	Name    string           `toml:"name" required:"true" match:"name" fixed:"true"`
	Looks   string           `toml:"looks" oneof:"box|person|referee" doc:"appearance: a black box, a person, or a person in a referee's black clothes, 1.75 m high unless height_m says so; for physics, for levels without images and for distance sensors all are boxes, and people do not fall over"`
	Clothes uint64           `toml:"clothes" range:"[0, 1000000]" doc:"seed of a person's clothes, skin and hair"`
	Walk    *Walk            `toml:"walk" doc:"path of a person who walks; without it the person stands"`
	Pose    Pose             `toml:"pose"`
	Hull    physics.Obstacle `toml:",inline"`
}

// Walk describes how a person walks along way points without end. After the last way point the person walks to the
// first.
type Walk struct {
	Points []player.Point `toml:"way_points" required:"true" minlen:"1" maxlen:"1000" doc:"way points in order, starting from the person's pose"`
	Speed  float64        `toml:"speed_m_s" range:"(0, 3]" doc:"walking speed; people stroll at 1 and hurry at 2"`
	Pause  time.Duration  `toml:"pause_s" range:"[0, 1000]" doc:"pause at each way point"`
}

// SetDefaults sets the speed of a stroll.
func (w *Walk) SetDefaults() { w.Speed = 1 }

// SetDefaults sets a box as large as a robot.
func (o *Obstacle) SetDefaults() {
	o.Looks = LooksBox
	o.Hull.SizeX, o.Hull.SizeY, o.Hull.Height, o.Hull.Mass = 0.5, 0.5, 0.8, 20
}

// BindNode sets the size and mass of a person if the file gives none. The person is as wide as shoulders, and as deep
// as a stride.
func (o *Obstacle) BindNode(n *schema.Node) error {
	if looks := n.Get("looks"); looks != nil {
		if text, ok := looks.Text(); ok && text != LooksBox {
			o.Hull.SizeX, o.Hull.SizeY, o.Hull.Height, o.Hull.Mass = 0.45, 0.5, 1.75, 75
		}
	}
	return n.Bind(o)
}

// Person reports whether the obstacle is a person.
func (o *Obstacle) Person() bool { return o.Looks == LooksPerson || o.Looks == LooksReferee }

// validateWalks reports obstacles that walk but are boxes.
func (w *World) validateWalks() (errs []error) {
	for i := range w.Obstacles {
		if o := &w.Obstacles[i]; o.Walk != nil && !o.Person() {
			errs = append(errs, &schema.Violation{Path: fmt.Sprintf("obstacle[%d]", i), Key: "walk",
				Rule: "goes with looks = \"person\" or \"referee\" alone"})
		}
	}
	return errs
}

func (o *Obstacle) physics() physics.Obstacle {
	p := o.Hull
	p.Name, p.Pose = o.Name, o.Pose.Spatial()
	return p
}
