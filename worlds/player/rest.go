package player

import "github.com/omnipitch/omnipitch/physics"

// Rest is no player: the robot stands still and waits for its own program. It removes the player that an included world
// or a model gives.
type Rest struct{}

func (*Rest) Validate(string, World) error { return nil }

// Start returns nil.
func (*Rest) Start(*physics.Model, int) Player { return nil }
