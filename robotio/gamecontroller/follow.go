package gamecontroller

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// FollowConfig configures Follow.
type FollowConfig struct {
	// Addr is the address of the GameController, and the port of this machine at which its packets arrive. Packets from
	// other addresses are ignored. A loopback address stands for all of them.
	Addr    netip.AddrPort
	Numbers Numbers // of the teams; if both are 0, the first team of the first packet is cyan
	Say     func(string)
}

// Following is the obedience of a simulation's game to a GameController.
type Following struct {
	cfg     FollowConfig
	sim     *omnipitch.Sim
	conn    *net.UDPConn
	newest  atomic.Pointer[Control] // waits for the next step; nil: none
	limit   rate.Sometimes          // limits the rate of messages about invalid packets
	running sync.WaitGroup

	// Used by the stepping goroutine only:
	numbers Numbers
	last    Control // last packet; its Version is 0 before the first
	refused rate.Sometimes
	started bool // whether the first step has been seen
}

// Follow makes a simulation's game obey a GameController: its state, its score, and the penalties of robots. The game
// is stopped until the first packet. Follow must be called before the first step. What a packet changes takes effect at
// the end of a step, and is an input of the run like those of Sim.Do. The run never waits for packets. Follow fails if
// it cannot listen at the port; other programs of this machine may listen there too.
func Follow(sim *omnipitch.Sim, cfg FollowConfig) (*Following, error) {
	conn, err := listen(netip.AddrPortFrom(netip.IPv4Unspecified(), cfg.Addr.Port()))
	if err != nil {
		return nil, err
	}
	f := &Following{cfg: cfg, sim: sim, conn: conn, numbers: cfg.Numbers,
		limit:   rate.Sometimes{First: 1, Interval: time.Minute},
		refused: rate.Sometimes{First: 1, Interval: time.Minute}}
	f.do(game.Reset, "", 0)
	sim.OnStep(f.step)
	f.running.Go(f.receive)
	return f, nil
}

// Close ends the reception of packets.
func (f *Following) Close() error {
	err := f.conn.Close()
	f.running.Wait()
	return err
}

// Addr returns the address at which packets are received.
func (f *Following) Addr() netip.AddrPort { return f.conn.LocalAddr().(*net.UDPAddr).AddrPort() }

// receive hands packets to the stepping goroutine until the socket is closed. Each packet holds the whole state, so a
// newer one replaces one that waits.
func (f *Following) receive() {
	buf := make([]byte, MaxControl+1)
	for {
		n, from, err := f.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		if err != nil || !f.trusts(from.Addr()) {
			continue
		}
		c := new(Control)
		if err := c.Parse(buf[:n]); err != nil {
			f.limit.Do(func() { f.cfg.Say(fmt.Sprintf("GameController: a packet from %v: %v: it is ignored", from, err)) })
			continue
		}
		if c.True { // for monitors
			continue
		}
		if f.newest.Swap(c) == nil {
			f.sim.Clock().After(0, func(time.Duration) { f.obey(f.newest.Swap(nil)) })
		}
	}
}

// trusts reports whether packets from an address are those of the GameController.
func (f *Following) trusts(from netip.Addr) bool {
	return from == f.cfg.Addr.Addr() || from.IsLoopback() && f.cfg.Addr.Addr().IsLoopback()
}

// step resets the game after a restart of the world.
func (f *Following) step(truth *physics.Snapshot) {
	if truth.Step == 0 && f.started {
		f.last = Control{}
		f.do(game.Reset, "", 0)
	}
	f.started = true
}

// obey brings the game to the state that a packet tells. The game itself counts goals too. Its score is set to that of
// the packet when the GameController changes it, and when play is stopped or starts.
func (f *Following) obey(c *Control) {
	if f.numbers == (Numbers{}) {
		f.numbers = Numbers{c.Teams[0].Number, c.Teams[1].Number}
	}
	if f.last.Version == 0 {
		f.cfg.Say(fmt.Sprintf("GameController: it sends packets of version %d; cyan is team %d, magenta is team %d",
			c.Version, f.numbers.Cyan, f.numbers.Magenta))
	}
	first, second := f.numbers.team(c.Teams[0].Number), f.numbers.team(c.Teams[1].Number)
	if first == "" || second != first.Rival() {
		f.refused.Do(func() {
			f.cfg.Say(fmt.Sprintf("GameController: its packets are for teams %d and %d, not %d and %d: they are ignored",
				c.Teams[0].Number, c.Teams[1].Number, f.numbers.Cyan, f.numbers.Magenta))
		})
		return
	}
	was := f.sim.Match().Game()
	is := target(was, c, f.numbers)
	if score := scoreOf(c, f.numbers); f.last.Version == 0 || score != scoreOf(&f.last, f.numbers) ||
		(is.Phase == game.Playing) != (was.Phase == game.Playing) {
		is.Score = score
	}
	f.last = *c
	for _, o := range game.Changes(was, is) {
		f.do(o.Command, o.Team, 0)
	}
	f.penalise(c)
}

// penalise takes penalised robots off the field, and lets the others return.
func (f *Following) penalise(c *Control) {
	standings, robots := f.sim.Match().Standings(), f.sim.World().Robots
	for i := range c.Teams {
		team := f.numbers.team(c.Teams[i].Number)
		for k := range robots {
			n := robots[k].Number
			if robots[k].Team != team || n < 1 || n > c.Version.room() {
				continue
			}
			penalised, out := c.Teams[i].Robots[n-1].Penalty != NoPenalty, standings[k].Out
			switch {
			case penalised && (out == "" || out == game.Unpenalise):
				f.do(game.Penalise, team, n)
			case !penalised && out == game.Penalise:
				f.do(game.Unpenalise, team, n)
			}
		}
	}
}

func (f *Following) do(c game.Command, team physics.Team, number int) {
	if err := f.sim.Do(&action.GameCommand{Command: c, Team: team, Number: number}); err != nil {
		f.refused.Do(func() { f.cfg.Say(fmt.Sprintf("GameController: %s: %v", c, err)) })
	}
}
