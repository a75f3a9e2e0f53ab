package player

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Key frames know every behaviour that a world can choose, by its key.
func TestKeyFramesKnowEveryBehaviour(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Choice]()) {
		if key := f.Tag.Get("toml"); typeOf(key) != f.Type.Elem() {
			t.Errorf("%s is a %v, want a %v", key, typeOf(key), f.Type.Elem())
		}
	}
	for _, b := range []Behaviour{&Follow{}, &Drive{}} {
		if typeOf(keyOf(b)) != reflect.TypeOf(b).Elem() {
			t.Errorf("%T is not known", b)
		}
	}
}

// Restoring refuses a player that no world can have, or that is not of this package.
func TestHostilePlayers(t *testing.T) {
	m := &physics.Model{Step: 5 * time.Millisecond, Robots: []physics.Robot{{Name: "a"}, {Name: "b"}}}
	way := func(points ...Point) *Follow {
		f := &Follow{Way{Points: points}}
		f.SetDefaults()
		return f
	}
	mark := &Mark{Robot: "b"}
	mark.SetDefaults()
	for _, c := range []struct {
		behaviour Behaviour
		change    func(*Started)
		want      string
	}{
		{way(Point{X: 1}), nil, ""},
		{mark, nil, ""},
		{way(Point{X: 1}), func(s *Started) { s.behaviour = way() }, "way_points"},
		{way(Point{X: 1}), func(s *Started) { s.Player.(*follower).at = 1 },
			"has an index of 1, which must lie in [0, 1)"},
		{mark, func(s *Started) { s.behaviour = &Mark{Limits: mark.Limits, Robot: "c", Against: "ball", Distance: 1} },
			`robot = "c"`},
		{mark, func(s *Started) { s.behaviour = &Mark{Limits: mark.Limits, Robot: "a", Against: "ball", Distance: 1} },
			"must be another robot"},
		{mark, func(s *Started) { s.behaviour = foreign{} }, "player.foreign, which is no behaviour that key frames " +
			"know"},
	} {
		from := Start(c.behaviour, m, 0)
		if c.change != nil {
			c.change(from)
		}
		saved := keyframe.Append(nil)
		Exchange(saved, &from, robots{m}, m, 0)
		codec, into := keyframe.Restore(saved.Data()), Start(way(Point{}), m, 1)
		Exchange(codec, &into, robots{m}, m, 0)
		switch err := codec.End(); {
		case c.want == "" && (err != nil || !reflect.DeepEqual(into.behaviour, c.behaviour)):
			t.Errorf("%v: %+v, want %+v", err, into, c.behaviour)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// foreign is a behaviour of another package.
type foreign struct{}

func (foreign) Validate(string, World) error     { return nil }
func (foreign) Start(*physics.Model, int) Player { return nil }

// robots is a world of which only the robots are known.
type robots struct{ *physics.Model }

func (r robots) FindRobot(name string) (physics.Robot, error) {
	for i := range r.Robots {
		if r.Robots[i].Name == name {
			return r.Robots[i], nil
		}
	}
	return physics.Robot{}, errors.New("there is no such robot")
}

func (robots) FindPart(string) error { return nil }
