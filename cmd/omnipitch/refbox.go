package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/worlds"
)

// refboxFlags are the flags that connect a run to a referee box, or make the run a referee box.
type refboxFlags struct {
	Refbox        *string `placeholder:"ADDR" help:"Connect to the MSL referee box at HOST, HOST:PORT or PORT as each team of the world. The box then commands the game. off: connect to none, even if the world names one. Default port: 28097."`
	RefboxServer  *string `placeholder:"ADDR" help:"Serve the protocol of the MSL referee box at HOST, HOST:PORT or PORT. Teams' own clients connect and receive the events of the game."`
	RefboxCyan    string  `placeholder:"ADDRESS" help:"With --refbox-server: multicast address that identifies the cyan team in messages, such as 224.16.32.53. Default: 224.16.32.127, which the box uses for teams on its own machine."`
	RefboxMagenta string  `placeholder:"ADDRESS" help:"The same for the magenta team. If both are equal, :1 is appended."`
}

func (f *refboxFlags) check() error {
	if f.RefboxServer == nil && f.RefboxCyan+f.RefboxMagenta != "" {
		return errors.New("--refbox-cyan and --refbox-magenta: need --refbox-server")
	}
	for _, flag := range []struct {
		name string
		addr *string
	}{{"--refbox", f.Refbox}, {"--refbox-server", f.RefboxServer}} {
		if flag.addr == nil || flag.addr == f.Refbox && *f.Refbox == "off" {
			continue
		}
		addr, err := refbox.ParseAddr(*flag.addr)
		if err != nil {
			return fmt.Errorf("%s = %q: %w", flag.name, *flag.addr, err)
		}
		*flag.addr = addr
	}
	return nil
}

// followedAddr returns the address of the referee box that a run of the world connects to. The address is empty if the
// run connects to no referee box.
func (f *refboxFlags) followedAddr(w *worlds.World) (addr string, err error) {
	switch {
	case f.Refbox != nil && *f.Refbox == "off":
		return "", nil
	case f.Refbox != nil && w.Referee == worlds.RefereeAuto:
		return "", console.BadInputf("--refbox: the world has an automatic referee, and a game has only one: not with "+
			"referee = %q", w.Referee)
	case f.Refbox != nil:
		return *f.Refbox, nil
	case w.Referee == worlds.RefereeRefbox:
		return refboxAddr(w), nil
	}
	return "", nil
}

// refboxAddr returns the address of the referee box that a valid world names.
func refboxAddr(w *worlds.World) string {
	addr, err := refbox.ParseAddr(w.Refbox.Address)
	if err != nil {
		panic(err) // cannot happen: loading the world has checked the address
	}
	return addr
}

// ignoresRefbox returns a warning which says that the command does not follow the world's referee box or
// GameController. The warning is empty if the world has none.
func ignoresRefbox(w *worlds.World, command string) string {
	judge := ""
	switch w.Referee {
	case worlds.RefereeRefbox:
		judge = "connect to a referee box"
	case worlds.RefereeGameController:
		judge = "follow a GameController"
	default:
		return ""
	}
	return command + " does not " + judge + ": the game stays stopped until events or programs command it"
}

// open connects a simulation to the referee box at addr; an empty addr means no connection. It also starts the referee
// box of --refbox-server. asks reports whether a user can answer the box's questions. It calls the function say with
// each warning, and the function note with each note. The returned function close disconnects. following is nil without
// a connection.
func (f *refboxFlags) open(sim *omnipitch.Sim, addr string, asks func() bool, say, note func(string)) (
	following *refbox.Following, close func(), err error) {
	close = func() {}
	if f.RefboxServer != nil {
		server, err := refbox.Listen(refbox.ServerConfig{Addr: *f.RefboxServer, Cyan: f.RefboxCyan,
			Magenta: f.RefboxMagenta, Say: note})
		if err != nil {
			return nil, nil, console.NetworkError(fmt.Errorf("--refbox-server: %w", err))
		}
		refbox.Announce(sim, sim.Match(), server)
		note("referee box at " + server.Addr())
		close = func() { _ = server.Close() } // no data is lost
	}
	if addr != "" {
		following = refbox.Follow(sim, sim.Match(), sim.Clock(), refbox.FollowConfig{Addr: addr, Say: say, Asks: asks})
		closeServer := close
		close = func() { following.Close(); closeServer() }
	}
	return following, close, nil
}

// refboxCmd is the command for a referee box that the user controls from a terminal.
type refboxCmd struct {
	Listen  string `default:"127.0.0.1:28097" placeholder:"ADDR" help:"Address to listen at: HOST, HOST:PORT or PORT; port 0 selects a free port. Default: ${default}, which only programs on this machine can reach."`
	Cyan    string `placeholder:"ADDRESS" help:"Multicast address that identifies the cyan team, which is the first to connect, such as 224.16.32.53. Default: 224.16.32.127, which the box uses for teams on its own machine."`
	Magenta string `placeholder:"ADDRESS" help:"The same for the magenta team. If both are equal, :1 is appended."`
	JSON    bool   `name:"json" help:"Print every world state that a team sends, one JSON object per line."`
}

// Help implements kong.HelpProvider.
func (c *refboxCmd) Help() string {
	return `Reads one command per line from stdin, such as START, KICKOFF cyan or SUBSTITUTION magenta 4, and sends it to both teams as the MSL referee box does. It exits at the end of its input.`
}

// Check checks the flags.
func (c *refboxCmd) Check() error {
	addr, err := refbox.ParseAddr(c.Listen)
	if err != nil {
		return fmt.Errorf("--listen = %q: %w", c.Listen, err)
	}
	c.Listen = addr
	return nil
}

func (c *refboxCmd) Run(ctx context.Context, con console.Streams) error {
	return c.run(ctx, os.Stdin, con)
}

func (c *refboxCmd) run(ctx context.Context, in io.Reader, con console.Streams) error {
	out, errs := newLinePrinter(con.Out), newLinePrinter(con.Err)
	shown := [2]string{} // summaries of the last world states of cyan and magenta
	server, err := refbox.Listen(refbox.ServerConfig{Addr: c.Listen, Cyan: c.Cyan, Magenta: c.Magenta,
		Say: func(text string) { errs.printFrom("referee box", text) },
		WorldState: func(team physics.Team, w *refbox.WorldState, text []byte) {
			if c.JSON {
				out.print(`{"team":"` + string(team) + `","worldstate":` + compact(text) + "}")
				return
			}
			last := &shown[0]
			if team == physics.Magenta {
				last = &shown[1]
			}
			if now := fmt.Sprintf("sends robots: %d, balls: %d, obstacles: %d", len(w.Robots), len(w.Balls),
				len(w.Obstacles)); now != *last {
				*last = now
				out.printFrom(string(team), now)
			}
		}})
	if err != nil {
		return console.NetworkError(fmt.Errorf("--listen: %w", err))
	}
	defer server.Close()
	newLinePrinter(con.Notes()).printFrom("referee box",
		"teams connect to "+server.Addr()+"; enter one command per line, such as KICKOFF cyan or START")
	lines := make(chan string)
	go func() {
		defer close(lines)
		for input := bufio.NewScanner(in); input.Scan(); {
			select {
			case lines <- input.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case line, more := <-lines:
			if !more {
				return nil
			}
			if line == "" {
				continue
			}
			command, team, robot, err := refbox.ParseLine(line)
			if err != nil {
				errs.printFrom("referee box", err.Error())
			} else if server.Send(command, team, robot) == 0 {
				errs.printFrom("referee box", "no team is connected")
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// compact returns a JSON text without its white space.
func compact(text []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		panic(err) // the server has parsed it
	}
	return b.String()
}

type coachCmd struct {
	Game coachGameCmd `cmd:"" help:"Send a command of the referee box to the simulation at ROS_MASTER_URI. Both teams receive it."`
	Tell coachTellCmd `cmd:"" help:"Send a coach message to one team or both in the simulation at ROS_MASTER_URI. It overrides the state of the game until the next message."`
}

type coachGameCmd struct {
	Command string `arg:"" help:"start, stop, set, drop_ball, park, first_half, half_time, second_half, end_game, game_over, reset. For a team: kickoff, freekick, goalkick, throwin, corner, penalty, goal, subgoal. For a robot: repair, repair_end, yellow_card, double_yellow, red_card, penalise, unpenalise."`
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
