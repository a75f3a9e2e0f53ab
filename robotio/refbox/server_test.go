package refbox

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// dial connects as a team.
func dial(t *testing.T, s *Server) (net.Conn, *Reader) {
	t.Helper()
	conn := must.Get(net.Dial("tcp", s.Addr()))(t)
	t.Cleanup(func() { conn.Close() })
	return conn, NewReader(conn)
}

// next reads commands.
func next(t *testing.T, r *Reader, n int) (all []Message) {
	t.Helper()
	for range n {
		text := must.Get(r.Next())(t)
		m, unknown, err := ParseMessage(text)
		if err != nil || unknown != nil {
			t.Fatalf("%s: %v, %q", text, err, unknown)
		}
		all = append(all, m)
	}
	return all
}

// seated waits until n teams have a place.
func seated(t *testing.T, s *Server, want int) {
	t.Helper()
	must.Until(t, "teams", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		n := 0
		for _, seat := range s.seats {
			if seat != nil {
				n++
			}
		}
		return n == want
	})
}

// Both teams receive every command, a third team is refused if both send world states, and a free place is
// assigned again.
func TestServer(t *testing.T) {
	var said lines
	var heard atomic.Int32
	s := listen(t, ServerConfig{Cyan: "224.16.32.53", Say: said.Add,
		WorldState: func(physics.Team, *WorldState, []byte) { heard.Add(1) }})
	must.Equal(t, s.Send("START", "", nil), 0, "s.Send('START', '', nil)")
	first, cyan := dial(t, s)
	seated(t, s, 1)
	conn, magenta := dial(t, s)
	seated(t, s, 2)
	robot := 5
	s.Send("KICKOFF", physics.Magenta, nil)
	s.Send("SUBSTITUTION", physics.Cyan, &robot)
	must.Equal(t, s.Send("START", "", nil), 2, "s.Send('START', '', nil)")
	for r, own := range map[*Reader]string{cyan: "224.16.32.53", magenta: "224.16.32.127"} {
		got := next(t, r, 4)
		if got[0] != (Message{Welcome, own, nil}) || got[1] != (Message{"KICKOFF", "224.16.32.127", nil}) ||
			got[2].TargetTeam != "224.16.32.53" || *got[2].RobotID != 5 || got[3] != (Message{Command: "START"}) {
			t.Errorf("%s: %+v", own, got)
		}
	}
	for _, team := range []net.Conn{first, conn} {
		send(t, team, shown+"\x00")
	}
	must.Until(t, "world states", func() bool { return heard.Load() == 2 })
	third, _ := dial(t, s)
	if n, err := third.Read(make([]byte, 1)); err == nil {
		t.Errorf("the third team reads %d bytes", n)
	}
	conn.Close()
	seated(t, s, 1)
	_, magenta = dial(t, s)
	if got := next(t, magenta, 1); got[0].TargetTeam != "224.16.32.127" {
		t.Errorf("back again: %+v", got)
	}
	must.Until(t, "lines", func() bool {
		return len(said.with("connected already")) == 1 && len(said.with("magenta: disconnected")) == 1
	})
}

// Silent connections lock no team out, and close no team that sends world states.
func TestSilentConnections(t *testing.T) {
	var said lines
	heard := make(chan physics.Team, 10)
	s := listen(t, ServerConfig{Say: said.Add, WorldState: func(team physics.Team, _ *WorldState, _ []byte) {
		heard <- team
	}})
	flood := func() {
		for i := range 250 {
			conn, _ := dial(t, s)
			if i%2 == 0 {
				send(t, conn, "{")
			}
		}
	}
	flood()
	for range bothTeams {
		conn, in := dial(t, s)
		must.Equal(t, next(t, in, 1)[0].Command, Welcome, "the first command")
		send(t, conn, shown+"\x00")
		<-heard
		flood()
		s.Send("START", "", nil)
		must.Equal(t, next(t, in, 1)[0].Command, "START", "the command of a team besides silent connections")
	}
	must.Equal(t, len(said.with("sends no world states")), 1, "%q", said.All())
}

// Invalid world states are ignored. A browser is disconnected, and so is a team that does not read.
func TestServerAgainstPeers(t *testing.T) {
	var said lines
	got := make(chan *WorldState, 1)
	s := listen(t, ServerConfig{Say: said.Add, WorldState: func(team physics.Team, w *WorldState, text []byte) {
		if team == physics.Cyan && bytes.HasPrefix(text, []byte("{")) {
			got <- w
		}
	}})
	conn, _ := dial(t, s)
	// an error ends in got's not coming
	go io.WriteString(conn, "\xff\x00{}\x00"+strings.Repeat("y", 10_000_000)+"\x00"+strings.Repeat("{}\x00",
		1000)+shown+"\x00{\"type\"")
	if w := <-got; w.TeamName != "CBD" {
		t.Errorf("%+v", w)
	}
	for _, kind := range []string{"cyan: sends an invalid world state: must be UTF-8",
		"cyan: sends a message without a NUL byte"} {
		if n := len(said.with(kind)); n != 1 {
			t.Errorf("%s: %d lines, want one: %q", kind, n, said.All())
		}
	}
	conn.Close() // in the middle of a message
	seated(t, s, 0)
	page, in := dial(t, s)
	send(t, page, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"+shown+"\x00")
	for {
		if _, err := in.Next(); err != nil {
			break // after its WELCOME
		}
	}
	must.Equal(t, len(said.with("sends HTTP or TLS")), 1, "%q", said.All())
	seated(t, s, 0)
	dial(t, s)
	seated(t, s, 1)
	for n := 0; s.Send("START", "", nil) > 0; n++ {
		if n > 10_000_000 {
			t.Fatal("commands for a team that reads nothing pile up")
		}
	}
	seated(t, s, 0)
}

// Commands that were sent before Close arrive.
func TestServerCloses(t *testing.T) {
	s := listen(t, ServerConfig{})
	_, team := dial(t, s)
	seated(t, s, 1)
	for range 100 {
		s.Send("STOP", "", nil)
	}
	must.Do(t, s.Close())
	next(t, team, 101)
	if m, err := team.Next(); err != io.EOF {
		t.Errorf("%s, %v, want the end", m, err)
	}
}

// Teams receive commands for cards, for robots that leave for repair, and for their return.
func TestAnnounceRobots(t *testing.T) {
	s := listen(t, ServerConfig{})
	sim := newSim(physics.Cyan, physics.Magenta)
	Announce(sim, sim, s)
	_, conn := dial(t, s)
	next(t, conn, 1)
	sim.step()
	next(t, conn, 2) // the first half and its start
	command := func(c game.Command, team physics.Team, number int) {
		must.Do(t, sim.Do(&action.GameCommand{Command: c, Team: team, Number: number}))
		sim.step()
	}
	command(game.Repair, physics.Magenta, 2)
	command(game.YellowCard, physics.Cyan, 1)
	command(game.YellowCard, physics.Cyan, 1)
	command(game.RepairEnd, physics.Magenta, 2)
	sim.truth.Time = time.Minute
	if _, _, ok := sim.roster.Returning(sim.truth, game.Stopped); !ok {
		t.Fatal("nobody comes back")
	}
	sim.step()
	command(game.RedCard, physics.Cyan, 2)
	var got []string
	for _, m := range next(t, conn, 5) {
		got = append(got, fmt.Sprintf("%s %s %d", m.Command, m.TargetTeam, *m.RobotID))
	}
	want := []string{"REPAIR 224.16.32.127:1 2", "YELLOW_CARD 224.16.32.127 1", "DOUBLE_YELLOW 224.16.32.127 1",
		"REPAIR_END 224.16.32.127:1 2", "RED_CARD 224.16.32.127 2"}
	must.Equal(t, got, want, "commands for cards")
}

// An announcing box sends the changes of a simulation's game, and the current state to teams that connect later.
func TestAnnounce(t *testing.T) {
	s := listen(t, ServerConfig{})
	sim := newSim(physics.Cyan, physics.Magenta)
	Announce(sim, sim, s)
	_, early := dial(t, s)
	if got := next(t, early, 1); got[0].Command != Welcome {
		t.Errorf("%+v", got)
	}
	sim.step()
	sim.game.Command(game.Stop, "")
	sim.game.Command(game.Goal, physics.Cyan)
	sim.game.Command(game.Kickoff, physics.Magenta)
	sim.step()
	sim.step()
	sim.game.Command(game.Start, "")
	sim.step()
	want := []Message{{Command: "FIRST_HALF"}, {Command: "START"}, {Command: "STOP"},
		{Command: "GOAL", TargetTeam: LocalTeam}, {Command: "KICKOFF", TargetTeam: LocalTeam + ":1"},
		{Command: "START"}}
	must.Equal(t, next(t, early, len(want)), want, "next(t, early, len(want))")
	sim.game.Command(game.Reset, "")
	sim.game.Command(game.FirstHalf, "")
	sim.truth.Step = -1
	sim.step() // restarts, like a world after a reset
	must.Equal(t, next(t, early, 2), []Message{{Command: "RESET"}, {Command: "FIRST_HALF"}}, "after a reset")
	sim.game.Command(game.Kickoff, physics.Magenta)
	sim.game.Command(game.Start, "")
	sim.step()
	_, late := dial(t, s)
	want = []Message{{Command: Welcome, TargetTeam: LocalTeam + ":1"}, {Command: "FIRST_HALF"},
		{Command: "KICKOFF", TargetTeam: LocalTeam + ":1"}, {Command: "START"}}
	must.Equal(t, next(t, late, len(want)), want, "for a late client")
}
