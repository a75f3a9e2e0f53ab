package player

import (
	"errors"
	"reflect"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Started is a running player, with the behaviour that it plays.
type Started struct {
	Player
	behaviour Behaviour
}

// Start makes a behaviour play the robot with the index robot. It returns nil for a behaviour without a player.
func Start(b Behaviour, m *physics.Model, robot int) *Started {
	p := b.Start(m, robot)
	if p == nil {
		return nil
	}
	return &Started{p, b}
}

// Exchange saves or restores a robot's player: its behaviour and its memory. nil stands for no player. Restoring starts
// a new player, and fails if the world does not allow its behaviour. Behaviours of other packages cannot be restored.
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

// restored starts the player of a restored behaviour. It returns nil after an error, and if the saved robot had no
// player.
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

// behaviours lists the behaviours of this package by their keys. It contains the behaviours that worlds and the action
// play offer, and the behaviours that only other actions start.
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

// keyOf returns the key of a behaviour, or the name of its type if it is not of this package.
func keyOf(b Behaviour) string {
	of := reflect.TypeOf(b)
	for _, x := range behaviours {
		if of.Kind() == reflect.Pointer && of.Elem() == x.of {
			return x.key
		}
	}
	return of.String()
}

// typeOf returns the type of the behaviour with a key, or nil if there is none.
func typeOf(key string) reflect.Type {
	for _, x := range behaviours {
		if x.key == key {
			return x.of
		}
	}
	return nil
}
