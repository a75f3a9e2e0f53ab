package action

// CutWires disconnects a robot from its programs, on every wire. Messages of these programs are ignored, and
// observations of the robot's sensors do not reach them. The robot's last command stays in force. Topics stay
// advertised and connections stay open.
type CutWires struct {
	Robot string `toml:"robot" required:"true"`
}

func (c *CutWires) Validate(w World) error {
	_, err := w.FindRobot(c.Robot)
	return violation("robot", c.Robot, err)
}

func (c *CutWires) Do(s Simulation) error { return s.SetWired(c.Robot, false) }

// RestoreWires connects a robot to its programs again.
type RestoreWires struct {
	Robot string `toml:"robot" required:"true"`
}

func (r *RestoreWires) Validate(w World) error {
	_, err := w.FindRobot(r.Robot)
	return violation("robot", r.Robot, err)
}

func (r *RestoreWires) Do(s Simulation) error { return s.SetWired(r.Robot, true) }
