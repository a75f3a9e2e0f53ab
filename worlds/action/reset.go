package action

// Reset restarts the world before the next step. The world starts at time 0, as in a new run.
type Reset struct {
	Seed *uint64 `toml:"seed" doc:"seed of all randomness from then on; left out, the seed stays"`
}

func (r *Reset) Validate(w World) error { return nil }
func (r *Reset) Do(s Simulation) error  { return s.Restart(r.Seed) }

// ResetBodies moves the ball, all robots and all obstacles to their start poses, at rest. Sim time goes on.
type ResetBodies struct{}

func (r *ResetBodies) Validate(w World) error { return nil }
func (r *ResetBodies) Do(s Simulation) error  { return s.ResetBodies() }
