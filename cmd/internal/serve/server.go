// Package serve connects a run to robots and tools. Robots connect through ROS 1 masters and nodes, browsers through
// servers. The package also defines the flags for these connections.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/simulation"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds"
	"golang.org/x/time/rate"
)

// Server connects a running simulation to robots and tools.
type Server struct {
	ros        *nodes             // nil without ROS 1
	ros2       *participant       // nil without ROS 2
	bridges    []*robotio.Bridge  // that of ROS 1 comes first
	beliefs    []*robotio.Beliefs // of each bridge
	interfaces io.Closer          // the services of simulation_interfaces; nil without ROS 2
	refused    *refusals
	web        []io.Closer
	con        console.Streams
	world      string
	at         listening
}

// Topics returns the state of each topic that the simulation publishes or subscribes to, as robotio.Bridge does.
func (s *Server) Topics() (all []robotio.TopicReport) {
	for _, b := range s.bridges {
		all = append(all, b.Topics()...)
	}
	return all
}

// webServer is a server for browsers.
type webServer interface {
	io.Closer
	Addr() net.Addr
}

// Open connects a simulation as the flags say, and prints the addresses of the servers, and warnings. opts are the
// options of the bridge; Open sets Own and the callbacks itself. If ctx ends before the simulation is connected, Open
// returns console.ErrInterrupted.
func Open(ctx context.Context, con console.Streams, w *worlds.World, sim *omnipitch.Sim, opts robotio.Options,
	flags Flags, access Access) (*Server, error) {
	at, err := newListening(flags.Listen)
	if err != nil {
		return nil, err
	}
	s := &Server{con: con, world: w.Name}
	external := flags.ROS1.external()
	if at.access, err = access.rule(!external, func(err error) { s.printf("%v", err) }); err != nil {
		return nil, err
	}
	s.at = at
	s.refused = newRefusals(con.Err, w.Name, s.log)
	opts.Refused, opts.Mismatched = s.refuse, s.mismatched()
	if !flags.ROS1.Off() {
		err = s.openROS1(ctx, w, sim, opts, flags.ROS1)
	}
	if err == nil && flags.ROS2.on {
		err = s.openROS2(ctx, w, sim, opts, flags.ROS2)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	s.openBeliefs()
	if at.open() {
		s.printf("%s", at.warning())
	}
	if s.ros != nil {
		s.noteMasters(w, flags.ROS1)
	}
	if s.ros2 != nil {
		s.note("%s", s.ros2.where())
	}
	for _, web := range flags.webFlags() {
		if err := s.openWeb(web); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// openROS1 joins or starts the masters and sets up the bridge to ROS 1.
func (s *Server) openROS1(ctx context.Context, w *worlds.World, sim *omnipitch.Sim, opts robotio.Options,
	choice MasterChoice) (err error) {
	if s.ros, err = console.Await(ctx, func() (*nodes, error) { return openNodes(w, choice, s.at, s.printf) },
		(*nodes).close); err != nil {
		return console.NetworkError(err)
	}
	stop := context.AfterFunc(ctx, s.ros.leave)
	opts.Own = s.ros.ownNodes()
	err = s.openBridge(w, sim, s.ros.node, opts)
	if !stop() {
		return console.ErrInterrupted
	}
	return err
}

// openROS2 starts the simulator's participant and sets up the bridge to ROS 2.
func (s *Server) openROS2(ctx context.Context, w *worlds.World, sim *omnipitch.Sim, opts robotio.Options,
	choice DomainChoice) (err error) {
	if s.ros2, err = openParticipant(ctx, choice, s.at, s.printf); err != nil {
		return err
	}
	opts.Distribution = s.ros2.config.Distribution
	if len(s.bridges) > 0 {
		opts.Beside = s.bridges[0]
	}
	if err := s.openBridge(w, sim, s.ros2.node, opts); err != nil {
		return err
	}
	s.interfaces, err = simulation.Serve(s.ros2.node, sim, "/")
	return err
}

func (s *Server) openBridge(w *worlds.World, sim *omnipitch.Sim, node wire.Node, opts robotio.Options) error {
	b, err := robotio.NewBridge(sim, node, opts)
	if err == nil {
		s.bridges = append(s.bridges, b)
		return nil
	}
	if wrong := robotio.CheckFor(w, node.Version(), opts.Distribution); wrong != nil {
		return console.BadInput(wrong)
	}
	return console.NetworkError(err)
}

// noteMasters prints where the masters are.
func (s *Server) noteMasters(w *worlds.World, choice MasterChoice) {
	s.note("ROS 1 master at %s", s.ros.uri)
	for i := range w.Robots {
		if own, ok := s.ros.own[w.Robots[i].Name]; ok {
			s.note("master of %s at port %s", w.Robots[i].Name, masterPort(own.master.URI()))
		}
	}
	if text := s.at.unreachable(choice.external()); text != "" && !choice.alone {
		s.printf("%s", text)
	}
}

// log writes a warning to the logs of the simulator's nodes.
func (s *Server) log(text string) {
	if s.ros != nil {
		s.ros.node.Logger().Warn(text)
	}
	if s.ros2 != nil {
		s.ros2.node.Logger().Warn(text)
	}
}

// refuse prints a refused command. It prints nothing if the command came after the end of the run, which robots may not
// have noticed yet.
func (s *Server) refuse(err error) {
	if !errors.Is(err, omnipitch.ErrClosed) {
		s.refused.report(err, time.Now())
	}
}

// mismatched returns a function that prints an error about a publisher of the wrong type. After the first 100 errors,
// the function prints at most one line per refusalTime.
func (s *Server) mismatched() func(*wire.MismatchError) {
	limit := rate.Sometimes{First: 100, Interval: refusalTime}
	return func(e *wire.MismatchError) { limit.Do(func() { s.printf("%v", e) }) }
}

// printf prints a line that the user must read, even with --quiet.
func (s *Server) printf(format string, args ...any) {
	fmt.Fprintf(s.con.Err, s.world+": "+format+"\n", args...)
}

// note prints a line that --quiet suppresses.
func (s *Server) note(format string, args ...any) {
	fmt.Fprintf(s.con.Notes(), s.world+": "+format+"\n", args...)
}

// NewNode starts a node that receives what the simulator publishes: at the common master or, without ROS 1, in ROS 2.
// The caller must close the node before the Server.
func (s *Server) NewNode(name string) (wire.Node, error) {
	if s.ros == nil {
		return s.ros2.newNodeBeside(name)
	}
	return s.newNode(name)
}

// newNode starts a further node at the common master.
func (s *Server) newNode(name string) (*ros1.Node, error) {
	node, err := s.at.node(ros1.NodeConfig{Name: name, MasterURI: s.ros.uri, Types: s.bridges[0].Types()})
	if err != nil {
		return nil, console.NetworkError(err)
	}
	return node, nil
}

// openWeb starts a server for browsers, with its own node. It does nothing if the flag does not ask for a server.
func (s *Server) openWeb(w webFlag) error {
	addr, err := w.addr(s.at)
	if err != nil || addr == "" {
		return err
	}
	node, err := s.newNode(w.node)
	if err != nil {
		return err
	}
	s.web = append(s.web, node)
	server, err := w.listen(node, s.at, addr)
	if err != nil {
		return console.NetworkError(fmt.Errorf("%s = %q: %w", w.flag, w.value, err))
	}
	s.web = append(s.web, server)
	if host, _, _ := net.SplitHostPort(addr); !s.at.open() && (listening{addr: host}).open() {
		s.printf("%s", listening{addr: host}.warning())
	}
	s.note("%s at ws://%s", strings.TrimPrefix(w.flag, "--"), server.Addr())
	return nil
}

// nodes returns all nodes of the simulator but those of the beliefs.
func (s *Server) nodes() (all []*ros1.Node) {
	if s.ros != nil {
		all = append(all, s.ros.node)
		for _, own := range s.ros.own {
			all = append(all, own.node)
		}
	}
	for _, c := range s.web {
		if n, ok := c.(*ros1.Node); ok {
			all = append(all, n)
		}
	}
	return all
}

// Watch returns a context that ends when ctx ends, or when another program shuts down a node of the simulator. A run
// with such a context ends, too, instead of continuing without its robots. The caller must call stop.
func (s *Server) Watch(ctx context.Context) (_ context.Context, stop context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	watch := func(n *ros1.Node) {
		select {
		case <-n.Done():
			cancel(n.Cause())
		case <-ctx.Done():
		}
	}
	for _, n := range s.nodes() {
		go watch(n)
	}
	return ctx, cancel
}

// ShutDown is called at the end of a run whose context came from Watch. If a program has asked a node of the simulator
// to shut down, ShutDown prints a note and returns nil, because this is a regular end, as with Ctrl-C. If another node
// has taken the name of a node, ShutDown returns an error.
func (s *Server) ShutDown(ctx context.Context) error {
	var why *ros1.ShutdownError
	if !errors.As(context.Cause(ctx), &why) {
		return nil
	}
	if why.Taker != "" {
		return fmt.Errorf("%w: the run ends", why)
	}
	s.printf("%v: the run ends", why)
	return nil
}

// Close disconnects the simulation.
func (s *Server) Close() {
	for _, w := range slices.Backward(s.web) {
		w.Close()
	}
	for _, l := range s.beliefs {
		l.Close()
	}
	if s.interfaces != nil {
		s.interfaces.Close()
	}
	for _, b := range s.bridges {
		b.Close()
	}
	if s.refused != nil {
		s.refused.close()
	}
	if s.ros != nil {
		s.ros.close()
	}
	if s.ros2 != nil {
		s.ros2.Close()
	}
}
