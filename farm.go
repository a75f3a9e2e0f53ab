package omnipitch

import (
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/worlds"
)

// Farm has images drawn by several Sims of one world, of which one runs. What it draws is what the running Sim alone
// would draw, to the last bit, where the others have the same renderers.
type Farm interface {
	pipeline.Farm
	// Begin is called by the goroutine that steps when a world begins, and when it, or another one, begins again;
	// nothing is under way then.
	Begin(sim *Sim, world *worlds.World)
}

// DrawOrder begins to draw what another Sim of the same world has described by pipeline.Order.Append. The Sim need not
// run: nothing of the order depends on its state. It belongs to the goroutine that steps, and fails for an order of
// another world, or one that is damaged.
func (s *Sim) DrawOrder(order []byte) (*pipeline.Drawn, error) {
	if s.commands.isClosed() {
		return nil, ErrClosed
	}
	return s.sensors.Draw(order)
}

// DrawHere has frames of one order of this Sim drawn by its own renderers. It may be called from any goroutine.
func (s *Sim) DrawHere(frames []pipeline.Frame) { s.sensors.DrawHere(frames) }
