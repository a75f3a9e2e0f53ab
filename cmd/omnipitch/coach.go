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
	Game coachGameCmd `cmd:"" help:"Command the game of the simulation at ROS_MASTER_URI, as its referee box does. Both teams hear it."`
	Tell coachTellCmd `cmd:"" help:"Tell one team or both something, in the simulation at ROS_MASTER_URI, whatever the game is at, until they are told something else."`
}

type coachGameCmd struct {
	Command string `arg:"" help:"start, stop, drop_ball, park, first_half, half_time, second_half, end_game, game_over, reset; of one team kickoff, freekick, goalkick, throwin, corner, penalty, goal, subgoal; of a robot repair, repair_end, yellow_card, double_yellow, red_card."`
	Team    string `arg:"" optional:"" help:"Whose it is: cyan or magenta."`
	Number  uint8  `arg:"" optional:"" help:"The robot's number, of commands for a robot."`
}

func (c *coachGameCmd) Run(ctx context.Context, _ console.Streams) error {
	return say(ctx, &msg.CoachRequest{Command: c.Command, Team: c.Team, IDA: c.Number})
}

type coachTellCmd struct {
	Mode     string `arg:"" optional:"" help:"stop, start, park, drop_ball, test, or own_ or rival_ and a set piece, as own_kickoff. Default: what follows from the game."`
	Team     string `enum:",cyan,magenta" default:"" help:"Who is told: cyan or magenta. Default: both."`
	TestMode uint8  `placeholder:"N" help:"What is to be tested in mode test, by the team's own numbers."`
	A        point  `placeholder:"X,Y,DEG" help:"A point in the team's field frame, x towards the opponents' goal, in m, and a heading."`
	B        point  `placeholder:"X,Y,DEG" help:"Another one."`
	IDA      uint8  `name:"id-a" placeholder:"N" help:"Number of the robot that is meant with A."`
	IDB      uint8  `name:"id-b" placeholder:"N" help:"Number of the robot that is meant with B."`
	Kick     uint8  `placeholder:"N" help:"How hard to kick, by the team's own numbers."`
}

func (c *coachTellCmd) Run(ctx context.Context, _ console.Streams) error {
	return say(ctx, &msg.CoachRequest{Mode: c.Mode, Team: c.Team, TestMode: c.TestMode, A: c.A, B: c.B, IDA: c.IDA,
		IDB: c.IDB, Kick: c.Kick})
}

// point is x and y in m, and a heading in rad, given in degrees.
type point [3]float64

// UnmarshalText reads X,Y or X,Y,DEG.
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

// say asks the running simulation.
func say(ctx context.Context, q *msg.CoachRequest) error {
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
