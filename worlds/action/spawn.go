package action

import "errors"

// Spawn brings a robot or an obstacle of the world into the field, as Place moves it. A body that is there already
// moves to the pose. An absent robot is connected to its programs, and its sensors work.
type Spawn struct {
	Place
}

func (s *Spawn) Validate(w World) error { return errors.Join(notBall(s.Name), s.Place.Validate(w)) }

func (s *Spawn) Do(sim Simulation) error {
	pose, twist, err := s.goal(sim)
	if err != nil {
		return err
	}
	return sim.Spawn(s.Name, pose, twist)
}

// Delete removes a robot or an obstacle from the field until Spawn brings it again. Nothing touches it, no sensor
// detects it, and it is in no list of bodies. All pushes of it end. A robot's sensors deliver nothing, and it is
// disconnected from its programs, as CutWires does.
type Delete struct {
	Name string `toml:"name" required:"true" doc:"name of a robot or an obstacle"`
}

func (d *Delete) Validate(w World) error {
	return errors.Join(notBall(d.Name), violation("name", d.Name, w.FindBody(d.Name)))
}

func (d *Delete) Do(s Simulation) error { return s.Delete(d.Name) }

// notBall returns an error for the name of the ball.
func notBall(name string) error {
	if name != "ball" {
		return nil
	}
	return violation("name", name, errors.New("the ball is always there: place moves it"))
}
