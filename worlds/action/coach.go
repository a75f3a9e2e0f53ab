package action

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/coach"
)

// Coach sends a message of the coach to one team or to both teams. The message stays until the next Coach action for
// the same team. The action does not change the state of the game.
type Coach struct {
	Team     physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"team that gets the message; left out, both"`
	Mode     coach.Mode   `toml:"mode" oneof:"|stop|start|park|drop_ball|test|own_kickoff|own_freekick|own_goalkick|own_throwin|own_corner|own_penalty|rival_kickoff|rival_freekick|rival_goalkick|rival_throwin|rival_corner|rival_penalty" doc:"game mode that the team gets, whatever the game's is; left out, the game's"`
	TestMode int          `toml:"test_mode" range:"[0, 255]" doc:"what mode test tests, as the team's own number"`
	AX       float64      `toml:"a_x_m" range:"[-100, 100]" doc:"position of point A in the team's field frame, x towards the opponents' goal"`
	AY       float64      `toml:"a_y_m" range:"[-100, 100]"`
	AHeading float64      `toml:"a_heading_deg" range:"[-360, 360]"`
	BX       float64      `toml:"b_x_m" range:"[-100, 100]" doc:"position of point B, in the same frame"`
	BY       float64      `toml:"b_y_m" range:"[-100, 100]"`
	BHeading float64      `toml:"b_heading_deg" range:"[-360, 360]"`
	IDA      int          `toml:"id_a" range:"[0, 255]" doc:"number of the robot that A concerns"`
	IDB      int          `toml:"id_b" range:"[0, 255]" doc:"number of the robot that B concerns"`
	Kick     int          `toml:"kick" range:"[0, 255]" doc:"strength of a kick, as the team's own number"`
	Message  string       `toml:"message" doc:"text for the team's programs, at most 253 bytes, as in the humanoid league's GameController"`
}

// maxCoachMessage is the largest length of a coach's text, in bytes. Source: RoboCupGameControlData.h, version 12.
const maxCoachMessage = 253

func (c *Coach) Validate(World) error {
	if n := len(c.Message); n > maxCoachMessage {
		return violation("message", c.Message, fmt.Errorf("has %d bytes: must have at most %d", n, maxCoachMessage))
	}
	return nil
}

func (c *Coach) Do(s Simulation) error {
	word := coach.Word{
		Mode: c.Mode, TestMode: uint8(c.TestMode), Kick: uint8(c.Kick), Message: c.Message,
		A: coach.Place{X: c.AX, Y: c.AY, Heading: c.AHeading}, IDA: uint8(c.IDA),
		B: coach.Place{X: c.BX, Y: c.BY, Heading: c.BHeading}, IDB: uint8(c.IDB),
	}
	for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
		if c.Team == "" || c.Team == team {
			s.TellTeam(team, word)
		}
	}
	return nil
}
