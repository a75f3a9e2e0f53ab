package player

import (
	"errors"
	"fmt"
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

// Exchange passes a robot's player to a codec: its behaviour, and what it remembers. nil is none. What is restored is another player, of a
// behaviour that the world may have.
func Exchange(c *keyframe.Codec, p **Started, w World, m *physics.Model, robot int) {
	key := ""
	if *p != nil {
		key = keyOf((*p).behaviour)
	}
	keyframe.Text(c, &key)
	switch {
	case c.Err() != nil:
		return
	case key == "":
		*p = nil
		return
	}
	b := newBehaviour(key)
	if c.Check(b != nil, "is played by %s, which is no behaviour that key frames know", key); b == nil {
		return
	}
	if c.Restoring() {
		if c.Value(b); c.Err() == nil {
			wrong := schema.Flatten(errors.Join(schema.Check(b), b.Validate(m.Robots[robot].Name, w)))
			c.Fail(errors.Join(wrong[:min(1, len(wrong))]...))
		}
		if c.Err() != nil {
			return
		}
		if *p = Start(b, m, robot); *p == nil {
			return
		}
	} else {
		c.Value((*p).behaviour)
	}
	(*p).Player.Exchange(c)
}

// behaviours lists the behaviours of this package, each as a pointer to its zero value, by their keys.
func behaviours(yield func(key string, b Behaviour) bool) {
	choice := reflect.TypeFor[Choice]()
	for i := range choice.NumField() {
		f := choice.Field(i)
		if !yield(f.Tag.Get("toml"), reflect.New(f.Type.Elem()).Interface().(Behaviour)) {
			return
		}
	}
	_ = yield("follow", &Follow{}) && yield("drive", &Drive{}) // of actions
}

// keyOf returns the key of a behaviour; of one that is not of this package, its type in words.
func keyOf(b Behaviour) string {
	for key, x := range behaviours {
		if reflect.TypeOf(x) == reflect.TypeOf(b) {
			return key
		}
	}
	return fmt.Sprintf("%T", b)
}

// newBehaviour returns one with a key without its fields, nil if there is none.
func newBehaviour(key string) Behaviour {
	for k, b := range behaviours {
		if k == key {
			return b
		}
	}
	return nil
}
