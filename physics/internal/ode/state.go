package ode

// #include "world.h"
import "C"

import (
	"errors"
	"math"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

var errRollers = errors.New("ode: the state of a robot with drive level rollers cannot be saved")

// Exchange implements play.Bodies.
func (b *bodies) Exchange(c *keyframe.Codec) error {
	if b.world == nil {
		return errClosed
	}
	if b.rollers {
		return errRollers
	}
	return b.world.exchange(c)
}

func (w *world) exchange(c *keyframe.Codec) error {
	numbers := make([]float64, 1+C.OMNI_STATE*len(w.bodies))
	used := C.omni_exchange(w.c, (*C.double)(&numbers[0]), 0)
	numbers = numbers[:used]
	if c.Floats(numbers); !c.Restoring() {
		return nil
	}
	for _, x := range numbers {
		c.Check(!math.IsNaN(x) && !math.IsInf(x, 0), "has %v in the state of a body", x)
	}
	if c.Err() == nil {
		C.omni_exchange(w.c, (*C.double)(&numbers[0]), 1)
	}
	return c.Err()
}
