package refbox

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// LocalTeam is how the box calls teams of its own machine. Source: its msl_teams.json.
const LocalTeam = "224.16.32.127"

// ServerConfig says where a box listens.
type ServerConfig struct {
	Addr string // host:port; port 0 is a free one
	// Cyan and Magenta are how the box calls the teams: their multicast addresses; empty is LocalTeam. Where both are
	// the same, magenta's gets ":1", as the box has it for a team that plays itself.
	Cyan, Magenta string
	// WorldState, if not nil, is called with the world states that teams send, by a goroutine of each team; text is
	// valid during the call.
	WorldState func(team physics.Team, state *WorldState, text []byte)
	// Say, if not nil, is called with sentences for users, by any goroutine.
	Say func(string)
}

// Server is a box. The first team that connects is cyan, the second magenta; when one has gone, the next takes its
// place.
type Server struct {
	cfg      ServerConfig
	warnings warnings
	listener net.Listener
	running  sync.WaitGroup
	closing  chan struct{}

	mu     sync.Mutex
	seats  [2]*seat // of bothTeams; nil: free
	state  game.State
	closed bool
}

// seat is a team's connection.
type seat struct {
	conn  net.Conn
	queue chan []byte
}

// maxQueue bounds the commands that wait for a team. A guess: a box sends few a second.
const maxQueue = 256

// Listen opens a box. It fails when it cannot listen.
func Listen(cfg ServerConfig) (*Server, error) {
	for _, name := range []*string{&cfg.Cyan, &cfg.Magenta} {
		if *name == "" {
			*name = LocalTeam
		}
	}
	if cfg.Magenta == cfg.Cyan {
		cfg.Magenta += ":1"
	}
	// A team's machine that is switched off leaves its place.
	listening := net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second,
		Interval: 2 * time.Second, Count: 3}}
	l, err := listening.Listen(context.Background(), "tcp", cfg.Addr)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, warnings: warnings{say: cfg.Say}, listener: l, closing: make(chan struct{}), state: before}
	s.running.Go(s.accept)
	return s, nil
}

// Addr returns where the box listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Address returns how the box calls a team.
func (s *Server) Address(team physics.Team) string {
	switch team {
	case physics.Cyan:
		return s.cfg.Cyan
	case physics.Magenta:
		return s.cfg.Magenta
	}
	return ""
}

// Send sends a command to both teams, as the box does: for one of them, or for both with an empty team; robot may be
// nil. It returns to how many teams. It waits for none: one that takes nothing is disconnected.
func (s *Server) Send(c Command, team physics.Team, robot *int) (teams int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.send(Message{Command: c, TargetTeam: s.Address(team), RobotID: robot})
}

func (s *Server) send(m Message) (teams int) {
	text := m.Append(nil)
	for _, seat := range s.seats {
		if seat != nil && s.put(seat, text) {
			teams++
		}
	}
	return teams
}

// put has a message sent to a team.
func (s *Server) put(seat *seat, text []byte) bool {
	select {
	case seat.queue <- text:
		return true
	default:
		s.warnings.warn("full", "a team takes no commands: it is disconnected")
		seat.conn.Close()
		return false
	}
}

// Announce sends the commands by which the game has come to a state since the last call. Teams that connect later get
// those that lead to it, but for goals.
func (s *Server) Announce(state game.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range changes(s.state, state) {
		s.send(Message{Command: boxCommands[o.command], TargetTeam: s.Address(o.team)})
	}
	s.state = state
}

// Announce has a box announce a simulation's game, and what becomes of its robots. It must be called before the first
// step.
func Announce(sim Simulation, s *Server) {
	was, robots := before, slices.Clone(sim.Standings())
	sim.OnStep(func(truth *physics.Snapshot) {
		if truth.Step == 0 { // the world begins, or begins again
			if was != before {
				s.Announce(before)
				was = before
			}
			clear(robots)
		}
		if is := sim.Game(); is != was {
			s.Announce(is)
			was = is
		}
		for i, is := range sim.Standings() {
			if is == robots[i] { // as in nearly every step
				continue
			}
			r := &sim.World().Robots[i]
			for _, c := range robotChanges(robots[i], is) {
				s.Send(boxCommands[c], r.Team, &r.Number)
			}
			robots[i] = is
		}
	})
}

// Close ends all connections, when what was sent has gone out or after a second.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.closing)
	for _, seat := range s.seats {
		if seat != nil {
			_ = seat.conn.SetWriteDeadline(time.Now().Add(time.Second)) // fails where it has gone
		}
	}
	s.mu.Unlock()
	err := s.listener.Close()
	s.running.Wait()
	return err
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // out of files, as it may be for a while
			s.warnings.warn("accept", "%v", err)
			time.Sleep(100 * time.Millisecond)
		default:
			s.enter(conn)
		}
	}
}

// enter gives a team its place.
func (s *Server) enter(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.seats[:], nil)
	if i < 0 || s.closed {
		s.warnings.warn("third", "%s: both teams are connected: it is turned away", conn.RemoteAddr())
		conn.Close()
		return
	}
	team := bothTeams[i]
	own := &seat{conn, make(chan []byte, maxQueue)}
	s.seats[i] = own
	s.warnings.tell(briefly, "in "+string(team), "%s: connected from %s as %s", team, conn.RemoteAddr(),
		s.Address(team))
	s.put(own, Message{Command: Welcome, TargetTeam: s.Address(team)}.Append(nil))
	quiet := s.state
	quiet.Score = game.Score{}
	for _, o := range changes(before, quiet) {
		s.put(own, Message{Command: boxCommands[o.command], TargetTeam: s.Address(o.team)}.Append(nil))
	}
	gone := make(chan struct{})
	s.running.Go(func() { own.write(gone, s.closing) })
	s.running.Go(func() {
		s.read(team, conn)
		close(gone)
		conn.Close()
		s.mu.Lock()
		s.seats[i] = nil
		s.mu.Unlock()
		s.warnings.tell(briefly, "out "+string(team), "%s: disconnected", team)
	})
}

// write writes what waits for the team, until it has gone or the box closes.
func (p *seat) write(gone, closing <-chan struct{}) {
	defer p.conn.Close()
	for {
		select {
		case text := <-p.queue:
			if _, err := p.conn.Write(text); err != nil {
				return
			}
		case <-gone:
			return
		case <-closing:
			p.writeRest()
			return
		}
	}
}

func (p *seat) writeRest() {
	for {
		select {
		case text := <-p.queue:
			if _, err := p.conn.Write(text); err != nil {
				return
			}
		default:
			return
		}
	}
}

// read reads a team's world states until it has gone.
func (s *Server) read(team physics.Team, conn net.Conn) {
	in := NewReader(conn)
	if in.foreign() {
		s.warnings.warn("foreign", "%s: %s sends HTTP or TLS: it is disconnected", team, conn.RemoteAddr())
		return
	}
	for {
		text, err := in.Next()
		if errors.Is(err, ErrTooLong) {
			s.warnings.warn("long "+string(team), "%s: sends %v: it is left out", team, err)
			continue
		}
		if err != nil {
			return
		}
		state, err := ParseWorldState(text)
		if err != nil {
			s.warnings.warn("malformed "+string(team), "%s: sends what is no world state: %v: it is left out", team,
				err)
			continue
		}
		if s.cfg.WorldState != nil {
			s.cfg.WorldState(team, state, text)
		}
	}
}
