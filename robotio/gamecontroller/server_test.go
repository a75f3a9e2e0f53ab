package gamecontroller

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// aGame is a world of one robot in each team.
const aGame = `
name = "a-game"
field = "hsl-9x6"
%s
[rules]
half_s = 280
off = ["stuck_ball"]
half_time_s = 10
[time]
step_ms = 10
[physics]
engine = "planar"
[[robot]]
for_each = [{ t = "cyan", n = 3, x = -3 }, { t = "magenta", n = 4, x = 3 }]
name = "{t}{n}"
model = "differential"
team = "{t}"
number = "{n}"
pose = { x_m = "{x}" }
`

// newSim returns a simulation of aGame with further keys.
func newSim(t *testing.T, keys string) *omnipitch.Sim {
	t.Helper()
	sim := must.Get(omnipitch.New(must.Get(worlds.Parse("a-game.toml", fmt.Appendf(nil, aGame, keys), Check))(t),
		omnipitch.Options{}))(t)
	t.Cleanup(sim.Close)
	return sim
}

// robots receives what a server sends.
type robots struct {
	*net.UDPConn
	t *testing.T
}

// serve starts a server for the game of a simulation.
func serve(t *testing.T, sim *omnipitch.Sim, cfg ServerConfig) (*Server, *robots) {
	t.Helper()
	cfg.Say = func(text string) { t.Log(text) }
	for {
		// below the kernel's own range, after which few programs are
		cfg.Addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(10_000+rand.N(20_000)))
		conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(cfg.Addr))
		if err != nil {
			continue
		}
		s, err := Serve(sim, cfg)
		if err != nil {
			conn.Close()
			continue
		}
		t.Cleanup(func() { s.Close(); conn.Close() })
		return s, &robots{conn, t}
	}
}

// next returns the next packet.
func (r *robots) next() (c Control) {
	r.t.Helper()
	buf := make([]byte, MaxControl+1)
	must.Do(r.t, r.SetReadDeadline(time.Now().Add(20*time.Second)))
	n := must.Get(r.Read(buf))(r.t)
	must.Do(r.t, c.Parse(buf[:n]))
	return c
}

// take takes steps.
func take(t *testing.T, sim *omnipitch.Sim, d time.Duration) {
	t.Helper()
	for range d / sim.World().Time.Step {
		must.Do(t, sim.Step())
	}
}

func command(t *testing.T, sim *omnipitch.Sim, c game.Command, team physics.Team, number int) {
	t.Helper()
	must.Do(t, sim.Do(&action.GameCommand{Command: c, Team: team, Number: number}))
}

// Robots are told why and for how long another is penalised, in the words of each version.
func TestOffences(t *testing.T) {
	for _, c := range []struct {
		version Version
		offence game.Offence
		want    Penalty
	}{
		{Soccer20, game.Pushing, Pushing}, {Soccer20, game.Incapable, Incapable},
		{Soccer19, game.MotionInSet, MotionInSet}, {Soccer19, game.IllegalPosition, IllegalPosition},
		{Standard18, game.BallHolding, BallHolding}, {Standard18, game.LeavingTheField, LeavingTheField},
		{Humanoid12, game.Pushing, PhysicalContact}, {Humanoid12, game.Incapable, PickUp}, {Soccer20, "", PickUp},
	} {
		sim := newSim(t, "")
		_, robots := serve(t, sim, ServerConfig{Version: c.version, Numbers: Numbers{5, 24}})
		must.Do(t, sim.Do(&action.GameCommand{Command: game.Penalise, Team: physics.Cyan, Number: 3, Offence: c.offence,
			For: 45 * time.Second}))
		take(t, sim, 10*time.Millisecond)
		got := robots.next().Teams[0].Robots[2]
		must.Equal(t, [2]any{got.Penalty, got.Left}, [2]any{c.want, uint8(45)}, "%d, %s", c.version, c.offence)
	}
}

// A game of ten minutes with an automatic referee runs over the wire: the states come in the league's order, twice a
// second, and robots learn of each kick-off 10 s late.
func TestGameOfTenMinutes(t *testing.T) {
	for _, v := range versions {
		sim := newSim(t, `referee = "auto"`)
		_, robots := serve(t, sim, ServerConfig{Version: v, Numbers: Numbers{5, 24}, Delay: 10 * time.Second})
		type stage struct {
			state   State
			first   bool
			kicking uint8
		}
		var stages []stage
		var started, told time.Duration // of the first kick-off
		for i := range 1200 {
			take(t, sim, 500*time.Millisecond)
			now, c := sim.Clock().Time(), robots.next()
			must.Equal(t, [2]any{c.Version, c.Packet}, [2]any{v, uint8(i)}, "version and number of packet %d", i)
			if s := (stage{c.State, c.FirstHalf, c.Kicking}); len(stages) == 0 || stages[len(stages)-1] != s {
				stages = append(stages, s)
			}
			if started == 0 && sim.Match().Game().Phase == game.Playing {
				started = now
			}
			if told == 0 && c.State == Playing {
				told = now
			}
			if c.State == Playing { // the game runs on while robots are told nothing
				must.Near(t, "seconds of the half that are left", float64(c.Left),
					leftOf(sim), 1)
			}
		}
		must.Near(t, "delay of the start, s", (told - started).Seconds(), 10, 0.51)
		kickedOff := func(first bool, kicking uint8) []stage {
			return []stage{{Initial, first, NoTeam}, {Ready, first, kicking}, {Set, first, kicking},
				{Playing, first, NoTeam}, {Finished, first, NoTeam}}
		}
		must.Equal(t, fmt.Sprint(stages), fmt.Sprint(append(kickedOff(true, 5), kickedOff(false, 24)...)),
			"stages in version %d", v)
	}
}

// leftOf returns the rest of the half, in s.
func leftOf(sim *omnipitch.Sim) float64 {
	board := sim.Match().Scoreboard()
	return board.Left(sim.Match().Game(), sim.World().Rules.Half, sim.Clock().Time()).Seconds()
}

// Each state of a game is told in each version.
func TestStates(t *testing.T) {
	type told struct {
		state   State
		stopped bool
		play    SetPlay
		step    SetPlayStep
		kicking uint8
	}
	for _, c := range []struct {
		name              string
		commands          []game.Command // for cyan, where they need a team
		soccer, spl, hl12 told
	}{
		{"before", nil, told{state: Initial, kicking: NoTeam}, told{state: Initial, kicking: NoTeam},
			told{state: Initial, kicking: NoTeam}},
		{"stopped", []game.Command{game.FirstHalf, game.Start, game.Stop}, told{Playing, true, 0, 0, NoTeam},
			told{state: Set, kicking: NoTeam}, told{state: Set, kicking: NoTeam}},
		{"kick-off", []game.Command{game.FirstHalf, game.Kickoff}, told{state: Ready, kicking: 5},
			told{state: Ready, kicking: 5}, told{state: Ready, kicking: 5}},
		{"set", []game.Command{game.FirstHalf, game.Kickoff, game.Set}, told{state: Set, kicking: 5},
			told{state: Set, kicking: 5}, told{state: Set, kicking: 5}},
		{"dropped ball", []game.Command{game.FirstHalf, game.Start, game.Stop, game.DropBall},
			told{state: Ready, kicking: NoTeam}, told{state: Ready, kicking: NoTeam},
			told{state: Ready, kicking: NoTeam}},
		{"corner", []game.Command{game.FirstHalf, game.Start, game.Stop, game.Corner},
			told{Playing, true, CornerKick, 0, 5}, told{Playing, false, CornerKick, 0, 5},
			told{Playing, false, CornerKick, StepGetReady, 5}},
		{"corner is taken", []game.Command{game.FirstHalf, game.Start, game.Stop, game.Corner, game.Start},
			told{Playing, false, CornerKick, 0, 5}, told{Playing, false, CornerKick, 0, 5},
			told{state: Playing, kicking: NoTeam}},
		{"penalty", []game.Command{game.FirstHalf, game.Start, game.Stop, game.Penalty},
			told{Ready, false, PenaltyKick, 0, 5}, told{Ready, false, PenaltyKick, 0, 5},
			told{Playing, false, PenaltyKick, StepGetReady, 5}},
		{"penalty is set", []game.Command{game.FirstHalf, game.Start, game.Stop, game.Penalty, game.Set},
			told{Set, false, PenaltyKick, 0, 5}, told{Set, false, PenaltyKick, 0, 5},
			told{Playing, false, PenaltyKick, StepSet, 5}},
		{"half time", []game.Command{game.FirstHalf, game.Start, game.HalfTime}, told{state: Finished, kicking: NoTeam},
			told{state: Finished, kicking: NoTeam}, told{state: Finished, kicking: NoTeam}},
	} {
		for _, v := range versions {
			sim := newSim(t, `referee = "gamecontroller"`)
			_, robots := serve(t, sim, ServerConfig{Version: v, Numbers: Numbers{5, 24}})
			take(t, sim, 10*time.Millisecond)
			robots.next()
			for _, given := range c.commands {
				team := physics.Team("")
				if given.ForOneTeam() {
					team = physics.Cyan
				}
				command(t, sim, given, team, 0)
			}
			take(t, sim, 500*time.Millisecond)
			p, want := robots.next(), c.soccer
			switch v {
			case Standard18:
				want = c.spl
			case Humanoid12:
				want = c.hl12
			}
			if v >= Soccer19 {
				want.step = 0 // only version 12 has steps
			}
			must.Equal(t, told{p.State, p.Stopped, p.SetPlay, p.Step, p.Kicking}, want, "%s in version %d", c.name, v)
		}
	}
}

// Robots off the field are penalised in packets; numbers without a robot are substitutes.
func TestTeams(t *testing.T) {
	sim := newSim(t, `referee = "gamecontroller"`)
	_, robots := serve(t, sim, ServerConfig{Version: Soccer20})
	command(t, sim, game.FirstHalf, "", 0)
	command(t, sim, game.Goal, physics.Magenta, 0)
	command(t, sim, game.YellowCard, physics.Cyan, 3)
	command(t, sim, game.Repair, physics.Cyan, 3)
	command(t, sim, game.RedCard, physics.Magenta, 4)
	take(t, sim, 10*time.Millisecond)
	c := robots.next()
	want := [2]Team{{Number: 1, Colour: Blue, KeeperColour: Yellow, Budget: 12000},
		{Number: 2, Colour: Red, KeeperColour: Black, Score: 1, Budget: 12000}}
	for i := range want {
		for k := range want[i].Robots {
			want[i].Robots[k].Penalty = Substitute
		}
	}
	want[0].Robots[2] = Robot{Penalty: PickUp, Left: 20, Cautions: 1} // repair_s is 20
	want[1].Robots[3] = Robot{Penalty: SentOff, Left: 255}
	must.Equal(t, c.Teams, want, "teams")
}

// A stop in play is told at once, and again five times in a second.
func TestInterruption(t *testing.T) {
	sim := newSim(t, `referee = "gamecontroller"`)
	_, robots := serve(t, sim, ServerConfig{Version: Soccer20})
	command(t, sim, game.FirstHalf, "", 0)
	command(t, sim, game.Start, "", 0)
	take(t, sim, 700*time.Millisecond)
	robots.next()
	robots.next() // at 0.51 s
	command(t, sim, game.Stop, "", 0)
	take(t, sim, 10*time.Millisecond)
	must.Equal(t, robots.next().Stopped, true, "stopped at once")
	take(t, sim, 1000*time.Millisecond)
	var numbers []uint8
	for range 5 {
		numbers = append(numbers, robots.next().Packet)
	}
	if !slices.Equal(numbers, []uint8{3, 4, 5, 6, 7}) {
		t.Errorf("packets %d", numbers)
	}
}

// A robot that says that somebody has taken it out of the game leaves the field, and returns when it says so.
func TestManualPenalty(t *testing.T) {
	sim := newSim(t, `referee = "auto"`)
	server, robots := serve(t, sim, ServerConfig{Version: Humanoid12, Numbers: Numbers{5, 24}})
	to := netip.AddrPortFrom(server.cfg.Addr.Addr(), server.cfg.Addr.Port()+returnOffset)
	out := func() game.Command { return sim.Match().Standings()[1].Out }
	say := func(b []byte) { must.Get(robots.WriteToUDPAddrPort(b, to))(t) }
	until := func(want game.Command) {
		t.Helper()
		must.Until(t, string(want), func() bool { take(t, sim, 10*time.Millisecond); return out() == want })
	}
	// too short, of no team, no such robot, only alive
	say([]byte("RGrt"))
	say((&Return{Version: 2, Team: 7, Player: 4, Message: Penalised}).Append(nil))
	say((&Return{Version: 2, Team: 24, Player: 9, Message: Penalised}).Append(nil))
	say((&Return{Version: 4, Team: 24, Player: 4, PoseO: [3]float64{1, 2, 3}, BallAge: -1}).Append(nil))
	for range 3 {
		say((&Return{Version: 2, Team: 24, Player: 4, Message: Penalised}).Append(nil))
	}
	until(game.Penalise)
	must.Equal(t, sim.Match().Standings()[0].Out, "", "the other robot")
	for range 3 {
		say((&Return{Version: 2, Team: 24, Player: 4, Message: Unpenalised}).Append(nil))
	}
	until("")
}

// Messages by radio count while a half is played. A team that sends too many, or too long ones, loses its goals.
func TestBudget(t *testing.T) {
	sim := newSim(t, "referee = \"gamecontroller\"\n[team.cyan.radio]\n[team.magenta.radio]")
	_, robots := serve(t, sim, ServerConfig{Version: Standard18})
	say := func(robot string, messages, size int) {
		t.Helper()
		for range messages {
			must.Do(t, sim.Match().Send(robot, "", make([]byte, size)))
			take(t, sim, 10*time.Millisecond)
		}
	}
	last := func() (c Control) {
		t.Helper()
		take(t, sim, 500*time.Millisecond)
		for { // until the newest of those that have come
			must.Do(t, robots.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
			buf := make([]byte, MaxControl)
			n, err := robots.Read(buf)
			if err != nil {
				return c
			}
			must.Do(t, c.Parse(buf[:n]))
		}
	}
	take(t, sim, 10*time.Millisecond)
	say("cyan3", 7, 100)
	must.Equal(t, last().Teams[0].Budget, 1200, "budget before the game")
	command(t, sim, game.FirstHalf, "", 0)
	command(t, sim, game.Start, "", 0)
	command(t, sim, game.Goal, physics.Cyan, 0)
	command(t, sim, game.Goal, physics.Magenta, 0)
	take(t, sim, 10*time.Millisecond)
	say("cyan3", 5, 100)
	say("magenta4", 1, 129)
	c := last()
	must.Equal(t, [2]uint16{c.Teams[0].Budget, c.Teams[1].Budget}, [2]uint16{1195, 1199}, "budgets")
	must.Equal(t, sim.Match().Game().Score, game.Score{Cyan: 1}, "score after a message of 129 bytes")
	say("cyan3", 1195, 1)
	must.Equal(t, last().Teams[0].Budget, 0, "budget at its end")
	must.Equal(t, sim.Match().Game().Score, game.Score{Cyan: 1}, "score with the last message of the budget")
	say("cyan3", 1, 1)
	take(t, sim, 10*time.Millisecond)
	must.Equal(t, sim.Match().Game().Score, game.Score{}, "score over the budget")
	command(t, sim, game.Goal, physics.Cyan, 0)
	take(t, sim, 10*time.Millisecond)
	must.Equal(t, sim.Match().Game().Score, game.Score{}, "score after another goal")
}
