package refbox

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// states stores the newest world state of each team.
type states struct {
	mu     sync.Mutex
	newest map[physics.Team]WorldState
	count  map[physics.Team]int
}

func (s *states) take(team physics.Team, w *WorldState, _ []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == nil {
		s.newest, s.count = map[physics.Team]WorldState{}, map[physics.Team]int{}
	}
	s.newest[team] = *w
	s.count[team]++
}

func (s *states) of(team physics.Team) (w WorldState, count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest[team], s.count[team]
}

// follow makes a simulation follow a box.
func follow(t *testing.T, sim *fakeSim, cfg FollowConfig) *Following {
	t.Helper()
	f := Follow(sim, sim, sim, cfg)
	t.Cleanup(f.Close)
	return f
}

// Both teams connect to one box. Each command is executed once, although both connections carry it.
func TestFollow(t *testing.T) {
	var got states
	box := listen(t, ServerConfig{WorldState: got.take})
	sim := newSim(physics.Cyan, physics.Magenta)
	f := follow(t, sim, FollowConfig{Addr: box.Addr()})
	sim.until(t, "world states of both teams", func() bool {
		_, cyan := got.of(physics.Cyan)
		_, magenta := got.of(physics.Magenta)
		return cyan > 2 && magenta > 2
	})
	if cyan, magenta := f.teams[0].client.Address(), f.teams[1].client.Address(); cyan != "224.16.32.127" ||
		magenta != "224.16.32.127:1" {
		t.Errorf("the teams are %q and %q", cyan, magenta)
	}
	for _, team := range bothTeams {
		if w, _ := got.of(team); w.TeamName != string(team) || len(w.Robots) != 2 || len(w.Obstacles) != 2 ||
			len(w.Balls) != 1 {
			t.Errorf("%s: %+v", team, w)
		}
	}
	if want := (action.GameCommand{Command: game.Reset}); !slices.Equal(sim.commands(), []action.GameCommand{want}) ||
		sim.Game() != game.Before() {
		t.Errorf("at the beginning: %+v", sim.Game())
	}
	robot := 2
	for _, o := range []struct {
		command Command
		team    physics.Team
	}{{"KICKOFF", physics.Magenta}, {"FIRST_HALF", ""}, {"START", ""}, {IsAlive, physics.Cyan}, {"STOP", ""},
		{"YELLOW_CARD", physics.Cyan}, {"THROWIN", physics.Cyan}, {"END_PART", ""}, {"START", ""}} {
		box.Send(o.command, o.team, &robot)
	}
	want := []action.GameCommand{{Command: game.Kickoff, Team: physics.Magenta}, {Command: game.FirstHalf},
		{Command: game.Start}, {Command: game.Stop},
		{Command: game.YellowCard, Team: physics.Cyan, Number: 2}, {Command: game.ThrowIn, Team: physics.Cyan},
		{Command: game.Start}}
	sim.until(t, "commands", func() bool { return len(sim.done) >= len(want) })
	must.Equal(t, sim.commands(), want, "commands")
}

// A command for a robot applies to the robot that it names, or to the one with the highest number that it can concern.
// Commands for a missing robot, and substitutions, have no effect.
func TestFollowCommandsToRobots(t *testing.T) {
	var said lines
	box := listen(t, ServerConfig{})
	sim := newSim(physics.Cyan, physics.Magenta)
	f := follow(t, sim, FollowConfig{Addr: box.Addr(), Say: said.Add})
	sim.until(t, "both teams", func() bool { return f.teams[1].client.Address() != "" })
	one, two, nine := 1, 2, 9
	box.Send("REPAIR", physics.Magenta, &two)
	box.Send("REPAIR", physics.Cyan, &nine)
	box.Send("REPAIR", physics.Cyan, nil)
	box.Send(Substitution, physics.Cyan, &one)
	box.Send("REPAIR_END", physics.Cyan, nil)
	box.Send("RED_CARD", physics.Cyan, nil)
	box.Send("YELLOW_CARD", physics.Cyan, nil)
	box.Send("PARK", "", nil)
	sim.until(t, "the last command", func() bool { return sim.Game().Phase == game.Parked })
	got := sim.Standings()
	if got[0].Out != game.RedCard || got[1].Out != game.Repair || got[1].Until > time.Minute ||
		got[2].Out != "" || got[3].Out != game.Repair {
		t.Errorf("%+v", got)
	}
	for _, kind := range []string{"REPAIR names no robot: cyan's robot 2 gets it",
		"REPAIR_END names no robot: cyan's robot 2 gets it", "RED_CARD names no robot: cyan's robot 1 gets it",
		"YELLOW_CARD names no robot, and no robot of cyan can get it", "number = 9: cyan has no robot of that number",
		"SUBSTITUTION has no effect"} {
		if got := said.with(kind); len(got) != 1 {
			t.Errorf("%s: %q, want one line", kind, got)
		}
	}
}

// While somebody can answer, a command that names no robot waits for the answer: for the chosen robot, and after a time
// for the one with the highest number. The next such command ends the wait, too.
func TestFollowAsksForTheRobot(t *testing.T) {
	sim := newSim(physics.Cyan, physics.Magenta)
	f := follow(t, sim, FollowConfig{Addr: "127.0.0.1:1", Asks: func() bool { return true }}) // where nobody is
	sim.step()
	settled := func(what string, out ...game.Command) {
		t.Helper()
		sim.step()
		for i, s := range sim.Standings() {
			must.Equal(t, s.Out, out[i], "%s: robot %d is off the field for", what, i)
		}
	}
	if err := f.Answer(1); err == nil {
		t.Error("an answer without a question is accepted")
	}
	f.command(game.RedCard, physics.Cyan, unnamed)
	settled("asked", "", "", "", "")
	must.Equal(t, *f.Question(), Question{game.RedCard, physics.Cyan, []int{1, 2}}, "question")
	must.Fail(t, f.Answer(3), "number = 3: must be one of [1 2]")
	must.Do(t, f.Answer(1))
	settled("answered", game.RedCard, "", "", "")
	if q := f.Question(); q != nil {
		t.Errorf("%+v is still asked", q)
	}
	f.command(game.Repair, physics.Magenta, unnamed)
	f.command(game.RepairEnd, physics.Cyan, unnamed)
	settled("the next command", game.RedCard, "", "", game.Repair)
	f.command(game.Repair, physics.Magenta, unnamed)
	settled("the only robot left", game.RedCard, "", game.Repair, game.Repair)
	f.command(game.RepairEnd, physics.Magenta, unnamed)
	sim.commands()
	sim.step()
	must.Equal(t, sim.commands(), nil, "commands while asked again")
	sim.expire()
	sim.step()
	must.Equal(t, sim.commands(), []action.GameCommand{{Command: game.RepairEnd, Team: physics.Magenta, Number: 2}},
		"commands when nobody has answered")
}

// At goals and starts, the score becomes the box's, whatever the game has counted.
func TestFollowedScore(t *testing.T) {
	sim := newSim(physics.Cyan, physics.Magenta)
	f := follow(t, sim, FollowConfig{Addr: "127.0.0.1:1"}) // where nobody is
	sim.step()
	f.command(game.Start, "", 0)
	kick := func(x float64) {
		sim.game.Observe([3]float64{0, 0, 0.11})
		sim.game.Observe([3]float64{x, 0, 0.11})
	}
	for _, c := range []struct {
		name string
		do   func()
		want game.Score
	}{
		{"a goal that nobody has confirmed", func() { kick(9.3) }, game.Score{Cyan: 1}},
		{"it is confirmed", func() { f.command(game.Goal, physics.Cyan, 0) }, game.Score{Cyan: 1}},
		{"one that is not", func() {
			kick(-9.3)
			f.command(game.FreeKick, physics.Cyan, 0)
			f.command(game.Start, "", 0)
		}, game.Score{Cyan: 1}},
		{"one that the game has not seen", func() { f.command(game.Goal, physics.Magenta, 0) },
			game.Score{Cyan: 1, Magenta: 1}},
		{"taken back", func() { f.command(game.SubGoal, physics.Cyan, 0); f.command(game.SubGoal, physics.Cyan, 0) },
			game.Score{Magenta: 1}},
		{"another match", func() { f.command(game.Reset, "", 0) }, game.Score{}},
		{"and its start", func() { f.command(game.Start, "", 0) }, game.Score{}},
	} {
		if c.do(); sim.Game().Score != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, sim.Game().Score, c.want)
		}
	}
}

// When the first connection is lost, commands arrive on the other team's. A restart resets the game.
func TestFollowThroughEitherTeam(t *testing.T) {
	box := listen(t, ServerConfig{})
	sim := newSim(physics.Cyan, physics.Magenta)
	f := follow(t, sim, FollowConfig{Addr: box.Addr(), Retry: time.Hour})
	sim.until(t, "both teams", func() bool { return f.teams[1].client.Address() != "" })
	box.mu.Lock()
	box.seats[0].conn.Close()
	box.mu.Unlock()
	sim.until(t, "cyan to be gone", func() bool { return !f.teams[0].client.Connected() })
	sim.commands()
	box.Send("CORNER", physics.Cyan, nil)
	box.Send("PENALTY", physics.Magenta, nil)
	sim.until(t, "commands", func() bool { return len(sim.done) >= 2 })
	must.Equal(t, sim.commands(), []action.GameCommand{{Command: game.Corner, Team: physics.Cyan},
		{Command: game.Penalty, Team: physics.Magenta}}, "commands")
	sim.truth.Step = -1
	if sim.step(); sim.Game() != game.Before() {
		t.Errorf("after a restart of the world: %+v, want %+v", sim.Game(), game.Before())
	}
}

// If only one team is simulated, commands for the other team apply to that team.
func TestFollowOneTeam(t *testing.T) {
	var said lines
	box := newRawBox(t)
	sim := newSim(physics.Magenta)
	follow(t, sim, FollowConfig{Addr: box.addr(), Say: said.Add})
	conn := box.accept()
	send(t, conn, text("KICKOFF", "224.16.32.53")) // before it has said who is who
	send(t, conn, text(Welcome, "224.16.32.53")+text("CORNER", "224.16.32.53")+text("GOALKICK", "224.16.32.63"))
	sim.until(t, "commands", func() bool { return len(sim.done) >= 3 })
	want := []action.GameCommand{{Command: game.Reset}, {Command: game.Corner, Team: physics.Magenta},
		{Command: game.GoalKick, Team: physics.Cyan}}
	must.Equal(t, sim.commands(), want, "commands")
	if got := said.with(`KICKOFF for team "224.16.32.53"`); len(got) != 1 {
		t.Errorf("%d warnings: %q", len(got), said.All())
	}
}

// Invalid messages cause only one warning of each kind, and valid commands between them are executed.
func TestFollowGarbage(t *testing.T) {
	var said lines
	box := newRawBox(t)
	sim := newSim(physics.Cyan)
	follow(t, sim, FollowConfig{Addr: box.addr(), Say: said.Add, Retry: time.Millisecond})
	garbage := strings.Repeat(strings.Join([]string{"\xff\xfe", "{}", "[", `{"command":"DANCE","targetTeam":""}`,
		`{"command":"START","targetTeam":7}`, `{"command":"REPAIR","targetTeam":"","x":1}`, ""}, "\x00"), 50)
	conn := box.accept()
	send(t, conn, garbage+text("DROP_BALL", "")+garbage)
	send(t, conn, strings.Repeat("x", 10_000_000)+"\x00")
	send(t, conn, text("START", "")+`{"command":"ST`)
	conn.Close()
	conn = box.accept()
	send(t, conn, `OP","targetTeam":""}`+"\x00"+text("PARK", ""))
	sim.until(t, "the last command", func() bool { return sim.Game().Phase == game.Parked })
	must.Equal(t, sim.commands(), []action.GameCommand{{Command: game.Reset}, {Command: game.DropBall},
		{Command: game.Start}, {Command: game.Park}}, "commands")
	for _, kind := range []string{"an invalid command", `unknown command "DANCE"`, `field "x" of command "REPAIR"`,
		"without a NUL byte", "REPAIR for team"} {
		if got := said.with(kind); len(got) != 1 {
			t.Errorf("%s: %q, want one line", kind, got)
		}
	}
	if got := said.with("no connection"); len(got) != 1 || !strings.Contains(got[0], "unexpected EOF") {
		t.Errorf("%q, want one line", got)
	}
}

// Commands wait in the connection while a simulation does not step. None is lost, and they keep their order.
func TestFollowFlood(t *testing.T) {
	box := newRawBox(t)
	sim := newSim(physics.Cyan)
	follow(t, sim, FollowConfig{Addr: box.addr()})
	conn := box.accept()
	const goals = 5000
	go func() {
		fmt.Fprint(conn, text(Welcome, "us"), strings.Repeat(text("GOAL", "us"), goals), text("STOP", ""),
			text("CORNER", "them"))
	}()
	must.Until(t, "commands", func() bool { return sim.waiting() == maxPending })
	sim.until(t, "all", func() bool {
		if n := sim.waiting(); n > maxPending {
			t.Fatalf("%d commands wait, want at most %d", n, maxPending)
		}
		return sim.Game().Phase == game.SetPiece
	})
	must.Equal(t, sim.Game(), (game.State{Phase: game.SetPiece, Half: game.PreGame, SetPiece: game.Corner,
		Team: physics.Magenta, Score: game.Score{Cyan: goals}}), "sim.Game()")
}

// A silent box that does not read blocks neither the simulation nor Close. The second team waits for it.
func TestFollowSilence(t *testing.T) {
	box := newRawBox(t)
	sim := newSim(physics.Cyan, physics.Magenta)
	f := Follow(sim, sim, sim, FollowConfig{Addr: box.addr()})
	conn := box.accept()
	for range 100 {
		sim.step()
	}
	if f.teams[1].client.Connected() {
		t.Error("magenta has not waited")
	}
	send(t, conn, text(Welcome, "us"))
	box.accept() // magenta, to which nothing is said
	sim.until(t, "magenta's connection", func() bool { return f.teams[1].client.Connected() })
	f.Close()
	if got := sim.commands(); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

// Boxes before 2024 send every WELCOME to both teams; each team uses the first one.
func TestFollowWelcomes(t *testing.T) {
	box := newRawBox(t)
	sim := newSim(physics.Cyan, physics.Magenta)
	f := follow(t, sim, FollowConfig{Addr: box.addr()})
	cyan := box.accept()
	send(t, cyan, text(Welcome, "us"))
	magenta := box.accept()
	send(t, cyan, text(Welcome, "us:1"))
	send(t, magenta, text(Welcome, "us:1"))
	must.Until(t, "magenta's name", func() bool { return f.teams[1].client.Address() != "" })
	for _, conn := range []net.Conn{cyan, magenta} {
		send(t, conn, text("KICKOFF", "us:1")+text("GOALKICK", "us")+text("CORNER", "they"))
	}
	send(t, cyan, text("PARK", ""))
	sim.until(t, "the last command", func() bool { return sim.Game().Phase == game.Parked })
	want := []action.GameCommand{{Command: game.Reset}, {Command: game.Kickoff, Team: physics.Magenta},
		{Command: game.GoalKick, Team: physics.Cyan}, {Command: game.Park}}
	if got := sim.commands(); !slices.Equal(got, want) || f.teams[0].client.Address() != "us" {
		t.Errorf("%+v, want %+v", got, want)
	}
}
