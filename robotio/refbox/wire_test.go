package refbox

import (
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// lines stores the messages for users.
type lines struct{ must.List[string] }

// with returns the lines that contain a text.
func (l *lines) with(text string) []string {
	return slices.DeleteFunc(l.All(), func(line string) bool { return !strings.Contains(line, text) })
}

// rawBox is a box whose messages the test writes itself.
type rawBox struct {
	t        *testing.T
	listener net.Listener
}

func newRawBox(t *testing.T) *rawBox {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	return &rawBox{t, l}
}

func (b *rawBox) addr() string { return b.listener.Addr().String() }

func (b *rawBox) accept() net.Conn {
	b.t.Helper()
	conn := must.Get(b.listener.Accept())(b.t)
	b.t.Cleanup(func() { conn.Close() })
	return conn
}

func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	must.Get(conn.Write([]byte(text)))(t)
}

// text returns an encoded command.
func text(c Command, team string) string {
	return string(Message{Command: c, TargetTeam: team}.Append(nil))
}

// listen starts a Server.
func listen(t *testing.T, cfg ServerConfig) *Server {
	t.Helper()
	cfg.Addr = "127.0.0.1:0"
	s := must.Get(Listen(cfg))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

// fakeSim is a simulation without physics; tests call its step.
type fakeSim struct {
	world  *worlds.World
	game   *game.Game
	roster *game.Roster
	truth  *physics.Snapshot
	onStep []func(*physics.Snapshot)
	done   []action.GameCommand

	mu     sync.Mutex
	timers []func(time.Duration) // due in the next step
	late   []func(time.Duration) // due when a test calls expire
}

// newSim returns a simulation of two robots of each team.
func newSim(teams ...physics.Team) *fakeSim {
	w := &worlds.World{}
	w.Field.Length, w.Field.Width = 18, 12
	for _, team := range teams {
		for n := 1; n <= 2; n++ {
			w.Robots = append(w.Robots, worlds.Robot{Name: string(team), Team: team, Number: n,
				Body: physics.Body{Radius: 0.25}})
		}
	}
	s := &fakeSim{world: w, game: game.New(&physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, GoalWidth: 2.4, GoalHeight: 1,
		GoalDepth: 0.8}, 0.11)}
	s.truth, s.roster = w.Model().Start(), game.NewRoster(w.Model(), time.Hour, time.Hour)
	s.truth.Step = -1
	return s
}

func (s *fakeSim) World() *worlds.World             { return s.world }
func (s *fakeSim) Game() game.State                 { return s.game.State() }
func (s *fakeSim) Standings() []game.Standing       { return s.roster.Standings() }
func (s *fakeSim) OnStep(f func(*physics.Snapshot)) { s.onStep = append(s.onStep, f) }

func (s *fakeSim) Do(actions ...action.Action) error {
	for _, a := range actions {
		c := a.(*action.GameCommand)
		if err := c.Do(effects{sim: s}); err != nil {
			return err
		}
		s.done = append(s.done, *c)
	}
	return nil
}

// effects receives the effects of game commands.
type effects struct {
	action.Simulation // nil: nothing else is asked of it
	sim               *fakeSim
}

func (e effects) GameCommand(c *action.GameCommand) error {
	if !c.Command.ForRobot() {
		e.sim.game.Command(c.Command, c.Team)
		return nil
	}
	robot, err := e.sim.roster.Find(c.Team, c.Number)
	if err == nil {
		e.sim.roster.Command(c.Command, robot, e.sim.truth.Time)
	}
	return err
}

func (s *fakeSim) After(d time.Duration, f func(time.Duration)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d > 0 {
		s.late = append(s.late, f)
	} else {
		s.timers = append(s.timers, f)
	}
	return func() {}
}

// expire lets all timers run out.
func (s *fakeSim) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timers, s.late = append(s.timers, s.late...), nil
}

// waiting returns the number of pending timers.
func (s *fakeSim) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.timers)
}

func (s *fakeSim) step() {
	s.mu.Lock()
	due := s.timers
	s.timers = nil
	s.mu.Unlock()
	for _, f := range due {
		f(0)
	}
	s.truth.Step++
	for _, f := range s.onStep {
		f(s.truth)
	}
}

// until steps until ok returns true.
func (s *fakeSim) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	must.Until(t, what, func() bool {
		s.step()
		return ok()
	})
}

// commands returns the game commands executed since the last call.
func (s *fakeSim) commands() []action.GameCommand {
	done := slices.Clone(s.done)
	s.done = nil
	return done
}
