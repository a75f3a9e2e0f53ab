package action

// RestoreWires connects a robot again that was cut off from its programs, as it was.
type RestoreWires struct {
	Robot string `toml:"robot" required:"true"`
}

func (r *RestoreWires) Validate(w World) error {
	_, err := w.FindRobot(r.Robot)
	return wrong("robot", r.Robot, err)
}

func (r *RestoreWires) Do(s Simulation) error { return s.SetWired(r.Robot, true) }
func (r *RestoreWires) Anytime() bool         { return true }
