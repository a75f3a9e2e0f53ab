package action

// Pause stops sim time after the present step. Resume continues it.
type Pause struct{}

func (p *Pause) Validate(w World) error { return nil }
func (p *Pause) Do(s Simulation) error  { s.Clock().Pause(); return nil }

// Resume continues sim time after Pause. In a paused world, only programs on a network connection and users at a
// keyboard can carry out actions.
type Resume struct{}

func (r *Resume) Validate(w World) error { return nil }
func (r *Resume) Do(s Simulation) error  { s.Clock().Resume(); return nil }
