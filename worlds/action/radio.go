package action

import "github.com/omnipitch/omnipitch/physics"

// CutRadio switches radios off. While a robot's radio is off, the messages of its programs to teammates are not sent,
// and messages of teammates do not arrive.
type CutRadio struct {
	Robot string       `toml:"robot" doc:"name of one robot"`
	Team  physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"team; without robot and team, all robots"`
}

func (c *CutRadio) Validate(w World) error { return findRadios(w, c.Robot, c.Team) }
func (c *CutRadio) Do(s Simulation) error  { return s.SetRadio(c.Robot, c.Team, false) }

// RestoreRadio switches radios on.
type RestoreRadio struct {
	Robot string       `toml:"robot" doc:"name of one robot"`
	Team  physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"team; without robot and team, all robots"`
}

func (r *RestoreRadio) Validate(w World) error { return findRadios(w, r.Robot, r.Team) }
func (r *RestoreRadio) Do(s Simulation) error  { return s.SetRadio(r.Robot, r.Team, true) }

// findRadios returns an error if no robot with this name and team has a radio.
func findRadios(w World, robot string, team physics.Team) error {
	if robot != "" {
		if _, err := w.FindRobot(robot); err != nil {
			return violation("robot", robot, err)
		}
	}
	err := w.FindRadios(robot, team)
	if robot == "" && team != "" {
		return violation("team", string(team), err)
	}
	return violation("robot", robot, err)
}
