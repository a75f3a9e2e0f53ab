package ros2

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	ros1graph "github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

var _ wire.Node = (*Node)(nil)

// Version returns msg.ROS2.
func (n *Node) Version() msg.Version { return msg.ROS2 }

// sequenced is a RawPublisher with the method Fill of wire.Publisher. ROS 2 does not number messages.
type sequenced struct{ *RawPublisher }

// Connections returns the connections to subscribers that receive everything that is published from now on.
func (p sequenced) Connections() []Connection {
	return p.readers.settled(p.node.c.graph, p.writer.Known)
}

func (p sequenced) Fill(_ uint32, fill func(b []byte) []byte, tail []byte, release func()) {
	p.RawPublisher.Fill(fill, tail, release)
}

// SubscriberChanges returns a number that changes after the number of subscribers of a publisher has.
func (n *Node) SubscriberChanges() uint64 { return n.c.transport.matchChanges() }

// Advertise is AdvertiseRaw as a method, for wire.Node. So are the methods below.
func (n *Node) Advertise(topic string, def *msg.Definition, o wire.PubOptions) (wire.Publisher, error) {
	p, err := AdvertiseRaw(n, topic, def, o)
	if err != nil {
		return nil, err
	}
	return sequenced{p}, nil
}

// Subscribe is SubscribeAs, with the QoS of SubscriptionQoS.
func (n *Node) Subscribe(topic string, def *msg.Definition, f func(b []byte) error) (wire.Subscriber, error) {
	return subscribed(SubscribeAs(n, topic, def, SubscriptionQoS(topic), f))
}

// SubscribeOthers is Subscribe, because nodes of the same context do not receive each other's messages.
func (n *Node) SubscribeOthers(topic string, def *msg.Definition, f func(b []byte) error) (wire.Subscriber, error) {
	return n.Subscribe(topic, def, f)
}

// SubscribeAny is SubscribeRaw.
func (n *Node) SubscribeAny(topic string, f func(from *Source, b []byte)) (wire.Subscriber, error) {
	return subscribed(SubscribeRaw(n, topic, f))
}

// subscribed returns a nil interface if there is an error.
func subscribed(s *Subscriber, err error) (wire.Subscriber, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Serve is ServeRaw with an answer for failures: a response of zeros, with the text of the error in its field message.
func (n *Node) Serve(name string, def *msg.ServiceDefinition, f func(ctx context.Context, request,
	out []byte) ([]byte, error)) (io.Closer, error) {
	codec, err := dynamic.Compile(def.Response)
	if err != nil {
		return nil, n.errorf("service %s: %w", name, err)
	}
	return ServeRaw(n, name, def, func(ctx context.Context, request, out []byte) ([]byte, error) {
		start := len(out)
		b, err := f(ctx, request, out)
		if err == nil {
			return b, nil
		}
		text, _ := json.Marshal(map[string]string{"message": err.Error()}) // cannot fail
		answer, wrong := codec.AppendROS(b[:start], text, msg.Time{})
		if wrong != nil { // the response has no such field
			answer, _ = codec.AppendROS(b[:start], []byte("{}"), msg.Time{})
		}
		return answer, err
	})
}

// ServeAction is ServeActionRaw.
func (n *Node) ServeAction(name string, def *msg.ActionDefinition, now func() msg.Time,
	accept func(goal []byte) (wire.Execution, error)) (io.Closer, error) {
	s, err := ServeActionRaw(n, name, def.ROS2, now, accept)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Call is CallRaw.
func (n *Node) Call(ctx context.Context, name string, def *msg.ServiceDefinition, request []byte) ([]byte, error) {
	return CallRaw(ctx, n, name, def, request)
}

// KeepParam declares a read-only parameter, or changes its value. In ROS 2, a parameter belongs to a node: the name
// loses the node's name at its start, and has dots instead of slashes. KeepParam leaves out maps, and use_sim_time,
// which each node sets for itself.
func (n *Node) KeepParam(name string, value any) error {
	name = strings.Trim(strings.TrimPrefix(name, n.Name()+"/"), "/")
	value, ok := paramOf(value)
	if name = strings.ReplaceAll(name, "/", "."); !ok || name == "use_sim_time" {
		return nil
	}
	n.params.mu.Lock()
	p := n.params.all[name]
	n.params.mu.Unlock()
	if p != nil {
		return p.Update(value)
	}
	_, err := n.DeclareParam(name, value, ParamOptions{})
	return err
}

// paramOf converts the value of a parameter of ROS 1. It returns false for maps, and for lists of different types.
func paramOf(value any) (any, bool) {
	switch v := value.(type) {
	case int:
		return int64(v), true
	case []any:
		if list, ok := listOf[string](v); ok {
			return list, true
		} else if list, ok := listOf[float64](v); ok {
			return list, true
		} else if list, ok := listOf[bool](v); ok {
			return list, true
		}
		ints, ok := listOf[int](v)
		list := make([]int64, len(ints))
		for i, x := range ints {
			list[i] = int64(x)
		}
		return list, ok
	case map[string]any:
		return nil, false
	}
	return value, true
}

// listOf returns a list whose elements all have the type T.
func listOf[T any](list []any) ([]T, bool) {
	all := make([]T, len(list))
	for i, x := range list {
		var ok bool
		if all[i], ok = x.(T); !ok {
			return nil, false
		}
	}
	return all, true
}

// GetParam returns wire.ErrNoParam.
func (n *Node) GetParam(string) (any, error) { return nil, wire.ErrNoParam }

// Announce does nothing: discovery repeats announcements by itself.
func (n *Node) Announce([]string) {}

// Confirm makes Connections return only the connections to publishers that know the subscriber.
func (s *Subscriber) Confirm() { s.confirm.Store(true) }

// State is the method Graph, in the form that ROS 1 has.
func (n *Node) State(context.Context) (*ros1graph.State, error) {
	g := n.Graph()
	s := &ros1graph.State{Publishers: g.Publishers, Subscribers: g.Subscribers, Services: g.Services,
		Types: map[string]string{}}
	for topic, types := range g.Types {
		s.Types[topic] = types[0]
	}
	return s, nil
}
