package player

import (
	"errors"
	"reflect"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Started is a player with its behaviour.
type Started struct {
	Player
	behaviour Behaviour
}

// Start has a behaviour play a robot. It returns nil for a behaviour without a player.
func Start(b Behaviour, m *physics.Model, robot int) *Started {
	p := b.Start(m, robot)
	if p == nil {
		return nil
	}
	return &Started{p, b}
}

// Exchange passes a robot's player to a codec: its behaviour, and what it remembers. nil is none. What is restored is
// another player, of a behaviour that the world may have. Behaviours of other packages cannot be restored.
func Exchange(c *keyframe.Codec, p **Started, w World, m *physics.Model, robot int) {
	key := ""
	if *p != nil {
		key = keyOf((*p).behaviour)
	}
	keyframe.Text(c, &key)
	if c.Restoring() {
		*p = restored(c, key, w, m, robot)
	} else if *p != nil && typeOf(key) != nil {
		c.Value((*p).behaviour)
	} else {
		return
	}
	if *p != nil {
		(*p).Player.Exchange(c)
	}
}

// restored starts the player of a behaviour that is restored; nil after an error, and where there is none.
func restored(c *keyframe.Codec, key string, w World, m *physics.Model, robot int) *Started {
	if key == "" || c.Err() != nil {
		return nil
	}
	of := typeOf(key)
	if of == nil {
		c.Check(false, "is played by %s, which is no behaviour that key frames know", key)
		return nil
	}
	b := reflect.New(of).Interface().(Behaviour)
	if c.Value(b); c.Err() != nil {
		return nil
	}
	if wrong := schema.Flatten(errors.Join(schema.Check(b), b.Validate(m.Robots[robot].Name, w))); len(wrong) > 0 {
		c.Fail(wrong[0])
		return nil
	}
	return Start(b, m, robot)
}

// behaviours lists those of this package by their keys: what worlds and the action play choose from, and what other
// actions start.
var behaviours = []struct {
	key string
	of  reflect.Type
}{
	{"rest", reflect.TypeFor[Rest]()}, {"hold", reflect.TypeFor[Hold]()}, {"patrol", reflect.TypeFor[Patrol]()},
	{"chase_ball", reflect.TypeFor[ChaseBall]()},
	{"keeper", reflect.TypeFor[Keeper]()}, {"pass_between", reflect.TypeFor[PassBetween]()},
	{"mark", reflect.TypeFor[Mark]()},
	{"flee", reflect.TypeFor[Flee]()}, {"herd", reflect.TypeFor[Herd]()},
	{"follow", reflect.TypeFor[Follow]()}, {"drive", reflect.TypeFor[Drive]()},
}

// keyOf returns the key of a behaviour; of one that is not of this package, its type in words.
func keyOf(b Behaviour) string {
	of := reflect.TypeOf(b)
	for _, x := range behaviours {
		if of.Kind() == reflect.Pointer && of.Elem() == x.of {
			return x.key
		}
	}
	return of.String()
}

// typeOf returns the type of behaviours with a key, nil if there is none.
func typeOf(key string) reflect.Type {
	for _, x := range behaviours {
		if x.key == key {
			return x.of
		}
	}
	return nil
}
