package action

import "github.com/omnipitch/omnipitch/physics"

// CutRadio switches radios off: what the robots' programs send to their mates does not go on the air, and nothing
// reaches them.
type CutRadio struct {
	Robot string       `toml:"robot" doc:"one robot alone"`
	Team  physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"one team alone; without robot and team all robots"`
}

func (c *CutRadio) Validate(w World) error { return findRadios(w, c.Robot, c.Team) }
func (c *CutRadio) Do(s Simulation) error  { return s.SetRadio(c.Robot, c.Team, false) }
func (c *CutRadio) Anytime() bool          { return false }

// RestoreRadio switches radios on.
type RestoreRadio struct {
	Robot string       `toml:"robot" doc:"one robot alone"`
	Team  physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"one team alone; without robot and team all robots"`
}

func (r *RestoreRadio) Validate(w World) error { return findRadios(w, r.Robot, r.Team) }
func (r *RestoreRadio) Do(s Simulation) error  { return s.SetRadio(r.Robot, r.Team, true) }
func (r *RestoreRadio) Anytime() bool          { return false }

// findRadios reports a choice of radios that leaves none.
func findRadios(w World, robot string, team physics.Team) error {
	if robot != "" {
		if _, err := w.FindRobot(robot); err != nil {
			return wrong("robot", robot, err)
		}
	}
	err := w.FindRadios(robot, team)
	if robot == "" && team != "" {
		return wrong("team", string(team), err)
	}
	return wrong("robot", robot, err)
}
