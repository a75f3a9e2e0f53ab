package ros1

import (
	"context"
	"io"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

var _ wire.Node = (*Node)(nil)

// Version returns msg.ROS1.
func (n *Node) Version() msg.Version { return msg.ROS1 }

// SubscriberChanges returns a number that changes after the number of subscribers of a publisher has.
func (n *Node) SubscriberChanges() uint64 { return n.subscriberChanges.Load() }

// Advertise is AdvertiseRaw as a method, for wire.Node. So are the methods below.
func (n *Node) Advertise(topic string, def *msg.Definition, o PubOptions) (wire.Publisher, error) {
	p, err := AdvertiseRaw(n, topic, def, o)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Subscribe is SubscribeAs.
func (n *Node) Subscribe(topic string, def *msg.Definition, f func(b []byte) error) (wire.Subscriber, error) {
	return subscribed(SubscribeAs(n, topic, def, f))
}

// SubscribeOthers is the function of the same name.
func (n *Node) SubscribeOthers(topic string, def *msg.Definition, f func(b []byte) error) (wire.Subscriber, error) {
	return subscribed(SubscribeOthers(n, topic, def, f))
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

// Serve is ServeRaw.
func (n *Node) Serve(name string, def *msg.ServiceDefinition, f func(ctx context.Context, request,
	out []byte) ([]byte, error)) (io.Closer, error) {
	return ServeRaw(n, name, def, f)
}

// ServeAction is ServeActionRaw.
func (n *Node) ServeAction(name string, def *msg.ActionDefinition, now func() msg.Time,
	accept func(goal []byte) (Execution, error)) (io.Closer, error) {
	return ServeActionRaw(n, name, def, now, accept)
}

// Call is CallRaw.
func (n *Node) Call(ctx context.Context, name string, def *msg.ServiceDefinition, request []byte) ([]byte, error) {
	return CallRaw(ctx, n, name, def, request)
}

// State is the method Graph.
func (n *Node) State(ctx context.Context) (*graph.State, error) { return n.Graph(ctx) }
