package gamecontroller

import (
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// controller is a GameController whose packets the test writes itself.
type controller struct {
	*net.UDPConn
	t   *testing.T
	sim *omnipitch.Sim
	to  netip.AddrPort
}

// follow makes a simulation follow a controller.
func follow(t *testing.T, sim *omnipitch.Sim, numbers Numbers, said *must.List[string]) *controller {
	t.Helper()
	f := must.Get(Follow(sim, FollowConfig{Addr: netip.AddrPortFrom(Loopback, 0), Numbers: numbers, Say: said.Add}))(t)
	t.Cleanup(func() { f.Close() })
	conn := must.Get(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))(t)
	t.Cleanup(func() { conn.Close() })
	return &controller{conn, t, sim, netip.AddrPortFrom(Loopback, f.Addr().Port())}
}

// tell sends a packet and steps until the game is in the wanted state.
func (c *controller) tell(packet *Control, what string, want game.State) {
	c.t.Helper()
	must.Get(c.WriteToUDPAddrPort(packet.Append(nil), c.to))(c.t)
	must.Until(c.t, what, func() bool {
		take(c.t, c.sim, 10*time.Millisecond)
		return c.sim.Match().Game() == want
	})
}

// A game runs as its GameController tells, and its robots leave and return with their penalties.
func TestFollow(t *testing.T) {
	for _, v := range versions {
		sim, said := newSim(t, `referee = "gamecontroller"`), must.List[string]{}
		c := follow(t, sim, Numbers{5, 24}, &said)
		p := &Control{Version: v, FirstHalf: true, Kicking: NoTeam, Teams: [2]Team{{Number: 24}, {Number: 5}}}
		first := game.Half(game.FirstHalf)
		kickOff := func(phase game.Phase) game.State {
			return game.State{Phase: phase, Half: first, SetPiece: game.Kickoff, Team: physics.Magenta}
		}
		c.tell(p, "initial", game.State{Phase: game.Stopped, Half: game.PreGame})
		p.State, p.Kicking = Ready, 24
		c.tell(p, "ready", kickOff(game.SetPiece))
		p.State = Set
		c.tell(p, "set", kickOff(game.InSet))
		p.State = Playing
		c.tell(p, "playing", kickOff(game.Playing))
		p.Kicking = NoTeam
		c.tell(p, "playing on", kickOff(game.Playing))

		p.Teams[0].Robots[3].Penalty, p.Teams[0].Robots[3].Left = Pushing, 30
		p.Teams[1].Score = 1
		scored := kickOff(game.Playing)
		scored.Score.Cyan = 1
		c.tell(p, "a goal, and a penalty", scored)
		must.Equal(t, sim.Match().Standings()[1].Out, game.Penalise, "magenta4 is out")
		must.Equal(t, sim.Match().Standings()[0].Out, "", "cyan3 is not")
		p.Teams[0].Robots[3] = Robot{}
		must.Get(c.WriteToUDPAddrPort(p.Append(nil), c.to))(t)
		must.Until(t, "magenta4 to return in play", func() bool {
			take(t, sim, 10*time.Millisecond)
			return sim.Match().Standings()[1].Out == ""
		})

		p.State = Finished
		c.tell(p, "the break", game.State{Phase: game.Stopped, Half: game.Half(game.HalfTime),
			Score: game.Score{Cyan: 1}})
		p.State, p.FirstHalf = Initial, false
		c.tell(p, "the break goes on", game.State{Phase: game.Stopped, Half: game.Half(game.HalfTime),
			Score: game.Score{Cyan: 1}})
		p.State, p.Kicking = Ready, NoTeam
		c.tell(p, "ready again", game.State{Phase: game.SetPiece, Half: game.Half(game.SecondHalf),
			SetPiece: game.DropBall, Score: game.Score{Cyan: 1}})
		p.State = Finished
		c.tell(p, "the end", game.State{Phase: game.Stopped, Half: game.Half(game.EndGame), Score: game.Score{Cyan: 1}})
	}
}

// What the set plays of each version mean for a game in play.
func TestTarget(t *testing.T) {
	first := game.Half(game.FirstHalf)
	playing := game.State{Phase: game.Playing, Half: first, SetPiece: game.Kickoff, Team: physics.Magenta}
	corner := func(phase game.Phase) game.State {
		return game.State{Phase: phase, Half: first, SetPiece: game.Corner, Team: physics.Cyan}
	}
	stopped := game.State{Phase: game.Stopped, Half: first}
	for name, c := range map[string]struct {
		packet Control
		want   game.State
	}{
		"interrupted": {Control{Version: Soccer20, State: Playing, Stopped: true, Kicking: NoTeam}, stopped},
		"a corner while interrupted": {Control{Version: Soccer19, State: Playing, Stopped: true, SetPlay: CornerKick,
			Kicking: 5}, corner(game.SetPiece)},
		"a corner goes on": {Control{Version: Soccer20, State: Playing, SetPlay: CornerKick, Kicking: 5},
			corner(game.Playing)},
		"a corner of the Standard Platform League": {Control{Version: Standard18, State: Playing, SetPlay: CornerKick,
			Kicking: 5}, corner(game.Playing)},
		"a corner, stop": {Control{Version: Humanoid12, State: Playing, SetPlay: CornerKick, Kicking: 5}, stopped},
		"a corner, get ready": {Control{Version: Humanoid12, State: Playing, SetPlay: CornerKick, Step: StepGetReady,
			Kicking: 5}, corner(game.SetPiece)},
		"a corner, set": {Control{Version: Humanoid12, State: Playing, SetPlay: CornerKick, Step: StepSet, Kicking: 5},
			corner(game.InSet)},
		"a time-out": {Control{Version: Standard18, State: Initial, Phase: Timeout, Kicking: NoTeam}, stopped},
		"a penalty kick": {Control{Version: Soccer20, State: Ready, SetPlay: PenaltyKick, Kicking: 24},
			game.State{Phase: game.SetPiece, Half: first, SetPiece: game.Penalty, Team: physics.Magenta}},
		"a penalty shoot-out": {Control{Version: Soccer20, State: Set, Phase: Shootout, Kicking: 24},
			game.State{Phase: game.InSet, Half: game.Half(game.EndGame), SetPiece: game.Penalty,
				Team: physics.Magenta}},
		"extra time": {Control{Version: Soccer20, State: Ready, Phase: ExtraTime, Kicking: 5}, game.State{
			Phase: game.SetPiece, Half: game.Half(game.FirstHalfOvertime), SetPiece: game.Kickoff, Team: physics.Cyan}},
		"the robots of both teams watch": {Control{Version: Standard18, State: Standby, Kicking: 5},
			game.State{Phase: game.Stopped, Half: game.PreGame}},
	} {
		c.packet.FirstHalf = true
		must.Equal(t, target(playing, &c.packet, Numbers{5, 24}), c.want, "%s", name)
	}
}

// Only the packets of the GameController's address and for the teams of the game count.
func TestFollowIgnoresOthers(t *testing.T) {
	sim, said := newSim(t, `referee = "gamecontroller"`), must.List[string]{}
	c := follow(t, sim, Numbers{}, &said)
	p := &Control{Version: Soccer20, State: Playing, FirstHalf: true, Kicking: NoTeam,
		Teams: [2]Team{{Number: 7}, {Number: 9}}}
	monitors := &Control{Version: Soccer20, True: true}
	for _, b := range [][]byte{[]byte("RGme"), make([]byte, 2000), monitors.Append(nil)} {
		must.Get(c.WriteToUDPAddrPort(b, c.to))(t)
	}
	c.tell(p, "playing", game.State{Phase: game.Playing, Half: game.Half(game.FirstHalf)})
	other := *p
	other.State, other.Teams[0].Number = Finished, 8
	must.Get(c.WriteToUDPAddrPort(other.Append(nil), c.to))(t)
	must.Until(t, "a message about other teams", func() bool {
		take(t, sim, 10*time.Millisecond)
		return strings.Contains(strings.Join(said.All(), "\n"), "for teams 8 and 9, not 7 and 9: they are ignored")
	})
	must.Equal(t, sim.Match().Game().Phase, game.Playing, "phase")
	want := "version 20; cyan is team 7, magenta is team 9"
	if all := strings.Join(said.All(), "\n"); !strings.Contains(all, want) || strings.Count(all, "is ignored") != 1 {
		t.Errorf("%s, want %s, and one packet that is ignored", all, want)
	}
	f := &Following{cfg: FollowConfig{Addr: netip.MustParseAddrPort("192.0.2.7:3838")}}
	for addr, want := range map[string]bool{"192.0.2.7": true, "192.0.2.8": false, "127.0.0.1": false} {
		must.Equal(t, f.trusts(netip.MustParseAddr(addr)), want, "%s", addr)
	}
}

// A simulation that is a GameController runs the game of another one.
func TestServerRunsAnother(t *testing.T) {
	one, other, said := newSim(t, `referee = "auto"`), newSim(t, `referee = "gamecontroller"`), must.List[string]{}
	_, robots := serve(t, one, ServerConfig{Version: Soccer20, Numbers: Numbers{5, 24}})
	c := follow(t, other, Numbers{5, 24}, &said)
	var ran, followed []game.State
	note := func(all *[]game.State, is game.State) {
		if is.Phase == game.Stopped {
			return // before the game
		}
		if n := len(*all); n == 0 || (*all)[n-1] != is {
			*all = append(*all, is)
		}
	}
	for range 60 {
		for range 50 {
			take(t, one, 10*time.Millisecond)
			note(&ran, one.Match().Game())
		}
		p := robots.next()
		must.Get(c.WriteToUDPAddrPort(p.Append(nil), c.to))(t)
		must.Until(t, "the packet's game", func() bool {
			take(t, other, 10*time.Millisecond)
			is := other.Match().Game()
			note(&followed, is)
			return is == target(is, &p, Numbers{5, 24})
		})
	}
	must.Equal(t, followed, ran, "states of the game")
	must.Equal(t, other.Match().Game(), one.Match().Game(), "game")
	must.Equal(t, other.Match().Game().Phase, game.Playing, "phase")
}

// Addresses may leave out the address or the port.
func TestParseAddr(t *testing.T) {
	for text, want := range map[string]string{"3900": "127.255.255.255:3900", "10.0.0.255": "10.0.0.255:3838",
		"127.0.0.1:65433": "127.0.0.1:65433"} {
		must.Equal(t, must.Get(ParseAddr(text))(t).String(), want, "%s", text)
	}
	for _, text := range []string{"", "0", "65435", "host:3838", "::1", "[::1]:3838", "10.0.0.1:x", "10.0.0.1:", "-1"} {
		if addr, err := ParseAddr(text); err == nil {
			t.Errorf("%q: %v", text, addr)
		}
	}
}
