package serve

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/player"
	"github.com/omnipitch/omnipitch/robotio/rcsssmj"
)

// Servers holds the flags of the servers for robots' programs that need no ROS.
type Servers struct {
	Player  string `placeholder:"ADDR" help:"Serve the protocol of Player, one server for each robot: on (port 6665 for the first robot, the next ports for the others), off, a port, or HOST:PORT; port 0 selects free ports. Default: off."`
	RCSSSMJ string `name:"rcsssmj" placeholder:"ADDR" help:"Serve the agent protocol of rcssservermj, the server of RoboCup's 3D Simulation League: on (port 60000), off, a port, or HOST:PORT; port 0 selects a free port. Default: off."`
}

// Wanted reports whether a flag asks for a server.
func (s Servers) Wanted() bool { return wanted(s.Player) || wanted(s.RCSSSMJ) }

// programServer is a flag that opens servers for robots' programs.
type programServer struct {
	webFlag
	title string // of the protocol
	ports func(robots int) int
	// listen starts the servers. It returns a line about each of them.
	listen func(sim *omnipitch.Sim, addr string, refused func(error), say func(string)) (io.Closer, []string, error)
}

// flags returns the servers' flags.
func (s Servers) flags() []programServer {
	return []programServer{
		{webFlag{flag: "--player", value: s.Player, port: player.DefaultPort}, "Player",
			func(robots int) int { return robots }, openPlayer},
		{webFlag{flag: "--rcsssmj", value: s.RCSSSMJ, port: rcsssmj.DefaultPort}, "rcsssmj",
			func(int) int { return 1 }, openRCSSSMJ},
	}
}

func openPlayer(sim *omnipitch.Sim, addr string, refused func(error), say func(string)) (io.Closer, []string, error) {
	server, err := player.Listen(sim, player.Config{Addr: addr, Refused: refused, Say: say})
	if err != nil {
		return nil, nil, err
	}
	var lines []string
	for i, a := range server.Addrs() {
		lines = append(lines, fmt.Sprintf("Player server of %s at %s", sim.World().Robots[i].Name, a))
	}
	return server, lines, nil
}

func openRCSSSMJ(sim *omnipitch.Sim, addr string, refused func(error), say func(string)) (io.Closer, []string, error) {
	server, err := rcsssmj.Listen(sim, rcsssmj.Config{Addr: addr, Refused: refused, Say: say})
	if err != nil {
		return nil, nil, err
	}
	return server, []string{fmt.Sprintf("rcsssmj server for agents of %d robots at %s", len(server.Robots()),
		server.Addr())}, nil
}

// maxPort is the largest port of TCP.
const maxPort = 65535

// Open starts the servers of a simulation that has not started, and prints their addresses. It returns a function that
// closes them. Without a flag it does nothing.
func (s Servers) Open(con console.Streams, sim *omnipitch.Sim, flags Flags) (_ func(), err error) {
	at, err := newListening(flags.Listen)
	if err != nil {
		return nil, err
	}
	var closers []func()
	closeAll := func() {
		for _, f := range closers {
			f()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	world := sim.World()
	for _, f := range s.flags() {
		addr, err := f.addr(at)
		if err != nil {
			return nil, err
		} else if addr == "" {
			continue
		}
		host, port, _ := net.SplitHostPort(addr)
		last := f.ports(len(world.Robots)) - 1
		if first, _ := strconv.Atoi(port); first != 0 && first+last > maxPort {
			return nil, console.BadInputf("%s = %q: the last of %d robots would have the port %d: must be at most %d", f.flag,
				f.value, len(world.Robots), first+last, maxPort)
		}
		refused := newRefusals(con.Err, world.Name, func(string) {})
		closers = append(closers, refused.close)
		server, lines, err := f.listen(sim, addr, func(err error) { refused.report(err, time.Now()) },
			func(text string) { fmt.Fprintf(con.Err, "%s: %s\n", world.Name, text) })
		if err != nil {
			return nil, console.NetworkError(fmt.Errorf("%s = %q: %w", f.flag, f.value, err))
		}
		closers = append([]func(){func() { _ = server.Close() }}, closers...)
		if (listening{addr: host}).open() {
			fmt.Fprintf(con.Err, "%s: %s listens at %s: everyone who reaches this machine can drive its robots\n", world.Name,
				f.title, host)
		}
		for _, line := range lines {
			fmt.Fprintf(con.Notes(), "%s: %s\n", world.Name, line)
		}
	}
	return closeAll, nil
}
