package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics"
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
		panic(err) // loading the world has checked it
	}
	return addr
}

// ignoresRefbox returns a warning which says that the command does not connect to the world's referee box. The warning
// is empty if the world has no referee box.
func ignoresRefbox(w *worlds.World, command string) string {
	if w.Referee != worlds.RefereeRefbox {
		return ""
	}
	return command + " does not connect to a referee box: the game stays stopped until events or programs command it"
}

// open connects a simulation to the referee box at the address follow; an empty address means no connection. It also
// starts the referee box of --refbox-server. It calls the function say with each warning, and the function note with
// each note. The returned function close disconnects.
func (f *refboxFlags) open(sim *omnipitch.Sim, follow string, say, note func(string)) (close func(), err error) {
	close = func() {}
	if f.RefboxServer != nil {
		server, err := refbox.Listen(refbox.ServerConfig{Addr: *f.RefboxServer, Cyan: f.RefboxCyan,
			Magenta: f.RefboxMagenta, Say: note})
		if err != nil {
			return nil, console.NetworkError(fmt.Errorf("--refbox-server: %w", err))
		}
		refbox.Announce(sim, sim.Match(), server)
		note("referee box at " + server.Addr())
		close = func() { _ = server.Close() } // no data is lost
	}
	if follow != "" {
		following := refbox.Follow(sim, sim.Match(), sim.Clock(), refbox.FollowConfig{Addr: follow, Say: say})
		closeServer := close
		close = func() { following.Close(); closeServer() }
	}
	return close, nil
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
