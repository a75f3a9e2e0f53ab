package action

// End ends the run after the present step. The run does not count as failed, and prints its report.
type End struct{}

func (e *End) Validate(World) error  { return nil }
func (e *End) Do(s Simulation) error { s.End(); return nil }
