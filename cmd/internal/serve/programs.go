package serve

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/dashboard"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/msg"
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
	env := map[string]string{}
	if s.ros2 != nil {
		env["ROS_DOMAIN_ID"] = strconv.Itoa(s.ros2.config.Domain)
	}
	if s.ros == nil {
		return env
	}
	env["ROS_MASTER_URI"] = s.masterURI(robot)
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
	node   *ros1.Node // nil in ROS 2
	beside *Others    // the nodes of the other version of ROS, if both are on
	state  *graph.State
	ours   map[string]bool
}

// Others asks a master for the nodes of its graph, except the nodes of the simulator. This is the master of a robot or,
// if robot is empty, that of the simulation.
func (s *Server) Others(ctx context.Context, robot string) (o *Others, err error) {
	if s.ros2 != nil {
		if o, err = s.ros2.others(ctx); err != nil || s.ros == nil {
			return o, err
		}
	}
	state, err := graph.FetchNodes(ctx, s.masterURI(robot), graph.Anonymous)
	if err != nil {
		return nil, err
	}
	o = &Others{s.node(robot), o, state, map[string]bool{"/rosout": true}}
	for _, n := range append(s.nodes(), o.node) {
		o.ours[n.Name()] = true
	}
	return o, nil
}

// Subscribe reports whether a node other than the simulator's subscribes to a topic. If the simulator publishes the
// topic, the node must also be connected to the simulator.
func (o *Others) Subscribe(topic string) bool {
	if o == nil || !o.has(o.state.Subscribers[topic]) {
		return o != nil && o.beside.Subscribe(topic)
	}
	if o.node == nil { // in ROS 2, the graph shows what this node is connected to
		return true
	}
	out, publishes := o.node.Subscribers(topic)
	return out > 0 || !publishes || o.beside.Subscribe(topic)
}

// Publish reports whether a node other than the simulator's publishes a topic. If the simulator subscribes to the
// topic, the node must also be connected to the simulator.
func (o *Others) Publish(topic string) bool {
	if o == nil || !o.has(o.state.Publishers[topic]) {
		return o != nil && o.beside.Publish(topic)
	}
	if o.node == nil {
		return true
	}
	in, subscribes := o.node.Publishers(topic)
	return in > 0 || !subscribes || o.beside.Publish(topic)
}

func (o *Others) has(nodes []string) bool {
	return slices.ContainsFunc(nodes, func(n string) bool { return !o.ours[n] })
}

// beliefsNode is the name of the node that subscribes to the beliefs of robots.
const beliefsNode = "/omnipitch_beliefs"

// Beliefs returns what the programs of robots believe about the world, and of robots without such programs what they
// tell their teammates by Mitecom. A caller that shows beliefs must call Beliefs periodically. If nobody calls it, the
// subscriptions to the beliefs end.
func (s *Server) Beliefs() (all []belief.Robot) {
	add := func(more []belief.Robot) {
		for _, r := range more {
			if !slices.ContainsFunc(all, func(o belief.Robot) bool { return o.Name == r.Name }) {
				all = append(all, r)
			}
		}
	}
	for _, l := range s.beliefs {
		add(l.Beliefs())
	}
	if len(s.bridges) > 0 {
		add(s.bridges[0].Told())
	}
	return all
}

// openBeliefs prepares the subscriptions that Beliefs needs.
func (s *Server) openBeliefs() {
	for _, b := range s.bridges {
		s.beliefs = append(s.beliefs, robotio.NewBeliefs(b, func(beside wire.Node) (wire.Node, error) {
			if beside.Version() == msg.ROS2 {
				return s.ros2.NewNode(beliefsNode)
			}
			uri := s.ros.uri
			for _, own := range s.ros.own {
				if own.node == beside {
					uri = own.master.URI()
				}
			}
			return s.at.node(ros1.NodeConfig{Name: beliefsNode, MasterURI: uri, Types: b.Types(),
				Ignore: []string{beside.(*ros1.Node).URI()}})
		}, func(err error) { s.printf("what robots believe is not known: %v", err) }))
	}
}

// graph returns the topics at all masters, and in ROS 2.
func (s *Server) graph(ctx context.Context) (topics []dashboard.Topic, err error) {
	var all []robotio.GraphTopic
	for i, b := range s.bridges {
		more, failed := b.Graph(ctx, s.beliefs[i])
		all, err = append(all, more...), cmp.Or(err, failed)
	}
	topics = make([]dashboard.Topic, len(all))
	for i, t := range all {
		topics[i] = dashboard.Topic{Robot: t.Robot, Name: t.Name, Type: t.Type, Publishers: t.Publishers,
			Listeners: t.Subscribers, Measured: t.Measured, Rate: t.Rate, Last: t.Last}
	}
	return topics, err
}
