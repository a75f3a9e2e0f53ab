package worlds

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/worlds/player"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Player is the scripted player of a robot.
type Player struct{ player.Choice }

// BindNode binds only the top layer. A player thereby replaces the whole player of an included file or a model, because
// a robot has only one behaviour.
func (p *Player) BindNode(n *schema.Node) error { return n.Top().Bind(p) }

// validatePlayers reports players without a behaviour, and behaviours that name something the world does not have.
func (w *World) validatePlayers() error {
	var errs []error
	for i := range w.Robots {
		path := fmt.Sprintf("robot[%d].player", i)
		if w.Robots[i].Player == nil || !w.NoErrorAt(path) || !w.NoErrorAt(fmt.Sprintf("robot[%d].kicker", i)) ||
			!w.NoErrorAt(fmt.Sprintf("robot[%d].dribbler", i)) {
			continue
		}
		key, b, err := w.Robots[i].Player.Behaviour()
		if err != nil {
			errs = append(errs, &schema.Violation{Path: path, Rule: err.Error()})
		} else if v, ok := errors.AsType[*schema.Violation](b.Validate(w.Robots[i].Name, w)); ok {
			v.Path = path + "." + key
			errs = append(errs, v)
		}
	}
	return errors.Join(errs...)
}
