package action

import "github.com/omnipitch/omnipitch/worlds/player"

// Follow has a robot drive along way points, once, round what is in its way. Then its player goes on, or it rests.
type Follow struct {
	Robot string `toml:"robot" required:"true"`
	player.Way
}

func (f *Follow) Validate(w World) error {
	_, err := w.FindRobot(f.Robot)
	return wrong("robot", f.Robot, err)
}

func (f *Follow) Do(s Simulation) error {
	way := f.Way // the player's own: an event may happen again
	return s.Play(f.Robot, &player.Follow{Way: way}, true)
}

func (f *Follow) Anytime() bool { return true }
