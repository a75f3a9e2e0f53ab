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

// refboxFlags connect a run to referee boxes.
type refboxFlags struct {
	Refbox        *string `placeholder:"ADDR" help:"Follow the MSL referee box at HOST, HOST:PORT or PORT, as each team of the world: the game does what the box commands. off: none, whatever the world says. Default port: 28097."`
	RefboxServer  *string `placeholder:"ADDR" help:"Be a referee box for teams' own clients, at HOST, HOST:PORT or PORT: they are told what happens in the game."`
	RefboxCyan    string  `placeholder:"ADDRESS" help:"With --refbox-server: how the box calls the cyan team, such as 224.16.32.53. Default: 224.16.32.127, as the box calls teams of its own machine."`
	RefboxMagenta string  `placeholder:"ADDRESS" help:"The same of the magenta team; :1 is appended where both are the same."`
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

// follows returns the address of the box that a run of a world follows; empty: there is none.
func (f *refboxFlags) follows(w *worlds.World) (addr string, err error) {
	switch {
	case f.Refbox != nil && *f.Refbox == "off":
		return "", nil
	case f.Refbox != nil && w.Referee == worlds.RefereeAuto:
		return "", console.BadInputf("--refbox: the world has an automatic referee, and there can be but one: not with "+
			"referee = %q", w.Referee)
	case f.Refbox != nil:
		return *f.Refbox, nil
	case w.Referee == worlds.RefereeRefbox:
		return refboxAddr(w), nil
	}
	return "", nil
}

// refboxAddr returns the address of a checked world's box.
func refboxAddr(w *worlds.World) string {
	addr, err := refbox.ParseAddr(w.Refbox.Address)
	if err != nil {
		panic(err) // loading it has checked that
	}
	return addr
}

// notFollowed says that a command follows no referee box where a world names one; else it is empty.
func notFollowed(w *worlds.World, command string) string {
	if w.Referee != worlds.RefereeRefbox {
		return ""
	}
	return command + " follows no referee box: the game stays stopped until events or programs command it"
}

// open connects a simulation to the boxes that are asked for, the one that it follows at an address or none, until
// close is called. say gets what users must know, note what is good to know.
func (f *refboxFlags) open(sim *omnipitch.Sim, follow string, say, note func(string)) (close func(), err error) {
	close = func() {}
	if f.RefboxServer != nil {
		server, err := refbox.Listen(refbox.ServerConfig{Addr: *f.RefboxServer, Cyan: f.RefboxCyan,
			Magenta: f.RefboxMagenta, Say: note})
		if err != nil {
			return nil, console.NetworkError(fmt.Errorf("--refbox-server: %w", err))
		}
		refbox.Announce(sim, server)
		note("referee box at " + server.Addr())
		close = func() { _ = server.Close() } // nothing is lost
	}
	if follow != "" {
		following := refbox.Follow(sim, refbox.FollowConfig{Addr: follow, Say: say})
		closeServer := close
		close = func() { following.Close(); closeServer() }
	}
	return close, nil
}

// refboxCmd is a referee box on a terminal.
type refboxCmd struct {
	Listen  string `default:"127.0.0.1:28097" placeholder:"ADDR" help:"Where teams connect: HOST, HOST:PORT or PORT, 0 for a free one. Default: ${default}, which programs of this machine alone reach."`
	Cyan    string `placeholder:"ADDRESS" help:"How the box calls the cyan team, the first that connects, such as 224.16.32.53. Default: 224.16.32.127, as the box calls teams of its own machine."`
	Magenta string `placeholder:"ADDRESS" help:"The same of the magenta team; :1 is appended where both are the same."`
	JSON    bool   `name:"json" help:"Print every world state that teams send, one JSON object a line."`
}

// Help implements kong.HelpProvider.
func (c *refboxCmd) Help() string {
	return `Reads a command a line, such as START, KICKOFF cyan or SUBSTITUTION magenta 4, and sends it to both teams as the MSL referee box does. It ends with its input.`
}

// Check judges what the flags say by themselves.
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
	out, errs := newEcho(con.Out), newEcho(con.Err)
	shown := [2]string{} // what the teams sent last, cyan's and magenta's
	server, err := refbox.Listen(refbox.ServerConfig{Addr: c.Listen, Cyan: c.Cyan, Magenta: c.Magenta,
		Say: func(text string) { errs.line("referee box", text) },
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
				out.line(string(team), now)
			}
		}})
	if err != nil {
		return console.NetworkError(fmt.Errorf("--listen: %w", err))
	}
	defer server.Close()
	newEcho(con.Notes()).line("referee box",
		"teams connect to "+server.Addr()+"; a line is a command, such as KICKOFF cyan or START")
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
				errs.line("referee box", err.Error())
			} else if server.Send(command, team, robot) == 0 {
				errs.line("referee box", "no team is connected")
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// compact returns JSON without white space.
func compact(text []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		panic(err) // it has been read
	}
	return b.String()
}
