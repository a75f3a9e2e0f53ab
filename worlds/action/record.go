package action

// Record switches what a recording shows on or off, from the next step on: ground truth, exact states, topics. What a
// replay needs is recorded all the time. In a run that is not recorded, an event's does nothing.
type Record struct {
	On bool `toml:"on" required:"true" doc:"whether it is recorded"`
}

func (r *Record) Validate(World) error  { return nil }
func (r *Record) Do(s Simulation) error { return s.Record(r.On) }
func (r *Record) Anytime() bool         { return true }
