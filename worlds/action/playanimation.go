package action

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
)

// PlayAnimation makes a robot play an animation of its model once. A robot that walks stops first, and one that gets
// up, kicks or plays another animation ends this first. A newer PlayAnimation replaces one that waits. A fall cancels
// both.
type PlayAnimation struct {
	Robot     string `toml:"robot" required:"true"`
	Animation string `toml:"animation" required:"true" doc:"name of one of the robot's animations"`
}

func (p *PlayAnimation) Validate(w World) error {
	r, err := w.FindRobot(p.Robot)
	if err != nil {
		return violation("robot", p.Robot, err)
	}
	if r.Body.Mass == 0 { // its model could not be read
		return nil
	}
	_, err = p.find(&r)
	return violation("animation", p.Animation, err)
}

func (p *PlayAnimation) Do(s Simulation) error {
	r, err := s.Robot(p.Robot)
	if err != nil {
		return err
	}
	i, err := p.find(r)
	if err != nil {
		return err
	}
	return s.PlayAnimation(p.Robot, i)
}

// find returns the index of the animation.
func (p *PlayAnimation) find(r *physics.Robot) (int, error) {
	i := r.Animation(p.Animation)
	if i >= 0 {
		return i, nil
	}
	var names []string
	for k := range r.Animations {
		names = append(names, r.Animations[k].Name)
	}
	return i, errors.New("the robot has no such animation" + rules.DidYouMean(p.Animation, names))
}
