package gamecontroller

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// ServerConfig configures a Server.
type ServerConfig struct {
	Addr    netip.AddrPort // of the robots: where the packets go
	Version Version        // of the packets
	Numbers Numbers        // of the teams; if both are 0, they are 1 and 2
	// Delay is the sim time for which robots are not told that a kick-off or a penalty kick has been started: they are
	// to hear the referee's whistle. It ends early if anything else happens. Source: 10 s in the GameController of the
	// Humanoid Soccer League.
	Delay time.Duration
	Say   func(string) // called with messages for users, by any goroutine
}

// Times between two packets, in sim time. After an interruption of play, a few packets come faster. Source: the
// GameController of the Humanoid Soccer League.
const (
	period     = 500 * time.Millisecond
	fastPeriod = 200 * time.Millisecond
	fastCount  = 5
)

// Server is a GameController for the game of a simulation.
type Server struct {
	cfg      ServerConfig
	sim      *omnipitch.Sim
	conn     *net.UDPConn
	monitors *monitors
	limit    rate.Sometimes // limits the rate of messages about robots' packets
	failures rate.Sometimes // limits the rate of messages about packets that could not be sent
	running  sync.WaitGroup

	// Used by the stepping goroutine only:
	view    View
	budget  budget
	control Control
	packet  []byte
	number  uint8
	due     time.Duration // sim time of the next packet
	fast    int           // number of packets that come faster

	answered [2][MaxPlayers]bool // robots that have sent a packet; used by receive only

	mu     sync.Mutex
	wishes [2][MaxPlayers]game.Command // commands that robots ask for; empty for most
	some   bool                        // whether there are wishes
}

// Serve makes a simulation's game known as a GameController does, in sim time: robots get packets about it. It listens
// for the robots' packets, at a port that is higher by 101 than that of the robots, on loopback unless robots are
// elsewhere. A robot that reports that somebody has taken it out of the game, or put it back, is penalised or
// unpenalised. Monitors send their requests to a port that is lower by 202 than that of the robots. They get packets
// with the true state at the robots' port, and robots' packets at a port that is higher by 102. Serve fails if one of
// its ports is in use. It must be called before the first step.
func Serve(sim *omnipitch.Sim, cfg ServerConfig) (*Server, error) {
	if cfg.Numbers == (Numbers{}) {
		cfg.Numbers = Numbers{1, 2}
	}
	local := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if !cfg.Addr.Addr().IsLoopback() {
		local = netip.IPv4Unspecified()
	}
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(local, cfg.Addr.Port()+returnOffset)))
	if err != nil {
		return nil, err
	}
	watching, err := listenMonitors(local, cfg.Addr.Port())
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	s := &Server{cfg: cfg, sim: sim, conn: conn, monitors: watching,
		limit:    rate.Sometimes{First: 1, Interval: time.Minute},
		failures: rate.Sometimes{First: 1, Interval: time.Minute},
		view:     NewView(sim, cfg.Version, cfg.Numbers, cfg.Delay)}
	for i := range sim.World().Robots {
		if r := &sim.World().Robots[i]; r.Number < 1 || r.Number > cfg.Version.room() {
			cfg.Say(fmt.Sprintf("GameController: %s has number %d: packets of version %d have room for 1 to %d", r.Name,
				r.Number, cfg.Version, cfg.Version.room()))
		}
	}
	sim.OnStep(s.step)
	s.running.Go(s.receive)
	s.running.Go(func() { s.monitors.receive(cfg.Say, s.ignore) })
	return s, nil
}

// room returns the highest number of a robot for which packets have room.
func (v Version) room() int {
	if v == Humanoid12 {
		return players12
	}
	return MaxPlayers
}

// Close ends the reception of packets, and the sending.
func (s *Server) Close() error {
	err := errors.Join(s.conn.Close(), s.monitors.conn.Close())
	s.running.Wait()
	return err
}

// step sends a packet if one is due.
func (s *Server) step(truth *physics.Snapshot) {
	s.grant()
	s.budget.count(s)
	if truth.Step == 0 { // the world starts or restarts
		s.budget = budget{}
		s.view, s.due, s.fast = NewView(s.sim, s.cfg.Version, s.cfg.Numbers, s.cfg.Delay), 0, 0
	}
	if s.view.Observe(truth) {
		s.due, s.fast = truth.Time, 1+fastCount
	}
	if truth.Time < s.due {
		return
	}
	s.due = truth.Time + period
	if s.fast > 0 {
		if s.fast--; s.fast > 0 {
			s.due = truth.Time + fastPeriod
		}
	}
	if s.monitors.watched() {
		s.fill(true, truth.Time)
		s.monitors.send(s.packet, s.cfg.Addr.Port())
	}
	s.fill(false, truth.Time)
	s.number++
	if _, err := s.conn.WriteToUDPAddrPort(s.packet, s.cfg.Addr); err != nil && !errors.Is(err, net.ErrClosed) {
		s.failures.Do(func() { s.cfg.Say(fmt.Sprintf("GameController: packets are lost: %v", err)) })
	}
}

// fill writes a packet at the sim time now: for monitors, with the true state, or for robots.
func (s *Server) fill(truth bool, now time.Duration) {
	s.view.Fill(&s.control, truth, now)
	s.control.Packet = s.number
	for i := range bothTeams {
		s.control.Teams[i].Budget = s.budget.left(i, s.cfg.Version)
	}
	s.packet = s.control.Append(s.packet[:0])
}

// ignore reports a packet that is ignored.
func (s *Server) ignore(err error) {
	s.limit.Do(func() { s.cfg.Say(fmt.Sprintf("GameController: %v: it is ignored", err)) })
}

// receive handles robots' packets until the socket is closed.
func (s *Server) receive() {
	forward := make([]byte, 4+maxReturn+1) // the address of the sender, and its packet
	buf := forward[4:]
	var r Return
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as a receiver that refuses packets
			continue
		}
		host := from.Addr().Unmap()
		if of := host.As4(); n <= maxReturn { // monitors show bad packets, too
			copy(forward, of[:])
			s.monitors.send(forward[:4+n], s.cfg.Addr.Port()+forwardOffset)
		}
		if err := r.Parse(buf[:n]); err != nil {
			s.ignore(fmt.Errorf("a packet from %v: %w", from, err))
			continue
		}
		team := s.cfg.Numbers.team(r.Team)
		if team == "" || !s.plays(team, int(r.Player)) {
			s.ignore(fmt.Errorf("a packet from %v: robot %d of team %d does not play", from, r.Player, r.Team))
			continue
		}
		s.monitors.heard(host)
		s.hear(team, &r, from)
	}
}

// hear handles the packet of a robot that plays.
func (s *Server) hear(team physics.Team, r *Return, from netip.AddrPort) {
	i := 0
	if team == physics.Magenta {
		i = 1
	}
	if answered := &s.answered[i][r.Player-1]; !*answered {
		*answered = true
		s.cfg.Say(fmt.Sprintf("GameController: robot %d of %s, team %d, answers from %v", r.Player, team, r.Team, from))
	}
	if r.Message == Alive {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wishes[i][r.Player-1], s.some = game.Penalise, true
	if r.Message == Unpenalised {
		s.wishes[i][r.Player-1] = game.Unpenalise
	}
}

// grant carries out the commands that robots ask for. Robots repeat their packets, so it leaves out commands that
// change nothing.
func (s *Server) grant() {
	s.mu.Lock()
	wishes, some := s.wishes, s.some
	if s.some = false; some {
		s.wishes = [2][MaxPlayers]game.Command{}
	}
	s.mu.Unlock()
	if !some { // the usual case
		return
	}
	robots, standings := s.sim.World().Robots, s.sim.Match().Standings()
	for i, team := range bothTeams {
		for k, command := range wishes[i] {
			robot := slices.IndexFunc(robots, func(r worlds.Robot) bool { return r.Team == team && r.Number == k+1 })
			if command == "" || robot < 0 {
				continue
			}
			if out := standings[robot].Out; command == game.Penalise && out != "" && out != game.Unpenalise ||
				command == game.Unpenalise && out != game.Penalise {
				continue
			}
			if err := s.sim.Do(&action.GameCommand{Command: command, Team: team, Number: k + 1}); err != nil {
				s.limit.Do(func() { s.cfg.Say(fmt.Sprintf("GameController: %s: %v", command, err)) })
			}
		}
	}
}

// plays reports whether the world has a robot with a number in a team.
func (s *Server) plays(team physics.Team, number int) bool {
	return slices.ContainsFunc(s.sim.World().Robots, func(r worlds.Robot) bool {
		return r.Team == team && r.Number == number
	})
}
