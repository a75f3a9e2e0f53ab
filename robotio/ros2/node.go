package ros2

import (
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// Node is a node of the ROS graph.
type Node struct {
	c               *Context
	namespace, name string
	closed          bool
	entities        []*entity // guarded by Context.mu
	params          parameters
	logging         sync.Once
	logger          *slog.Logger
}

// NewNode adds a node, given by its name such as /omnipitch. It returns an error if the name is invalid, or if the
// context has a node of that name.
func (c *Context) NewNode(name string) (*Node, error) {
	space, base, err := splitNode(name)
	if err != nil {
		return nil, fmt.Errorf("ros 2: %w", err)
	}
	n := &Node{c: c, namespace: space, name: base}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, n.errorf("%w", net.ErrClosed)
	}
	if slices.ContainsFunc(c.nodes, func(o *Node) bool { return o.Name() == n.Name() }) {
		return nil, n.errorf("this process has a node of that name already")
	}
	c.nodes = append(c.nodes, n)
	c.transport.announce()
	return n, nil
}

// Name returns the node's absolute name.
func (n *Node) Name() string {
	if n.namespace == "/" {
		return "/" + n.name
	}
	return n.namespace + "/" + n.name
}

// Close closes all publishers, subscribers, services and clients of the node, and removes it from the graph. Callbacks
// that are running may still finish.
func (n *Node) Close() error {
	c := n.c
	c.mu.Lock()
	all := slices.Clone(n.entities)
	n.closed = true
	c.nodes = slices.DeleteFunc(c.nodes, func(o *Node) bool { return o == n })
	c.mu.Unlock()
	for _, e := range all {
		_ = e.Close() // never fails
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.transport.announce()
	return nil
}

func (n *Node) errorf(format string, args ...any) error {
	return fmt.Errorf("ros 2 node %s: "+format, append([]any{n.Name()}, args...)...)
}

// MessageType returns the definition of a message type from the context's library. It returns msg.ErrUnknown if the
// library lacks the type.
func (n *Node) MessageType(typ string) (*msg.Definition, error) {
	return n.c.types.Message(libraryName(typ))
}

// ServiceType returns the definition of a service type from the context's library. It returns msg.ErrUnknown if the
// library lacks the type.
func (n *Node) ServiceType(typ string) (*msg.ServiceDefinition, error) {
	return n.c.types.Service(libraryName(typ))
}

// codecKey identifies a compiled codec by a type name of ROS 2 and a Go type.
type codecKey struct {
	name string
	typ  reflect.Type
}

// codecFor returns the codec that converts between T and messages of a definition.
func codecFor[T any](n *Node, def *msg.Definition) (*msg.Codec[T], error) {
	key := codecKey{def.TypeName, reflect.TypeFor[T]()}
	if c, ok := n.c.codecs.Load(key); ok {
		return c.(*msg.Codec[T]), nil
	}
	c, err := msg.Compile[T](def)
	if err == nil {
		n.c.codecs.Store(key, c)
	}
	return c, err
}

func messageCodec[T any](n *Node, typ string) (*msg.Codec[T], error) {
	def, err := n.MessageType(typ)
	if err != nil {
		return nil, err
	}
	return codecFor[T](n, def)
}

// entity is a publisher, a subscriber, a service or a client: up to one writer and one reader. A subscriber of any type
// has any number of readers.
type entity struct {
	node   *Node
	name   string
	writer writer
	reader reader
	ends   []end  // all of them; guarded by Context.mu when the entity has started
	stop   func() // is called once when the entity is closed; may be nil
}

// end is a writer or a reader. Of the endpoint, only GUID, kind, topic and type are set.
type end struct {
	rtps.Endpoint
	close func()
}

// Topic returns the resolved name of the topic or the service.
func (e *entity) Topic() string { return e.name }

// checkROS2 returns an error if a definition comes from a library of ROS 1.
func checkROS2(def *msg.Definition) error {
	if !def.ROS2() {
		return fmt.Errorf("%s: must be a type of ROS 2", def.Name)
	}
	return nil
}

// write makes the entity's writer. def is that of the messages; extra comes before the type hash.
func (e *entity) write(prefix, suffix string, def *msg.Definition, q QoS, extra string, p *peers) (err error) {
	if err := checkROS2(def); err != nil {
		return err
	}
	topic, typ := prefix+e.name+suffix, ddsType(def.TypeName)
	e.writer, err = e.node.c.transport.newWriter(e.node, rtps.WriterConfig{Topic: topic, Type: typ, QoS: q,
		UserData: userData(extra, def), OnMatch: p.match})
	if err == nil {
		e.add(e.writer, rtps.Endpoint{Writer: true, Topic: topic, Type: typ})
	}
	return err
}

// read makes the entity's reader.
func (e *entity) read(prefix, suffix string, def *msg.Definition, q QoS, extra string, p *peers,
	f func([]byte, rtps.Info)) (err error) {
	if err := checkROS2(def); err != nil {
		return err
	}
	topic, typ := prefix+e.name+suffix, ddsType(def.TypeName)
	e.reader, err = e.node.c.transport.newReader(e.node, rtps.ReaderConfig{Topic: topic, Type: typ, QoS: q,
		UserData: userData(extra, def), OnSample: f, OnMatch: p.match})
	if err == nil {
		e.add(e.reader, rtps.Endpoint{Topic: topic, Type: typ})
	}
	return err
}

// add adds an end to an entity that has not started.
func (e *entity) add(x reader, of rtps.Endpoint) {
	of.GUID = x.GUID()
	e.ends = append(e.ends, end{of, x.Close})
}

func userData(extra string, def *msg.Definition) string {
	if def.Hash == "" {
		return extra
	}
	return extra + "typehash=" + def.Hash + ";"
}

// start adds the entity to its node, or closes it if err is not nil.
func (e *entity) start(err error) error {
	c := e.node.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || e.node.closed {
		err = net.ErrClosed
	}
	if err != nil {
		e.end()
		return e.node.errorf("%s: %w", e.name, err)
	}
	e.node.entities = append(e.node.entities, e)
	c.transport.announce()
	return nil
}

// Close closes the publisher, subscriber, service or client. A callback that is running may still finish. Close never
// fails.
func (e *entity) Close() error {
	c := e.node.c
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(e.node.entities, e)
	if i < 0 {
		return nil
	}
	e.node.entities = slices.Delete(e.node.entities, i, i+1)
	e.end()
	c.transport.announce()
	return nil
}

// addEnd adds an end to an entity that has started. If the entity is closed, addEnd closes the end and returns false.
func (e *entity) addEnd(x end) bool {
	c := e.node.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(e.node.entities, e) {
		x.close()
		return false
	}
	e.ends = append(e.ends, x)
	c.transport.announce()
	return true
}

// removeEnd closes an end, if the entity has it.
func (e *entity) removeEnd(id rtps.GUID) {
	c := e.node.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(e.ends, func(x end) bool { return x.GUID == id }); i >= 0 {
		e.ends[i].close()
		e.ends = slices.Delete(e.ends, i, i+1)
		c.transport.announce()
	}
}

func (e *entity) end() {
	for _, x := range e.ends {
		x.close()
	}
	e.ends = nil
	if e.stop != nil {
		e.stop()
	}
}
