//go:build !cgo

package engine

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics"
)

func newODE(*physics.Model) (physics.Engine, error) {
	return nil, errors.New("physics.engine = ode: this program was built without cgo, which ODE needs")
}

func newMuJoCo(*physics.Model) (physics.Engine, error) {
	return nil, errors.New("physics.engine = mujoco: this program was built without cgo, which MuJoCo needs")
}
