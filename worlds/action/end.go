package action

// End ends the run after the step that goes on: nothing fails, and its report follows.
type End struct{}

func (e *End) Validate(World) error  { return nil }
func (e *End) Do(s Simulation) error { s.End(); return nil }
func (e *End) Anytime() bool         { return true }
