package action

import "github.com/omnipitch/omnipitch/physics"

// SetBallHandling sets whether robots may handle the ball, as a referee's stop and start do. While robots may not
// handle the ball, no robot holds or kicks it, whatever the robot's software asks for. Kicks asked for during this time
// are dropped. Dribblers that are still on afterwards take effect again.
type SetBallHandling struct {
	Robot  string       `toml:"robot" doc:"name of one robot"`
	Team   physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"team; without robot and team, all robots"`
	Enable bool         `toml:"enable"`
}

func (a *SetBallHandling) Validate(w World) error {
	if a.Robot == "" {
		return nil
	}
	_, err := w.FindRobot(a.Robot)
	return violation("robot", a.Robot, err)
}

func (a *SetBallHandling) Do(s Simulation) error {
	if a.Robot != "" {
		if _, err := s.Robot(a.Robot); err != nil {
			return err
		}
	}
	for _, r := range s.Robots() {
		if (a.Robot == "" || a.Robot == r.Name) && (a.Team == "" || a.Team == r.Team) {
			if err := s.SetBallHandling(r.Name, a.Enable); err != nil {
				return err
			}
		}
	}
	return nil
}
