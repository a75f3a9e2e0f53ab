package action

// HealSensor heals a broken sensor, from its next frame on.
type HealSensor struct {
	Robot  string `toml:"robot" required:"true"`
	Sensor string `toml:"sensor" required:"true"`
}

func (h *HealSensor) Validate(w World) error {
	_, err := w.FindSensor(h.Robot, h.Sensor)
	return wrong("sensor", h.Sensor, err)
}

func (h *HealSensor) Do(s Simulation) error { return s.SetFault(h.Robot, h.Sensor, "") }
func (h *HealSensor) Anytime() bool         { return true }
