package action

// Record switches the optional part of a recording on or off, from the next step on. The optional part is ground truth,
// exact states and topics. The input that a replay needs is always recorded. In a run without a recording, an event
// with this action has no effect.
type Record struct {
	On bool `toml:"on" required:"true" doc:"whether to record"`
}

func (r *Record) Validate(World) error  { return nil }
func (r *Record) Do(s Simulation) error { return s.Record(r.On) }
