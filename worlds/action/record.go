package action

// Record switches the optional part of a recording on or off from the next step on: ground truth, exact states, topics.
// The input that a replay needs is always recorded. In a run without a recording, the action of an event does nothing.
type Record struct {
	On bool `toml:"on" required:"true" doc:"whether to record"`
}

func (r *Record) Validate(World) error  { return nil }
func (r *Record) Do(s Simulation) error { return s.Record(r.On) }
func (r *Record) Anytime() bool         { return true }
