package worlds

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/player"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// How an obstacle looks, as Obstacle.Looks has it.
const (
	LooksBox     = "box"
	LooksPerson  = "person"
	LooksReferee = "referee"
)

// Obstacle is something on the field that is no robot: a black box or a person.
type Obstacle struct {
	Name    string           `toml:"name" required:"true" match:"name" fixed:"true"`
	Looks   string           `toml:"looks" oneof:"box|person|referee" doc:"a black box, a person, or a person in a referee's black, 1.75 m high unless height_m says so; to physics, to levels without images and to distance sensors all are boxes, and people do not fall over"`
	Clothes uint64           `toml:"clothes" range:"[0, 1000000]" doc:"draws a person's clothes, skin and hair"`
	Walk    *Walk            `toml:"walk" doc:"where a person walks; without it a person stands"`
	Pose    Pose             `toml:"pose"`
	Hull    physics.Obstacle `toml:",inline"`
}

// Walk is how a person walks, again and again: from the last way point to the first.
type Walk struct {
	Points []player.Point `toml:"way_points" required:"true" minlen:"1" maxlen:"1000" doc:"in their order, from where the person stands"`
	Speed  float64        `toml:"speed_m_s" range:"(0, 3]" doc:"people stroll at 1 and hurry at 2"`
	Pause  time.Duration  `toml:"pause_s" range:"[0, 1000]" doc:"at each way point"`
}

// SetDefaults makes a stroll.
func (w *Walk) SetDefaults() { w.Speed = 1 }

// SetDefaults makes a box as large as a robot.
func (o *Obstacle) SetDefaults() {
	o.Looks = LooksBox
	o.Hull.SizeX, o.Hull.SizeY, o.Hull.Height, o.Hull.Mass = 0.5, 0.5, 0.8, 20
}

// BindNode takes a person's size and mass where the file gives none: as wide as shoulders, as deep as a stride.
func (o *Obstacle) BindNode(n *schema.Node) error {
	if looks := n.Get("looks"); looks != nil {
		if text, ok := looks.Text(); ok && text != LooksBox {
			o.Hull.SizeX, o.Hull.SizeY, o.Hull.Height, o.Hull.Mass = 0.45, 0.5, 1.75, 75
		}
	}
	return n.Bind(o)
}

// Person tells whether the obstacle is one.
func (o *Obstacle) Person() bool { return o.Looks == LooksPerson || o.Looks == LooksReferee }

// walks reports boxes that walk.
func (w *World) walks() (errs []error) {
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
