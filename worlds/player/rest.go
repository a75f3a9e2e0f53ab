package player

import "github.com/omnipitch/omnipitch/physics"

// Rest is the behaviour without a player: the robot stands still and waits for its own program. In a world file, Rest
// removes the player that an included world or a model gives.
type Rest struct{}

func (*Rest) Validate(string, World) error { return nil }

// Start returns nil, because the behaviour has no player.
func (*Rest) Start(*physics.Model, int) Player { return nil }
