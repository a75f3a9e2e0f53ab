package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

type coachCmd struct {
	Game coachGameCmd `cmd:"" help:"Send a command of the referee box to the simulation at ROS_MASTER_URI. Both teams receive it."`
	Tell coachTellCmd `cmd:"" help:"Send a coach message to one team or both in the simulation at ROS_MASTER_URI. It overrides the state of the game until the next message."`
}

type coachGameCmd struct {
	Command string `arg:"" help:"start, stop, drop_ball, park, first_half, half_time, second_half, end_game, game_over, reset. For a team: kickoff, freekick, goalkick, throwin, corner, penalty, goal, subgoal. For a robot: repair, repair_end, yellow_card, double_yellow, red_card."`
	Team    string `arg:"" optional:"" help:"Team that gets it: cyan or magenta."`
	Number  uint8  `arg:"" optional:"" help:"Number of the robot, for commands for a robot."`
}

func (c *coachGameCmd) Run(ctx context.Context, _ console.Streams) error {
	return sendCoach(ctx, &msg.CoachRequest{Command: c.Command, Team: c.Team, IDA: c.Number})
}

type coachTellCmd struct {
	Mode     string `arg:"" optional:"" help:"stop, start, park, drop_ball, test, or own_ or rival_ and a set piece, such as own_kickoff. Default: follow the game."`
	Team     string `enum:",cyan,magenta" default:"" help:"Team that receives it: cyan or magenta. Default: both."`
	TestMode uint8  `placeholder:"N" help:"Number of the test in mode test. Its meaning is up to the team."`
	A        point  `placeholder:"X,Y,DEG" help:"Pose A in the field frame of the team: x towards the opponents' goal, in metres, and a heading."`
	B        point  `placeholder:"X,Y,DEG" help:"Pose B."`
	IDA      uint8  `name:"id-a" placeholder:"N" help:"Number of the robot for pose A."`
	IDB      uint8  `name:"id-b" placeholder:"N" help:"Number of the robot for pose B."`
	Kick     uint8  `placeholder:"N" help:"Strength of the kick. Its meaning is up to the team."`
}

func (c *coachTellCmd) Run(ctx context.Context, _ console.Streams) error {
	return sendCoach(ctx, &msg.CoachRequest{Mode: c.Mode, Team: c.Team, TestMode: c.TestMode, A: c.A, B: c.B,
		IDA: c.IDA,
		IDB: c.IDB, Kick: c.Kick})
}

// point is a position and a heading: x and y in metres, and the heading in radians. The flag gives the heading in
// degrees.
type point [3]float64

// UnmarshalText parses X,Y or X,Y,DEG.
func (p *point) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ",")
	if len(parts) != 2 && len(parts) != 3 {
		return errors.New("must be X,Y or X,Y,DEG")
	}
	for i, part := range parts {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%q must be a number", part)
		}
		p[i] = x
	}
	p[2] *= math.Pi / 180
	return nil
}

// sendCoach sends a request to the running simulation.
func sendCoach(ctx context.Context, q *msg.CoachRequest) error {
	answer, err := callRunning[msg.CoachRequest, msg.CoachResponse](ctx, robotio.CoachService, "omnipitch_msgs/Coach",
		q)
	if err != nil {
		return err
	}
	if !answer.Success {
		return console.BadInputf("coach: %s", answer.Message)
	}
	return nil
}
