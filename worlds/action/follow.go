package action

import "github.com/omnipitch/omnipitch/worlds/player"

// Follow makes a robot drive along way points once, around obstructions. Then its player continues, or it rests.
type Follow struct {
	Robot string `toml:"robot" required:"true"`
	player.Way
}

func (f *Follow) Validate(w World) error {
	_, err := w.FindRobot(f.Robot)
	return violation("robot", f.Robot, err)
}

func (f *Follow) Do(s Simulation) error {
	way := f.Way // a copy for the player, because an event may happen again
	return s.Play(f.Robot, &player.Follow{Way: way}, true)
}

func (f *Follow) Anytime() bool { return true }
