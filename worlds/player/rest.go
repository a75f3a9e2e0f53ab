package player

import "github.com/omnipitch/omnipitch/physics"

// Rest is no player at all: the robot stands still and waits for its own program. It takes away the player of an
// included world or a model.
type Rest struct{}

func (*Rest) Validate(string, World) error { return nil }

// Start returns nil.
func (*Rest) Start(*physics.Model, int) Player { return nil }
