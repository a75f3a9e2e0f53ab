// Package wire describes what nodes of ROS 1 and nodes of ROS 2 have in common, so that the bridge of a simulation
// works with both. The packages ros1 and ros2 implement Node.
package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// Node is a node of a ROS graph. Names are resolved as ROS resolves them for the node.
type Node interface {
	Name() string
	Version() msg.Version
	Close() error

	// MessageType and ServiceType return definitions from the node's library, or msg.ErrUnknown.
	MessageType(typ string) (*msg.Definition, error)
	ServiceType(typ string) (*msg.ServiceDefinition, error)

	// SubscriberChanges returns a number that changes after the NumSubscribers of one of the node's publishers has. It
	// is fast: it costs one atomic load.
	SubscriberChanges() uint64
	// Advertise makes a publisher of encoded messages.
	Advertise(topic string, def *msg.Definition, o PubOptions) (Publisher, error)
	// Subscribe calls f with each message of a topic from publishers with the type def, one message at a time. f may
	// read the bytes until it returns. An error that f returns is logged.
	Subscribe(topic string, def *msg.Definition, f func(b []byte) error) (Subscriber, error)
	// SubscribeOthers is like Subscribe, but leaves out messages that the node itself publishes.
	SubscribeOthers(topic string, def *msg.Definition, f func(b []byte) error) (Subscriber, error)
	// SubscribeAny is like Subscribe, but receives messages of any type.
	SubscribeAny(topic string, f func(from *Source, b []byte)) (Subscriber, error)

	// Serve offers a service. The function f receives the encoded request and appends the encoded response to out. Its
	// context ends when the node closes. In ROS 1, the caller receives the text of an error. ROS 2 cannot send one: the
	// caller receives a response of zeros, with the text in the field message if the response has such a field.
	Serve(name string, def *msg.ServiceDefinition,
		f func(ctx context.Context, request, out []byte) ([]byte, error)) (io.Closer, error)
	// ServeAction offers an action. The function now returns the time of the messages. The function accept receives an
	// encoded goal, and returns the function that pursues the goal, or an error to reject it.
	ServeAction(name string, def *msg.ActionDefinition, now func() msg.Time,
		accept func(goal []byte) (Execution, error)) (io.Closer, error)
	// Call calls a service once with an encoded request, and returns the encoded response. It returns an error that
	// wraps ErrNoService if nobody offers the service.
	Call(ctx context.Context, name string, def *msg.ServiceDefinition, request []byte) ([]byte, error)

	// KeepParam sets a parameter, also after a restart of the master. GetParam returns ErrNoParam for a parameter that
	// is not set.
	KeepParam(name string, value any) error
	GetParam(name string) (any, error)

	// Announce makes subscribers that may have missed the publishers of topics find them.
	Announce(topics []string)
	// State returns the topics and services of all nodes.
	State(ctx context.Context) (*graph.State, error)
}

var (
	// ErrNoService means that nobody offers a service.
	ErrNoService = errors.New("no provider")
	// ErrNoParam means that a parameter is not set.
	ErrNoParam = errors.New("not set")
)

// PubOptions configures a publisher. The zero value means the convention for the topic.
type PubOptions struct {
	Queue int  // maximum number of messages that wait for a slow subscriber; 0: as the convention says
	Latch bool // whether new subscribers receive the last message at once; in ROS 2: transient local
	// BestEffort makes a publisher of ROS 2 never send a message again that was lost. Subscribers that ask for reliable
	// messages do not connect to it.
	BestEffort bool
}

// Publisher publishes encoded messages on a topic.
type Publisher interface {
	Topic() string
	// Publish sends a message to all subscribers without waiting for them. The caller may change b afterwards.
	Publish(b []byte)
	// Fill sends a message, which consists of the bytes that the function fill appends, followed by the bytes tail.
	// Fill does not copy tail, which must stay unchanged until the function release has been called. release is called
	// once, possibly before Fill returns, and may be nil; then tail is copied or is never changed. If seq is not 0, it
	// becomes the Seq of the header in ROS 1. If the topic has no subscriber and is not latched, fill is not called.
	Fill(seq uint32, fill func(b []byte) []byte, tail []byte, release func())
	NumSubscribers() int
	Connections() []Connection
	Subscribers() []string // names of the nodes that subscribe
	Dropped() int64        // number of messages dropped for slow subscribers
	Close() error
}

// Subscriber receives the messages of a topic.
type Subscriber interface {
	Topic() string
	// Confirm makes Connections return only connections on which all messages arrive that are published from now on.
	Confirm()
	Connections() []Connection
	// OnMismatch makes the subscriber call f, on any goroutine, once for each publisher that has another type.
	OnMismatch(f func(*MismatchError))
	Mismatches() []*MismatchError
	Close() error
}

// Connection is a connection to a publisher or a subscriber of another node.
type Connection struct {
	Node string // name of the node; in ROS 2 empty as long as it is unknown
	ID   int    // number of the connection; newer connections have higher numbers
}

// Source describes the publisher of a message.
type Source struct {
	Publisher string          // name of the node
	Def       *msg.Definition // definition of the messages
	Latched   bool            // whether the publisher sends its last message to new subscribers
}

// Execution pursues a goal of an action. Its context ends when a client cancels the goal, or when the node closes. The
// function feedback sends an encoded feedback message. Execution returns the encoded result. If it returns an error,
// the goal is aborted, or canceled if its context has ended.
type Execution = func(ctx context.Context, feedback func([]byte)) (result []byte, err error)

// MismatchError means that a node publishes a topic with a type that differs from the type of this node's subscription.
// No messages from that node are received. In ROS 2 they are received if only the definitions differ, and may be
// misread.
type MismatchError struct {
	Topic, Publisher string // Publisher is the name of the node; empty if it is unknown
	Type, WantType   string // types of the publisher and of the subscriber; WantType is empty if it takes all it knows
	MD5, WantMD5     string // MD5 sums of the types in ROS 1
	Hash, WantHash   string // hashes of the types in ROS 2; nodes of Humble have none
	Strict           bool   // over Zenoh: messages with another definition do not arrive
}

func (e *MismatchError) Error() string {
	if e.Type == e.WantType && e.Hash != "" && !e.Strict {
		return fmt.Sprintf("topic %s: %s: its messages may be misread", e.Topic, e.Types())
	}
	return fmt.Sprintf("topic %s: %s: its messages are not taken", e.Topic, e.Types())
}

// Types describes both types. It includes the MD5 sums or hashes if the types have the same name but different
// definitions.
func (e *MismatchError) Types() string {
	who := cmp.Or(e.Publisher, "a node without a name")
	switch {
	case e.WantType == "":
		return fmt.Sprintf("%s publishes %s, whose definition is unknown here", who, e.Type)
	case e.Type == e.WantType && e.Hash != "":
		return fmt.Sprintf("%s publishes another %s (hash %s, here %s)", who, e.Type, e.Hash, e.WantHash)
	case e.Type == e.WantType:
		return fmt.Sprintf("%s publishes another %s (md5 %s, here %s)", who, e.Type, e.MD5, e.WantMD5)
	}
	return fmt.Sprintf("%s publishes %s, here it is %s", who, e.Type, e.WantType)
}
