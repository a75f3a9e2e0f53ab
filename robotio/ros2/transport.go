package ros2

import (
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// Transport says how nodes reach each other. All nodes of a graph need the same transport.
type Transport int

// The transports.
const (
	DDS   Transport = iota // RTPS over UDP, as rmw_fastrtps_cpp and rmw_cyclonedds_cpp
	Zenoh                  // TCP to a Zenoh router, as rmw_zenoh_cpp
)

// transport carries what the nodes of a context send and receive. It tells the context's graph about the nodes and the
// endpoints of others. Topics, types and user data of endpoints are those of DDS, whatever the transport.
type transport interface {
	newWriter(*Node, rtps.WriterConfig) (writer, error)
	// matchChanges returns a number that changes after the NumMatched of a writer has.
	matchChanges() uint64
	newReader(*Node, rtps.ReaderConfig) (reader, error)
	// serve makes the ends of a service, which then gets requests by Service.handleRequest.
	serve(*Service, *msg.ServiceDefinition) error
	// client makes the ends of a client, and its asker.
	client(*caller, *msg.ServiceDefinition) error
	// announce tells others which nodes there are. The caller holds Context.mu.
	announce()
	Close() error
}

// writer sends the messages of a publisher.
type writer interface {
	reader
	Write(rtps.Outgoing) (seq int64, err error)
	NumMatched() int // readers that get the messages
}

// reader receives the messages of a subscriber.
type reader interface {
	GUID() rtps.GUID
	Known(rtps.Prefix) bool // whether another participant knows the endpoint
	Close()
}
