//go:build cgo

package engine

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/mujoco"
	"github.com/omnipitch/omnipitch/physics/internal/ode"
)

func newODE(model *physics.Model) (physics.Engine, error)    { return ode.New(model) }
func newMuJoCo(model *physics.Model) (physics.Engine, error) { return mujoco.New(model) }
