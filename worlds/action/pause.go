package action

// Pause stops sim time after the present step, until Resume.
type Pause struct{}

func (p *Pause) Validate(w World) error { return nil }
func (p *Pause) Do(s Simulation) error  { s.Clock().Pause(); return nil }
func (p *Pause) Anytime() bool          { return true }

// Resume continues sim time after Pause. Only programs on a wire and users at a keyboard can act in a paused world.
type Resume struct{}

func (r *Resume) Validate(w World) error { return nil }
func (r *Resume) Do(s Simulation) error  { s.Clock().Resume(); return nil }
func (r *Resume) Anytime() bool          { return true }
