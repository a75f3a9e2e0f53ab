package engine

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/planar"
)

// New makes the engine that model.Config.Engine names: "planar", or "ode" for any other name. It fails when the model
// is invalid, with every rule that it breaks (physics.Model.Validate), and for "ode" in a program that was built
// without cgo.
func New(model *physics.Model) (physics.Engine, error) {
	if model.Config.Engine == "planar" {
		return planar.New(model)
	}
	return newODE(model)
}
