package action

// Reset has the world begin again before the next step, at time 0, as a new run of it would.
type Reset struct {
	Seed *uint64 `toml:"seed" doc:"of all randomness from then on; without it the present one"`
}

func (r *Reset) Validate(w World) error { return nil }
func (r *Reset) Do(s Simulation) error  { return s.Restart(r.Seed) }
func (r *Reset) Anytime() bool          { return true }

// ResetBodies puts the ball, all robots and all obstacles where they stood as the world began, at rest, and lets time
// go on.
type ResetBodies struct{}

func (r *ResetBodies) Validate(w World) error { return nil }
func (r *ResetBodies) Do(s Simulation) error  { return s.ResetBodies() }
func (r *ResetBodies) Anytime() bool          { return false }
