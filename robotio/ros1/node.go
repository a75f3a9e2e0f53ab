package ros1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// Node is a node of the ROS graph.
type Node struct {
	name, master, uri, host string
	listen                  string
	port                    int // TCPROS port
	types                   *msg.Library
	maxMessage              int
	onMaster                func(error)
	ignore                  []string
	log                     *slog.Logger // log for messages of this package
	logger                  *slog.Logger // log for the program, see Logger

	ctx          context.Context // ends when the node closes
	cancel       context.CancelFunc
	tcp          *net.TCPListener
	slave        *xmlrpc.Server
	plans        sync.Map // planKey → *msg.Codec
	ids          atomic.Int32
	unreachables atomic.Int32  // number of unreachable subscribers, see unreachable
	masterPID    int           // process id of the master at the last registration
	warnings     *rate.Limiter // limits the warnings about peers
	leftOut      atomic.Int64  // number of warnings suppressed since the last warning
	known        knownNodes
	done         chan struct{}
	once         sync.Once
	wait         sync.WaitGroup

	// Totals of all services since the node began. The numbers of bytes include the length fields.
	requests, requestBytes, responseBytes atomic.Int64
	subscriberChanges                     atomic.Uint64 // number of subscribers that have come or gone

	mu         sync.Mutex
	closed     bool
	cause      *ShutdownError
	keptParams map[string]any // parameters that are set again after the master has restarted
	pubs       map[string]*publication
	subs       map[string]*subscription
	srvs       map[string]*Service
	peers      *admission.Table             // connections that peers have opened
	dials      map[*net.TCPConn]struct{}    // connections that this node has opened
	sequencers map[string]*tcpros.Sequencer // sequencers by name of the subscriber's node
}

// NewNode starts a node, which listens at two ports. It returns an error in these cases: the configuration is invalid,
// the host is not an address of this machine, or the master does not answer.
func NewNode(cfg NodeConfig) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	log := cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	host := cmp.Or(cfg.Host, "127.0.0.1")
	n := &Node{name: graph.Canonical("/" + cfg.Name), master: cmp.Or(cfg.MasterURI, DefaultMasterURI), host: host,
		listen: cmp.Or(cfg.Listen, host), types: cfg.Types, maxMessage: cmp.Or(cfg.MaxMessage, defaultMaxMessage),
		log:    log,
		logger: log, done: make(chan struct{}), pubs: map[string]*publication{}, subs: map[string]*subscription{},
		srvs: map[string]*Service{}, dials: map[*net.TCPConn]struct{}{}, sequencers: map[string]*tcpros.Sequencer{},
		warnings: rate.NewLimiter(maxWarnings, maxWarnings), keptParams: map[string]any{}, onMaster: cfg.OnMaster,
		ignore: cfg.Ignore,
		peers:  admission.NewTable(admission.Fit(maxConns, connsShare), admission.Fit(maxPending, pendingShare))}
	if n.onMaster == nil {
		n.onMaster = func(error) {}
	}
	if n.types == nil {
		var err error
		if n.types, err = msg.Load("nubot"); err != nil {
			return nil, err
		}
	}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	if err := n.start(cfg.Rosout, cfg.Access); err != nil {
		n.cancel()
		return nil, err
	}
	return n, nil
}

// start checks that the master answers, and opens the ports at which the node listens.
func (n *Node) start(rosout bool, rule access.Rule) (err error) {
	pid, err := n.callMaster(n.ctx, "getPid")
	if err != nil {
		return n.errorf("%w: is a master running there?", err)
	}
	n.masterPID, _ = pid.(int)
	what := "host"
	if n.listen != n.host {
		what = "listen"
	}
	keep := net.ListenConfig{KeepAliveConfig: tcpros.KeepAlive}
	tcp, err := keep.Listen(n.ctx, "tcp", net.JoinHostPort(n.listen, "0"))
	if err != nil {
		return n.errorf("%s = %q: must be an address of this machine: %w", what, n.listen, err)
	}
	rpc, err := keep.Listen(n.ctx, "tcp", net.JoinHostPort(n.listen, "0"))
	if err != nil {
		tcp.Close()
		return n.errorf("%s = %q: %w", what, n.listen, err)
	}
	n.tcp = tcp.(*net.TCPListener)
	n.port = tcp.Addr().(*net.TCPAddr).Port
	n.uri = "http://" + net.JoinHostPort(n.host, strconv.Itoa(rpc.Addr().(*net.TCPAddr).Port)) + "/"
	if rosout { // done before any goroutine can log
		err = n.openRosout()
	}
	n.slave = xmlrpc.Serve(rpc, rule.Guard("ros node "+n.name, n.log, n.host), n.answer)
	n.spawn(n.accept)
	n.spawn(n.keepRegistered)
	n.spawn(n.watchSubscribers)
	if err != nil {
		n.Close()
	}
	return err
}

// Name returns the node's absolute name.
func (n *Node) Name() string { return n.name }

// URI returns the address of the node's slave API.
func (n *Node) URI() string { return n.uri }

// Done returns a channel that is closed when the node has closed. The node closes when Close is called, by rosnode
// kill, or because another node has taken its name. Cause returns the reason.
func (n *Node) Done() <-chan struct{} { return n.done }

// closeTime is the maximum wall time that Close waits for a master that does not answer. 2 s is a guess.
const closeTime = 2 * time.Second

// Close unregisters everything, closes all sockets and waits for all goroutines. If the master does not answer, Close
// returns an error, but the node is closed anyway. A second call returns nil.
func (n *Node) Close() (err error) {
	n.once.Do(func() { err = n.close() })
	<-n.done
	return err
}

func (n *Node) close() error {
	n.mu.Lock()
	n.closed = true
	pubs, subs, srvs := n.pubs, n.subs, n.srvs
	n.pubs, n.subs, n.srvs = map[string]*publication{}, map[string]*subscription{}, map[string]*Service{}
	n.mu.Unlock()

	ctx, cancel := context.WithTimeout(n.ctx, closeTime)
	defer cancel()
	var err error
	unregister := func(args ...any) {
		if err == nil { // after one timeout, Close does not wait for the master again
			_, err = n.callMaster(ctx, args[0].(string), args[1:]...)
		}
	}
	for name := range srvs {
		unregister("unregisterService", name, n.serviceURI())
	}
	for name := range pubs {
		unregister("unregisterPublisher", name, n.uri)
	}
	for name := range subs {
		unregister("unregisterSubscriber", name, n.uri)
	}
	n.cancel()
	n.tcp.Close()
	n.slave.Close()
	for _, t := range pubs {
		t.close()
	}
	for _, t := range subs {
		t.close()
	}
	n.mu.Lock()
	for _, c := range n.peers.All() {
		c.Close()
	}
	for c := range n.dials {
		c.Close()
	}
	n.mu.Unlock()
	n.wait.Wait()
	close(n.done)
	if err != nil {
		return n.errorf("close: %w", err)
	}
	return nil
}

// add stores v, such as a publication or a service of the node, in a map under a name. It returns an error if the node
// is closed or the name is in use.
func add[T any](n *Node, all *map[string]T, name string, v T, verb string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return net.ErrClosed
	}
	if _, taken := (*all)[name]; taken {
		return fmt.Errorf("this node %s it already", verb)
	}
	(*all)[name] = v
	return nil
}

// spawn runs f in a goroutine, for which Close waits. If the node is closed, spawn does nothing.
func (n *Node) spawn(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.wait.Go(f)
	}
}

func (n *Node) nextID() int { return int(n.ids.Add(1)) }

func (n *Node) serviceURI() string {
	return "rosrpc://" + net.JoinHostPort(n.host, strconv.Itoa(n.port))
}

// resolve checks a name and returns its absolute form.
func (n *Node) resolve(name string) (string, error) {
	if err := graph.Check(name); err != nil {
		return "", err
	}
	return graph.Resolve(n.name, name), nil
}

// maxWarnings is the maximum number of warnings about peers per second. 10 is a guess: a user cannot read more.
const maxWarnings = 10

// warnPeer logs an error of a peer. It logs at most maxWarnings errors per second and suppresses the others. The next
// warning contains the number of suppressed warnings.
func (n *Node) warnPeer(text string, args ...any) {
	if !n.warnings.Allow() {
		n.leftOut.Add(1)
		return
	}
	if left := n.leftOut.Swap(0); left > 0 {
		args = append(args, slog.Int64("left_out", left))
	}
	n.log.Warn("ros node: "+text, append([]any{"node", n.name}, args...)...)
}

func (n *Node) errorf(format string, args ...any) error {
	return fmt.Errorf("ros node %s: "+format, append([]any{n.name}, args...)...)
}

// ShutdownError is the reason why a node closed although its method Close was not called.
type ShutdownError struct {
	Node   string
	By     string // caller id of the call of the API method shutdown; empty if there was no such call
	Reason string // text that the caller of shutdown gave
	Taker  string // URI of the node that took the name at the master; empty if no node took the name
}

func (e *ShutdownError) Error() string {
	if e.Taker != "" {
		return fmt.Sprintf("ros node %s: another node took its name: %s", e.Node, e.Taker)
	}
	return fmt.Sprintf("ros node %s: %.80q told it to shut down: %.200q", e.Node, e.By, e.Reason)
}

// Cause returns the reason why a node closed although Close was not called, as a *ShutdownError. It returns nil while
// the node is open, and also after a call of Close.
func (n *Node) Cause() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cause == nil {
		return nil // return an untyped nil, not a nil *ShutdownError
	}
	return n.cause
}

// closeFor closes the node and stores the cause. It does nothing if the node is closing already.
func (n *Node) closeFor(e *ShutdownError) {
	n.mu.Lock()
	if !n.closed && n.cause == nil {
		n.cause = e
	}
	n.mu.Unlock()
	n.Close()
}

// NodeConfig configures a node. Only Name is required.
type NodeConfig struct {
	Name       string       // name in the graph, such as /omnipitch; the slash at its start may be left out
	MasterURI  string       // URI of the master; DefaultMasterURI if empty
	Host       string       // host or address in the node's URIs; 127.0.0.1 if empty
	Listen     string       // address to listen at; Host if empty; 0.0.0.0 means all addresses
	Types      *msg.Library // message and service types; nil means the nubot dialect
	MaxMessage int          // maximum size of a received message or request in bytes; 0 means 64 MiB
	Access     access.Rule  // host names and web pages from which API calls are accepted
	Ignore     []string     // URIs of nodes to whose topics the node does not subscribe
	// OnMaster is called with an error when the master stops answering, and with nil when the node is registered again.
	// It must not close the node.
	OnMaster func(error)
	// whether to publish the log on /rosout, and to offer ~get_loggers and ~set_logger_level; see Node.Logger
	Rosout bool
	Log    *slog.Logger // log of the node; nil discards it
}

// defaultMaxMessage is the default of NodeConfig.MaxMessage. It is a guess: twice the size of a 4K bgr8 image.
const defaultMaxMessage = 64 << 20

// Validate returns an error that lists every invalid value.
func (c NodeConfig) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("ros node: "+format, args...)) }
	if err := graph.Check(c.Name); err != nil || c.Name == "/" || strings.HasPrefix(c.Name, "~") {
		bad("name = %q: must be a name of letters, digits, / and _", c.Name)
	}
	if u, err := url.Parse(c.MasterURI); c.MasterURI != "" && (err != nil || u.Scheme != "http" || u.Hostname() == "") {
		bad("master URI = %q: must be http://host:port/", c.MasterURI)
	}
	if c.Host != "" && !access.ValidHost(c.Host) {
		bad("host = %q: %s", c.Host, access.HostRule)
	}
	for _, err := range c.Access.Violations() {
		bad("%w", err)
	}
	if c.Listen != "" && net.ParseIP(c.Listen) == nil {
		bad("listen = %q: must be an address of this machine, or 0.0.0.0", c.Listen)
	}
	if c.MaxMessage < 0 {
		bad("max message = %d: must not be negative", c.MaxMessage)
	}
	return errors.Join(errs...)
}

// Subscribers returns the number of connected subscribers of a topic. publishes reports whether this node publishes the
// topic.
func (n *Node) Subscribers(topic string) (connected int, publishes bool) {
	n.mu.Lock()
	t := n.pubs[topic]
	n.mu.Unlock()
	if t == nil {
		return 0, false
	}
	return t.NumSubscribers(), true
}

// Publishers returns the number of connected publishers of a topic. subscribes reports whether this node subscribes to
// the topic.
func (n *Node) Publishers(topic string) (connected int, subscribes bool) {
	n.mu.Lock()
	t := n.subs[topic]
	n.mu.Unlock()
	if t == nil {
		return 0, false
	}
	for _, l := range t.connections() {
		if l.connected.Load() {
			connected++
		}
	}
	return connected, true
}
