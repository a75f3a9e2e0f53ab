package action

import "github.com/omnipitch/omnipitch/worlds/player"

// Follow makes a robot drive along way points once and avoid obstructions. After that the robot's player continues;
// without a player the robot stands still.
type Follow struct {
	Robot string `toml:"robot" required:"true"`
	player.Way
}

func (f *Follow) Validate(w World) error {
	_, err := w.FindRobot(f.Robot)
	return violation("robot", f.Robot, err)
}

func (f *Follow) Do(s Simulation) error {
	way := f.Way // the player gets a copy, because an event may use this action again
	return s.Play(f.Robot, &player.Follow{Way: way}, true)
}
