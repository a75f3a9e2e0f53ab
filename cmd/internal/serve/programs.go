package serve

import (
	"context"
	"io"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/dashboard"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds"
)

// OpenAlone connects a simulation to programs that the caller starts, and to nothing else. All masters listen on
// loopback at free ports, so any number of simulations can be connected at the same time. The argument topics is the
// Topics of the simulation's Options, or nil. OpenAlone prints refused commands to errs. If ctx ends before the
// simulation is connected, it returns console.ErrInterrupted.
func OpenAlone(ctx context.Context, errs io.Writer, w *worlds.World, sim *omnipitch.Sim,
	topics *robotio.Topics) (*Server, error) {
	return Open(ctx, console.Streams{Out: io.Discard, Err: errs}, w, sim, robotio.Options{Topics: topics},
		Flags{ROS1: MasterChoice{kind: "embedded", port: "0", alone: true}}, Access{})
}

// Environment returns the environment variables that a program on this machine needs to join a ROS graph. This is the
// graph of a robot or, if robot is empty, that of the simulation.
func (s *Server) Environment(robot string) map[string]string {
	env := map[string]string{"ROS_MASTER_URI": s.masterURI(robot)}
	if s.ros.master != nil && !s.at.open() {
		env["ROS_IP"], env["ROS_HOSTNAME"] = loopback, loopback
	}
	return env
}

func (s *Server) masterURI(robot string) string {
	if m := s.ros.own[robot]; m.master != nil {
		return m.master.URI()
	}
	return s.ros.uri
}

// node returns the simulator's node in the graph of a robot.
func (s *Server) node(robot string) *ros1.Node {
	if m := s.ros.own[robot]; m.node != nil {
		return m.node
	}
	return s.ros.node
}

// Others holds the nodes of a ROS graph, except the nodes of the simulator.
type Others struct {
	node  *ros1.Node
	state *graph.State
	ours  map[string]bool
}

// Others asks a master for the nodes of its graph, except the nodes of the simulator. This is the master of a robot or,
// if robot is empty, that of the simulation.
func (s *Server) Others(ctx context.Context, robot string) (*Others, error) {
	state, err := graph.FetchNodes(ctx, s.masterURI(robot), graph.Anonymous)
	if err != nil {
		return nil, err
	}
	o := &Others{s.node(robot), state, map[string]bool{"/rosout": true}}
	for _, n := range append(s.nodes(), o.node) {
		o.ours[n.Name()] = true
	}
	return o, nil
}

// Subscribe reports whether a node other than the simulator's subscribes to a topic. If the simulator publishes the
// topic, the node must also be connected to the simulator.
func (o *Others) Subscribe(topic string) bool {
	out, publishes := o.node.Subscribers(topic)
	return o.has(o.state.Subscribers[topic]) && (out > 0 || !publishes)
}

// Publish reports whether a node other than the simulator's publishes a topic. If the simulator subscribes to the
// topic, the node must also be connected to the simulator.
func (o *Others) Publish(topic string) bool {
	in, subscribes := o.node.Publishers(topic)
	return o.has(o.state.Publishers[topic]) && (in > 0 || !subscribes)
}

func (o *Others) has(nodes []string) bool {
	return slices.ContainsFunc(nodes, func(n string) bool { return !o.ours[n] })
}

// beliefsNode is the name of the node that subscribes to the beliefs of robots.
const beliefsNode = "/omnipitch_beliefs"

// Beliefs returns what the programs of robots believe about the world. A caller that shows beliefs must call Beliefs
// periodically. If nobody calls it, the subscriptions to the beliefs end.
func (s *Server) Beliefs() []belief.Robot { return s.beliefs.Beliefs() }

// openBeliefs prepares the subscriptions that Beliefs needs.
func (s *Server) openBeliefs() {
	s.beliefs = robotio.NewBeliefs(s.bridge, func(beside wire.Node) (wire.Node, error) {
		uri := s.ros.uri
		for _, own := range s.ros.own {
			if own.node == beside {
				uri = own.master.URI()
			}
		}
		return s.at.node(ros1.NodeConfig{Name: beliefsNode, MasterURI: uri, Types: s.bridge.Types(),
			Ignore: []string{beside.(*ros1.Node).URI()}})
	}, func(err error) { s.printf("what robots believe is not known: %v", err) })
}

// graph returns the topics at all masters.
func (s *Server) graph(ctx context.Context) ([]dashboard.Topic, error) {
	all, err := s.bridge.Graph(ctx, s.beliefs)
	topics := make([]dashboard.Topic, len(all))
	for i, t := range all {
		topics[i] = dashboard.Topic{Robot: t.Robot, Name: t.Name, Type: t.Type, Publishers: t.Publishers,
			Listeners: t.Subscribers, Measured: t.Measured, Rate: t.Rate, Last: t.Last}
	}
	return topics, err
}
