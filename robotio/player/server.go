package player

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// DefaultPort is the port of the first robot by custom.
const DefaultPort = "6665"

// maxClients is the number of clients of one robot. A guess, far above the number of modules of a robot's software.
const maxClients = 64

// Config configures a server.
type Config struct {
	Addr string // host:port of the first robot; each further robot has the next port. Port 0 means any free ports.
	// Refused, if not nil, is called, on any goroutine, with the error of each command or request that is not obeyed.
	Refused func(error)
	// Say, if not nil, is called, on any goroutine, with warnings about clients.
	Say func(text string)
}

// Server serves all robots of a simulation.
type Server struct {
	sim   *omnipitch.Sim
	cfg   Config
	ports []*port
	state state
}

// state is the newest state of the simulation, for requests of any goroutine.
type state struct {
	mu    sync.Mutex
	world *worlds.World
	truth physics.Snapshot
}

func (s *state) set(w *worlds.World, truth *physics.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world = w
	truth.CopyTo(&s.truth)
}

// port serves one robot.
type port struct {
	server   *Server
	robot    *worlds.Robot
	index    int // of the robot in the world
	host     uint32
	number   uint32
	listener net.Listener
	devices  []*device
	remove   []func() // remove the listeners of sensors
	err      error    // error of adding a listener
	ctx      context.Context
	cancel   context.CancelFunc
	running  sync.WaitGroup
	places   *admission.Places
}

// Listen starts the server of a simulation, before its first step. It fails if an address is in use or invalid.
func Listen(sim *omnipitch.Sim, cfg Config) (*Server, error) {
	if cfg.Refused == nil {
		cfg.Refused = func(error) {}
	}
	if cfg.Say == nil {
		cfg.Say = func(string) {}
	}
	host, first, err := net.SplitHostPort(cfg.Addr)
	number, badPort := strconv.Atoi(first)
	if err := errors.Join(err, badPort); err != nil {
		return nil, fmt.Errorf("address = %q: must be host:port", cfg.Addr)
	}
	s := &Server{sim: sim, cfg: cfg}
	s.state.set(sim.World(), sim.Truth())
	sim.OnStep(func(truth *physics.Snapshot) { s.state.set(sim.World(), truth) })
	for i := range sim.World().Robots {
		at := 0
		if number != 0 {
			at = number + i
		}
		if err := s.open(i, host, at); err != nil {
			s.Close()
			return nil, err
		}
	}
	for _, p := range s.ports {
		p.running.Go(p.accept)
	}
	return s, nil
}

// open starts to listen for the clients of a robot, and makes its devices.
func (s *Server) open(robot int, host string, number int) error {
	r := &s.sim.World().Robots[robot]
	addr := net.JoinHostPort(host, strconv.Itoa(number))
	// Keep-alives free the place of a client whose machine was switched off.
	l, err := (&net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second,
		Interval: 5 * time.Second, Count: 3}}).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return fmt.Errorf("robot %s: %w", r.Name, err)
	}
	at := l.Addr().(*net.TCPAddr)
	p := &port{server: s, robot: r, index: robot, number: uint32(at.Port), listener: l,
		places: admission.NewPlaces(maxClients)}
	if ip := at.IP.To4(); ip != nil {
		p.host = binary.LittleEndian.Uint32(ip) // the memory of an in_addr as a number
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	s.ports = append(s.ports, p)
	for _, add := range interfaces {
		add(p)
	}
	return p.err
}

// Addrs returns the addresses of the robots, in the order of the world.
func (s *Server) Addrs() []net.Addr {
	all := make([]net.Addr, len(s.ports))
	for i, p := range s.ports {
		all[i] = p.listener.Addr()
	}
	return all
}

// Close closes all connections and waits for all goroutines. It always returns nil.
func (s *Server) Close() error {
	for _, p := range s.ports {
		p.cancel()
		_ = p.listener.Close()
	}
	for _, p := range s.ports {
		p.running.Wait()
		for _, remove := range p.remove {
			remove()
		}
	}
	return nil
}

func (p *port) accept() {
	admission.Accept(p.listener, func(err error) {
		p.server.cfg.Say(fmt.Sprintf("robot %s: Player: %v", p.robot.Name, err))
	}, func(conn net.Conn) {
		c := newClient(p, conn)
		if out, _ := p.places.Take(&c.place); out != nil { // it cannot fail: no client has the rank Known
			p.server.cfg.Say(fmt.Sprintf("robot %s: Player: a client at %s is closed for a newer one: too many",
				p.robot.Name, out.Addr))
		}
		p.running.Go(c.run)
	})
}

// listen adds a listener for the device to a sensor. The function observe is called only while a client has opened the
// device, with observations at levels for which wants returns true. A nil wants stands for all levels.
func (d *device) listen(sensor string, wants func(abstraction.Level) bool, observe func(*sensors.Observation)) {
	p := d.port
	wanted := func(l abstraction.Level) bool { return (wants == nil || wants(l)) && d.wanted() }
	remove, err := p.server.sim.Listen(p.robot.Name, sensor, omnipitch.Listener{Wants: wanted,
		Observe: func(o *sensors.Observation) {
			if wanted(o.Level) {
				observe(o)
			}
		},
	})
	if err != nil {
		p.err = errors.Join(p.err, err)
		return
	}
	p.remove = append(p.remove, remove)
}

// listenFor is like listen, for all levels and for observations with a reading of type T. A sensor that a Go program
// has plugged in may have readings of another type.
func listenFor[T any](d *device, sensor string, observe func(*sensors.Observation, *T)) {
	d.listen(sensor, nil, func(o *sensors.Observation) {
		if r, ok := o.Reading.(*T); ok {
			observe(o, r)
		}
	})
}

// stateTime is the sim time between two messages about the state of an actuator. A guess: Player's drivers send 10 to
// 50 such messages per second.
const stateTime = 50 * time.Millisecond

// every calls send periodically, while a client has opened the device.
func (d *device) every(send func(*physics.Snapshot)) {
	sim := d.port.server.sim
	step := sim.World().Time.Step
	sim.OnStep(func(truth *physics.Snapshot) {
		if truth.Time%stateTime < step && d.wanted() {
			send(truth)
		}
	})
}
