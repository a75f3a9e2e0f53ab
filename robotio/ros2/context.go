package ros2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// Range says which participants are found.
type Range = rtps.Range

// The ranges of ROS_AUTOMATIC_DISCOVERY_RANGE.
const (
	Localhost = rtps.Localhost // those on this machine; sockets listen on loopback only
	Subnet    = rtps.Subnet    // those that multicast reaches
	Off       = rtps.Off       // none
)

// Config configures a context. The zero value is a context of Jazzy in domain 0 that finds others on this machine.
type Config struct {
	// Distribution selects the definitions of messages, unless Types is set: "humble", or "jazzy" for Iron and all
	// later ones, which is the default. Nodes of other distributions are found in both cases.
	Distribution string
	Domain       int // ROS_DOMAIN_ID, 0 to 232
	Range        Range
	StaticPeers  []netip.Addr // machines that are looked for, too
	// Multicast also uses the multicast group on loopback, for nodes of Humble with ROS_LOCALHOST_ONLY=1.
	Multicast bool
	Types     *msg.Library // message and service types, of ROS 2
	Log       *slog.Logger // nil discards it
}

// FromEnv sets distribution, domain, range and static peers from the variables of ROS 2, of which getenv returns the
// values. A variable that is not set changes nothing.
func (c *Config) FromEnv(getenv func(string) string) error {
	if getenv("ROS_DISTRO") == "humble" { // others may be of ROS 1
		c.Distribution = "humble"
	}
	p := c.participant()
	if err := p.FromEnv(getenv); err != nil {
		return fmt.Errorf("ros 2: %w", err)
	}
	c.Domain, c.Range, c.StaticPeers, c.Multicast = p.Domain, p.Range, p.StaticPeers, p.Multicast
	return nil
}

func (c *Config) participant() rtps.Config {
	return rtps.Config{Domain: c.Domain, Range: c.Range, StaticPeers: c.StaticPeers, Multicast: c.Multicast,
		UserData: "enclave=/;"}
}

// Context is a participant of DDS with nodes.
type Context struct {
	types    *msg.Library
	part     *rtps.Participant
	graph    *graph
	log      *slog.Logger
	warnings *rate.Limiter
	held     atomic.Int64 // bytes of messages and requests that wait for callbacks

	ctx  context.Context // ends when the context closes
	stop context.CancelFunc
	wait sync.WaitGroup

	mu     sync.Mutex
	closed bool
	nodes  []*Node
	codecs sync.Map // from codecKey to *msg.Codec
}

// Open starts a participant without nodes. It returns an error if the configuration is invalid, or if no port of the
// domain is free.
func Open(cfg Config) (*Context, error) {
	c := &Context{types: cfg.Types, log: cfg.Log, warnings: rate.NewLimiter(maxWarnings, maxWarnings)}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if c.types == nil {
		if c.types, err = msg.LoadROS2(cmp.Or(cfg.Distribution, "jazzy")); err != nil {
			return nil, fmt.Errorf("ros 2: %w", err)
		}
	}
	if c.part, err = rtps.Open(cfg.participant()); err != nil {
		return nil, fmt.Errorf("ros 2: %w", err)
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	if c.graph, err = openGraph(c); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("ros 2: %w", err)
	}
	return c, nil
}

// Close tells other participants that all nodes are gone, and waits for callbacks. Messages that have not been sent are
// dropped. A second call returns nil.
func (c *Context) Close() error {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	c.mu.Unlock()
	if was {
		return nil
	}
	c.stop()
	err := c.part.Close()
	c.wait.Wait()
	return err
}

// Types returns the library of message and service types.
func (c *Context) Types() *msg.Library { return c.types }

// spawn runs f in a goroutine, for which Close waits. It returns false if the context is closed.
func (c *Context) spawn(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.wait.Go(f)
	}
	return !c.closed
}

// maxHeld is the maximum number of bytes that wait for callbacks in all nodes. It is that of the participant.
const maxHeld = 256 << 20

// hold reserves memory for n bytes that wait for a callback, and reports whether there was room.
func (c *Context) hold(n int) bool {
	if c.held.Add(int64(n)) > maxHeld {
		c.release(n)
		return false
	}
	return true
}

func (c *Context) release(n int) { c.held.Add(-int64(n)) }

// maxWarnings is the maximum number of warnings about peers per second. 10 is a guess: a user cannot read more.
const maxWarnings = 10

// warn logs an error of a peer, if there are not too many.
func (c *Context) warn(text string, args ...any) {
	if c.warnings.Allow() {
		c.log.Warn("ros 2: "+text, args...)
	}
}

// Node is a node of the ROS graph.
type Node struct {
	c               *Context
	namespace, name string
	closed          bool
	entities        []*entity // guarded by Context.mu
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
	c.graph.publish()
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
	c.graph.publish()
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

// entity is a publisher, a subscriber, a service or a client: up to one writer and one reader.
type entity struct {
	node   *Node
	name   string
	writer *rtps.Writer
	reader *rtps.Reader
	stop   func() // is called once when the entity is closed; may be nil
}

// Topic returns the resolved name of the topic or the service.
func (e *entity) Topic() string { return e.name }

// errNotROS2 means that a definition comes from a library of ROS 1.
var errNotROS2 = errors.New("must be a type of ROS 2")

// write makes the entity's writer. def is that of the messages; extra comes before the type hash.
func (e *entity) write(prefix, suffix string, def *msg.Definition, q QoS, extra string, p *peers) (err error) {
	if !def.ROS2() {
		return fmt.Errorf("%s: %w", def.Name, errNotROS2)
	}
	e.writer, err = e.node.c.part.NewWriter(rtps.WriterConfig{Topic: prefix + e.name + suffix,
		Type: ddsType(def.TypeName), QoS: q, UserData: userData(extra, def), OnMatch: p.match})
	return err
}

// read makes the entity's reader.
func (e *entity) read(prefix, suffix string, def *msg.Definition, q QoS, extra string, p *peers,
	f func([]byte, rtps.Info)) (err error) {
	if !def.ROS2() {
		return fmt.Errorf("%s: %w", def.Name, errNotROS2)
	}
	e.reader, err = e.node.c.part.NewReader(rtps.ReaderConfig{Topic: prefix + e.name + suffix,
		Type: ddsType(def.TypeName), QoS: q, UserData: userData(extra, def), OnSample: f, OnMatch: p.match})
	return err
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
	c.graph.publish()
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
	c.graph.publish()
	return nil
}

func (e *entity) end() {
	if e.writer != nil {
		e.writer.Close()
	}
	if e.reader != nil {
		e.reader.Close()
	}
	if e.stop != nil {
		e.stop()
	}
}
