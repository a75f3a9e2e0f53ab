package refbox

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// LocalTeam is the box's name for a team on the machine of the box. Source: the box's msl_teams.json.
const LocalTeam = "224.16.32.127"

// ServerConfig configures a box.
type ServerConfig struct {
	Addr string // host:port; port 0 means any free port
	// Cyan and Magenta are the box's names for the teams: their multicast addresses; empty is LocalTeam. If both are
	// the same, ":1" is added to magenta's, as the box does for a team that plays against itself.
	Cyan, Magenta string
	// WorldState, if not nil, is called with each world state from a team, by one goroutine for each team. text is
	// valid until WorldState returns.
	WorldState func(team physics.Team, state *WorldState, text []byte)
	// Say, if not nil, is called with messages for users, by any goroutine.
	Say func(string)
}

// Server is a box. The first team that connects is cyan, the second is magenta. After a team has disconnected, the next
// team that connects takes its place. If both places are taken, a connection that has sent no world state lately makes
// room for the next one.
type Server struct {
	cfg      ServerConfig
	warnings warnings
	listener net.Listener
	running  sync.WaitGroup
	closing  chan struct{}

	mu     sync.Mutex
	seats  [2]*seat // of bothTeams; nil: free
	places *admission.Table
	state  game.State
	closed bool
}

// seat is a team's connection.
type seat struct {
	conn  net.Conn
	queue chan []byte
	place admission.Conn            // guarded by the server's lock
	heard atomic.Pointer[time.Time] // wall time of the last world state; nil: none
}

// quietTime is the wall time without a world state after which a team makes room for another one. A guess: teams send
// ten a second, see StatePeriod.
const quietTime = 10 * time.Second

// rank returns the rank of a team for package admission.
func (p *seat) rank() admission.Rank {
	switch heard := p.heard.Load(); {
	case heard == nil:
		return admission.Silent
	case time.Since(*heard) > quietTime:
		return admission.Unknown
	}
	return admission.Known
}

// maxQueue is the length of the queue of commands for a team. A guess: a box sends a few per second.
const maxQueue = 256

// Listen starts a box. It fails if it cannot listen at the address.
func Listen(cfg ServerConfig) (*Server, error) {
	for _, name := range []*string{&cfg.Cyan, &cfg.Magenta} {
		if *name == "" {
			*name = LocalTeam
		}
	}
	if cfg.Magenta == cfg.Cyan {
		cfg.Magenta += ":1"
	}
	// Keep-alives free the place of a team whose machine was switched off.
	listening := net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second,
		Interval: 2 * time.Second, Count: 3}}
	l, err := listening.Listen(context.Background(), "tcp", cfg.Addr)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, warnings: warnings{say: cfg.Say}, listener: l, closing: make(chan struct{}),
		state: game.Before(), places: admission.NewTable(len(bothTeams), 1)}
	s.running.Go(func() {
		admission.Accept(s.listener, func(err error) { s.warnings.warn("accept", "%v", err) }, s.enter)
	})
	return s, nil
}

// Addr returns the address at which the box listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Address returns the box's name for a team.
func (s *Server) Address(team physics.Team) string {
	switch team {
	case physics.Cyan:
		return s.cfg.Cyan
	case physics.Magenta:
		return s.cfg.Magenta
	}
	return ""
}

// Send sends a command to both teams, as the box does, and returns the number of teams that are connected. team is the
// addressee, or empty for both; robot may be nil. Send never blocks; it disconnects a team that does not read.
func (s *Server) Send(c Command, team physics.Team, robot *int) (teams int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.send(Message{Command: c, TargetTeam: s.Address(team), RobotID: robot})
}

func (s *Server) send(m Message) (teams int) {
	text := m.Append(nil)
	for _, seat := range s.seats {
		if seat != nil && s.enqueue(seat, text) {
			teams++
		}
	}
	return teams
}

// enqueue queues a message for a team. If the queue is full, it disconnects the team and returns false.
func (s *Server) enqueue(seat *seat, text []byte) bool {
	select {
	case seat.queue <- text:
		return true
	default:
		s.warnings.warn("full", "a team does not read its commands: it is disconnected")
		seat.conn.Close()
		return false
	}
}

// Announce sends the commands that change the game from the state in the previous call to the given state. A team that
// connects later receives the commands that lead to the current state, except goals.
func (s *Server) Announce(state game.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.changes(s.state, state) {
		s.send(m)
	}
	s.state = state
}

// Announce makes a box announce all changes of a simulation's game and of its robots' standings. It must be called
// before the first step.
func Announce(sim Simulation, match Match, s *Server) {
	was, robots := game.Before(), slices.Clone(match.Standings())
	sim.OnStep(func(truth *physics.Snapshot) {
		if truth.Step == 0 { // the world starts or restarts
			if was != game.Before() {
				s.Announce(game.Before())
				was = game.Before()
			}
			clear(robots)
		}
		if is := match.Game(); is != was {
			s.Announce(is)
			was = is
		}
		for i, is := range match.Standings() {
			if is == robots[i] { // the usual case
				continue
			}
			r := &sim.World().Robots[i]
			for _, c := range robotChanges(robots[i], is) {
				s.Send(c, r.Team, &r.Number)
			}
			robots[i] = is
		}
	})
}

// Close sends the queued commands, for at most a second, and then closes all connections.
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
			_ = seat.conn.SetWriteDeadline(time.Now().Add(time.Second)) // an error means that the connection is gone
		}
	}
	s.mu.Unlock()
	err := s.listener.Close()
	s.running.Wait()
	return err
}

// enter assigns a connection to a team.
func (s *Server) enter(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := &seat{conn: conn, queue: make(chan []byte, maxQueue)}
	own.place = admission.Conn{Close: conn.Close, Rank: own.rank}
	s.places.Enter(&own.place)
	out, ok := s.places.Admit(&own.place)
	if !ok || s.closed {
		s.places.Leave(&own.place)
		s.warnings.warn("third", "%s: both teams are connected already: the connection is closed", conn.RemoteAddr())
		conn.Close()
		return
	}
	i := slices.IndexFunc(s.seats[:], func(p *seat) bool { return p == nil || &p.place == out })
	if out != nil {
		s.warnings.warn("quiet", "%s: %s sends no world states: the connection is closed for a newer one", bothTeams[i],
			s.seats[i].conn.RemoteAddr())
		out.Close()
	}
	team := bothTeams[i]
	s.seats[i] = own
	s.warnings.report(briefly, "in "+string(team), "%s: connected from %s as %s", team, conn.RemoteAddr(),
		s.Address(team))
	s.enqueue(own, Message{Command: Welcome, TargetTeam: s.Address(team)}.Append(nil))
	quiet := s.state
	quiet.Score = game.Score{}
	for _, m := range s.changes(game.Before(), quiet) {
		s.enqueue(own, m.Append(nil))
	}
	gone := make(chan struct{})
	s.running.Go(func() { own.write(gone, s.closing) })
	s.running.Go(func() {
		s.read(team, own)
		close(gone)
		conn.Close()
		s.mu.Lock()
		s.places.Leave(&own.place)
		if s.seats[i] == own {
			s.seats[i] = nil
		}
		s.mu.Unlock()
		s.warnings.report(briefly, "out "+string(team), "%s: disconnected", team)
	})
}

// write writes the queued commands until the team has disconnected or the box closes.
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

// writeRest writes the rest of the queue.
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

// read reads a team's world states until it disconnects.
func (s *Server) read(team physics.Team, p *seat) {
	in := NewReader(p.conn)
	if in.foreign() {
		s.warnings.warn("foreign", "%s: %s sends HTTP or TLS: it is disconnected", team, p.conn.RemoteAddr())
		return
	}
	for {
		text, err := in.Next()
		if errors.Is(err, ErrTooLong) {
			s.warnings.warn("long "+string(team), "%s: sends %v: it is ignored", team, err)
			continue
		}
		if err != nil {
			return
		}
		state, err := ParseWorldState(text)
		if err != nil {
			s.warnings.warn("malformed "+string(team), "%s: sends an invalid world state: %v: it is ignored", team, err)
			continue
		}
		p.heard.Store(new(time.Now()))
		if s.cfg.WorldState != nil {
			s.cfg.WorldState(team, state, text)
		}
	}
}
