package action

import "github.com/omnipitch/omnipitch/worlds/player"

// Play gives a robot a scripted player, or removes the robot's player, from the next step on. The next command of the
// robot's own program ends the player.
type Play struct {
	Robot string `toml:"robot" required:"true"`
	player.Choice
}

func (p *Play) Validate(w World) error {
	if _, err := w.FindRobot(p.Robot); err != nil {
		return violation("robot", p.Robot, err)
	}
	return p.Choice.Validate(p.Robot, w)
}

func (p *Play) Do(s Simulation) error {
	_, b, err := p.Behaviour()
	if err != nil {
		return err
	}
	return s.Play(p.Robot, b, false)
}
