package serve

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/player"
)

// Player holds the flag of the servers for programs that use Player. They need no ROS 1.
type Player struct {
	Player string `placeholder:"ADDR" help:"Serve the protocol of Player, one server for each robot: on (port 6665 for the first robot, the next ports for the others), off, a port, or HOST:PORT; port 0 selects free ports. Default: off."`
}

// Wanted reports whether --player asks for servers.
func (p Player) Wanted() bool { return wanted(p.Player) }

func (p Player) flag() webFlag {
	return webFlag{flag: "--player", value: p.Player, port: player.DefaultPort}
}

// maxPort is the largest port of TCP.
const maxPort = 65535

// Open starts the servers of a simulation that has not started, and prints their addresses. It returns a function that
// closes them. Without --player it does nothing.
func (p Player) Open(con console.Streams, sim *omnipitch.Sim, flags Flags) (closeAll func(), err error) {
	at, err := newListening(flags.Listen)
	if err != nil {
		return nil, err
	}
	f := p.flag()
	addr, err := f.addr(at)
	if err != nil || addr == "" {
		return func() {}, err
	}
	world := sim.World()
	_, port, _ := net.SplitHostPort(addr)
	if first, _ := strconv.Atoi(port); first != 0 && first+len(world.Robots)-1 > maxPort {
		return nil, console.BadInputf("%s = %q: the last of %d robots would have the port %d: must be at most %d", f.flag,
			f.value, len(world.Robots), first+len(world.Robots)-1, maxPort)
	}
	refused := newRefusals(con.Err, world.Name, func(string) {})
	server, err := player.Listen(sim, player.Config{Addr: addr,
		Refused: func(err error) { refused.report(err, time.Now()) },
		Say:     func(text string) { fmt.Fprintf(con.Err, "%s: %s\n", world.Name, text) }})
	if err != nil {
		return nil, console.NetworkError(fmt.Errorf("%s = %q: %w", f.flag, f.value, err))
	}
	if host, _, _ := net.SplitHostPort(addr); (listening{addr: host}).open() {
		fmt.Fprintf(con.Err, "%s: Player listens at %s: everyone who reaches this machine can drive its robots\n",
			world.Name, host)
	}
	for i, a := range server.Addrs() {
		fmt.Fprintf(con.Notes(), "%s: Player server of %s at %s\n", world.Name, world.Robots[i].Name, a)
	}
	return func() { server.Close(); refused.close() }, nil
}
