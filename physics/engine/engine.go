package engine

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/planar"
)

// New makes the engine that model.Config.Engine names: "planar", "mujoco", or "ode" for any other name. It fails when
// the model is invalid, with every rule that it breaks (physics.Model.Validate), for "ode" and "mujoco" in a program
// that was built without cgo, and for "mujoco" if libmujoco is not installed.
func New(model *physics.Model) (physics.Engine, error) {
	switch model.Config.Engine {
	case "planar":
		return planar.New(model)
	case "mujoco":
		return newMuJoCo(model)
	}
	return newODE(model)
}
