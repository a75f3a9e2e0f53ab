package action

// Pause stops sim time after the present step, until Resume.
type Pause struct{}

func (p *Pause) Validate(w World) error { return nil }
func (p *Pause) Do(s Simulation) error  { s.Clock().Pause(); return nil }
func (p *Pause) Anytime() bool          { return true }

// Resume lets sim time go on after Pause. In a world that is paused nothing happens but what comes over a wire or from
// a keyboard.
type Resume struct{}

func (r *Resume) Validate(w World) error { return nil }
func (r *Resume) Do(s Simulation) error  { s.Clock().Resume(); return nil }
func (r *Resume) Anytime() bool          { return true }
