package rcsssmj

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
)

// DefaultPort is the port of the league's server for agents.
const DefaultPort = "60000"

// maxAgents is the number of connections. A guess, above the robots of two teams.
const maxAgents = 64

// Config configures a server.
type Config struct {
	Addr string // host:port; port 0 means a free port
	// Refused, if not nil, is called, on any goroutine, with the error of each effector that is not obeyed.
	Refused func(error)
	// Say, if not nil, is called, on any goroutine, with messages about agents.
	Say func(text string)
}

// Server serves agents of all robots of a simulation that have joints.
type Server struct {
	roster
	sim       *omnipitch.Sim
	cfg       Config
	model     *physics.Model
	landmarks []landmark
	view      view // belongs to the goroutine that steps
	listener  net.Listener
	places    *admission.Places
	remove    []func() // remove the listeners of sensors
	ctx       context.Context
	cancel    context.CancelFunc
	running   sync.WaitGroup
}

// Listen starts the server of a simulation, before its first step. It fails if the address is in use or invalid, or if
// no robot has an imu, encoders and a motor that agents know. Robots that the world waits for at speed lockstep then
// answer by their agents' messages.
func Listen(sim *omnipitch.Sim, cfg Config) (_ *Server, err error) {
	if cfg.Refused == nil {
		cfg.Refused = func(error) {}
	}
	if cfg.Say == nil {
		cfg.Say = func(string) {}
	}
	s := &Server{sim: sim, cfg: cfg, model: sim.World().Model(), places: admission.NewPlaces(maxAgents),
		view: newView(sim)}
	s.landmarks = landmarks(&s.model.Field)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	for i := range sim.World().Robots {
		r, err := s.newRobot(i)
		if err != nil {
			return nil, err
		}
		if r != nil {
			s.robots = append(s.robots, r)
		}
	}
	if len(s.robots) == 0 {
		return nil, errors.New("no robot has a sensor of kind imu, one of kind joints, and a motor of the league's; see " +
			"table rcsssmj of the world")
	}
	// Keep-alives free the place of an agent whose machine was switched off.
	l, err := (&net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second,
		Interval: 5 * time.Second, Count: 3}}).Listen(context.Background(), "tcp", cfg.Addr)
	if err != nil {
		return nil, err
	}
	s.listener = l
	sim.OnStep(func(truth *physics.Snapshot) {
		s.view.observe(truth)
		standings := sim.Match().Standings()
		for _, r := range s.robots {
			r.beams.Store(s.view.beams && standings[r.index].Out == "")
		}
	})
	for i, w := range sim.World().Time.WaitFor {
		for _, r := range s.robots {
			if r.name == w.Robot && w.Order != timesync.OrderAll {
				sim.Clock().Lockstep().Connect(i, r)
			}
		}
	}
	s.running.Go(s.accept)
	return s, nil
}

// Addr returns the address for agents.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Robots returns the names of the robots that agents can drive.
func (s *Server) Robots() (all []string) {
	for _, r := range s.robots {
		all = append(all, r.name)
	}
	return all
}

// Close closes all connections and waits for all goroutines. It always returns nil.
func (s *Server) Close() error {
	s.cancel()
	if s.listener != nil {
		_ = s.listener.Close()
	}
	s.running.Wait()
	for _, remove := range s.remove {
		remove()
	}
	return nil
}

// listen adds a listener to a robot's sensor. It gets observations at levels for which wants returns true, and only
// while the robot has an agent. A nil wants stands for all levels.
func (s *Server) listen(r *robot, sensor string, wants func(abstraction.Level) bool,
	observe func(*sensors.Observation)) error {
	wanted := func(l abstraction.Level) bool { return (wants == nil || wants(l)) && r.wanted() }
	only := func(o *sensors.Observation) {
		if wanted(o.Level) {
			r.renew()
			observe(o)
		}
	}
	remove, err := s.sim.Listen(r.name, sensor, omnipitch.Listener{Wants: wanted, Observe: only})
	if err == nil {
		s.remove = append(s.remove, remove)
	}
	return err
}

func (s *Server) accept() {
	admission.Accept(s.listener, func(err error) { s.cfg.Say(fmt.Sprintf("rcsssmj: %v", err)) }, func(conn net.Conn) {
		a := newAgent(s, conn)
		if out, _ := s.places.Take(&a.place); out != nil { // it cannot fail: no agent has the rank Known
			s.cfg.Say(fmt.Sprintf("rcsssmj: an agent at %s is closed for a newer one: too many", out.Addr))
		}
		s.running.Go(a.run)
	})
}
