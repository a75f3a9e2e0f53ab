package worlds

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/player"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Motion is how a person, a box or a cylinder moves on its own. Without any of walk, follow and drive it rests until
// something pushes it.
type Motion struct {
	Walk   *Walk   `toml:"walk" doc:"path along which the body walks"`
	Follow *Follow `toml:"follow" doc:"body that it follows"`
	Drive  *Drive  `toml:"drive" doc:"velocity with which it moves, whatever is in its way"`
	Absent bool    `toml:"absent" fixed:"true" doc:"whether the body is missing until action spawn brings it"`
}

// Moves reports whether the body moves on its own.
func (m *Motion) Moves() bool { return m.Walk != nil || m.Follow != nil || m.Drive != nil }

// Walk describes how a body walks along way points without end. After the last way point it walks to the first.
type Walk struct {
	Points []player.Point `toml:"way_points" required:"true" minlen:"1" maxlen:"1000" doc:"way points in order, starting from the body's pose"`
	Speed  float64        `toml:"speed_m_s" range:"(0, 3]" doc:"walking speed; people stroll at 1 and hurry at 2"`
	Pause  time.Duration  `toml:"pause_s" range:"[0, 1000]" doc:"pause at each way point"`
	Avoid  bool           `toml:"avoid" doc:"whether it walks around robots, people and other bodies in its way; if not, it waits until they have gone"`
}

// SetDefaults sets the speed of a stroll around whatever is in the way.
func (w *Walk) SetDefaults() { w.Speed, w.Avoid = 1, true }

// Follow describes how a body follows another one.
type Follow struct {
	Name     string  `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	Distance float64 `toml:"distance_m" range:"[0.1, 50]" doc:"distance between the centres at which it stops"`
	Speed    float64 `toml:"speed_m_s" range:"(0, 3]" doc:"highest speed"`
}

// SetDefaults sets a follower that keeps up with a stroll.
func (f *Follow) SetDefaults() { f.Distance, f.Speed = 1.2, 1.2 }

// Drive is a constant velocity, in the axes of the body.
type Drive struct {
	VX    float64 `toml:"vx_m_s" range:"[-5, 5]" doc:"velocity forward"`
	VY    float64 `toml:"vy_m_s" range:"[-5, 5]" doc:"velocity to the left"`
	Omega float64 `toml:"omega_deg_s" range:"[-360, 360]" doc:"rate of turn, anticlockwise"`
}

// Mobile is what moves a box or a cylinder.
type Mobile struct {
	Mass float64 `toml:"mass_kg" range:"[0, 500]" doc:"mass of a body that moves: robots push it. 0: it never moves"`
	Motion
}

// AllObstacles returns the obstacles of the world, in the order of [World.Model]: those of [[obstacle]], and then the
// boxes and cylinders that move.
func (w *World) AllObstacles() []Obstacle { return slices.Collect(w.obstacles) }

// Obstacle returns the obstacle with a name. The bool result is false if there is no such obstacle.
func (w *World) Obstacle(name string) (Obstacle, bool) {
	for o := range w.obstacles {
		if o.Name == name {
			return o, true
		}
	}
	return Obstacle{}, false
}

// obstacles is the sequence of AllObstacles.
func (w *World) obstacles(yield func(Obstacle) bool) {
	for i := range w.Obstacles {
		o := w.Obstacles[i]
		if o.List, o.Index = "obstacle", i; !yield(o) {
			return
		}
	}
	for i := range w.Boxes {
		b := &w.Boxes[i]
		o := Obstacle{Name: b.Name, Kind: b.Kind, Looks: LooksBox, Pose: b.Pose, Motion: b.Motion,
			Material: &b.Material, List: "box", Index: i}
		o.Hull.SizeX, o.Hull.SizeY, o.Hull.Height, o.Hull.Mass = b.Size[0], b.Size[1], b.Size[2], b.Mass
		if b.Mass != 0 && !yield(o) {
			return
		}
	}
	for i := range w.Cylinders {
		c := &w.Cylinders[i]
		o := Obstacle{Name: c.Name, Kind: c.Kind, Looks: LooksCylinder, Pose: c.Pose, Motion: c.Motion,
			Material: &c.Material, List: "cylinder", Index: i}
		o.Hull.SizeX, o.Hull.SizeY, o.Hull.Height, o.Hull.Mass = 2*c.Radius, 2*c.Radius, c.Height, c.Mass
		o.Hull.Round = true
		if c.Mass != 0 && !yield(o) {
			return
		}
	}
}

// Path returns the obstacle's place in the world's file, such as obstacle[2] or box[0].
func (o *Obstacle) Path() string { return fmt.Sprintf("%s[%d]", o.List, o.Index) }

// pathInModel returns the path in [World.Model] of an element of the file, such as box[2].
func (w *World) pathInModel(element string) string {
	if i := slices.IndexFunc(w.AllObstacles(), func(o Obstacle) bool { return o.Path() == element }); i >= 0 {
		return fmt.Sprintf("Obstacles[%d]", i)
	}
	i := slices.IndexFunc(w.Pieces(), func(p Piece) bool { return p.Path == element })
	return fmt.Sprintf("Props[%d]", len(w.Props)+i)
}

// modelObstacle matches the path that schema.InKeys gives to an obstacle of the physics model.
var modelObstacle = regexp.MustCompile(`\bobstacle\[\d+\]`)

// inKeys is like schema.InKeys, for errors of the world's model. It gives boxes and cylinders that move the places and
// the keys that they have in the file.
func (w *World) inKeys(m *physics.Model, err error) error {
	list, all := schema.Flatten(schema.InKeys(m, err)), w.AllObstacles()
	of := func(path string) *Obstacle {
		i, _ := strconv.Atoi(strings.Trim(path, "obstacle[]"))
		return &all[i]
	}
	for _, e := range list {
		v, ok := errors.AsType[*schema.Violation](e)
		if !ok {
			continue
		}
		if at := modelObstacle.FindString(v.Path); at != "" && at == v.Path {
			of(at).rename(v)
		}
		in := func(path string) string { return of(path).Path() }
		v.Path = modelObstacle.ReplaceAllStringFunc(v.Path, in)
		v.Rule = modelObstacle.ReplaceAllStringFunc(v.Rule, in)
	}
	return errors.Join(list...)
}

// rename gives a violation of an obstacle's size the key that the obstacle has in its own table.
func (o *Obstacle) rename(v *schema.Violation) {
	side := slices.Index([]string{"size_x_m", "size_y_m", "height_m"}, v.Key)
	switch {
	case side < 0 || o.List == "obstacle":
	case o.List == "box":
		v.Key = fmt.Sprintf("size_m[%d]", side)
	case side < 2:
		v.Rule = fmt.Sprintf("the diameter, %.4g, %s", o.Hull.SizeX, v.Rule)
		v.Key, v.Value = "radius_m", nil
	}
}

// maxObstacles bounds the number of bodies that move. Engines compare each of them with all others.
const maxObstacles = 500

// validateMotion reports bodies whose motion contradicts itself.
func (w *World) validateMotion() (errs []error) {
	violate := func(path, key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Path: path, Key: key, Value: value, Rule: rule})
	}
	judge := func(path, kind, name string, m *Motion, mass, z float64) {
		given := ""
		for _, is := range []struct {
			key   string
			given bool
		}{{"walk", m.Walk != nil}, {"follow", m.Follow != nil}, {"drive", m.Drive != nil}, {"absent", m.Absent}} {
			switch {
			case !is.given:
				continue
			case mass == 0:
				violate(path, is.key, nil, "needs mass_kg: without it the "+kind+" never moves")
			case given != "" && is.key != "absent":
				violate(path, is.key, nil, "a body moves in one way, and this one has "+given+" too")
			}
			given = is.key
		}
		if mass != 0 && z != 0 {
			violate(path, "z_m", z, "must be 0 with mass_kg: a "+kind+" that moves stands on the floor")
		}
		if m.Follow != nil && m.Follow.Name != "" {
			if m.Follow.Name == name {
				violate(path+".follow", "name", name, "must be another body")
			} else if err := w.FindBody(m.Follow.Name); err != nil {
				violate(path+".follow", "name", m.Follow.Name, err.Error())
			}
		}
	}
	for i := range w.Obstacles {
		o := &w.Obstacles[i]
		judge(fmt.Sprintf("obstacle[%d]", i), "body", o.Name, &o.Motion, o.Hull.Mass, 0)
	}
	for i := range w.Boxes {
		b := &w.Boxes[i]
		judge(fmt.Sprintf("box[%d]", i), "box", b.Name, &b.Motion, b.Mass, b.Z)
	}
	for i := range w.Cylinders {
		c := &w.Cylinders[i]
		judge(fmt.Sprintf("cylinder[%d]", i), "cylinder", c.Name, &c.Motion, c.Mass, c.Z)
	}
	if all := w.AllObstacles(); len(all) > maxObstacles {
		violate(all[maxObstacles].Path(), "mass_kg", nil, fmt.Sprintf("%d bodies move: must be at most %d", len(all),
			maxObstacles))
	}
	return errs
}

// unmoving returns an error for a name that is not that of the ball, a robot or an obstacle.
func (w *World) unmoving(name string) error {
	for _, p := range w.Pieces() {
		if p.Name == name && (p.form == "box" || p.form == "cylinder") {
			return fmt.Errorf("is a %s that never moves: give it mass_kg", p.form)
		}
	}
	return errors.New("is neither ball, robot nor obstacle")
}
