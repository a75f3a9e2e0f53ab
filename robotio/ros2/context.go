package ros2

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
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
	Localhost = rtps.Localhost // those on this machine; datagrams of other machines are dropped
	Subnet    = rtps.Subnet    // those that multicast reaches
	Off       = rtps.Off       // none
)

// Config configures a context. The zero value is a context of Jazzy in domain 0 that finds others on this machine.
type Config struct {
	// Distribution selects the definitions of messages, unless Types is set: "humble", or "jazzy" for Iron and all
	// later ones, which is the default. Nodes of other distributions are found in both cases.
	Distribution string
	Transport    Transport
	Router       string       // address of the Zenoh router; default localhost:7447
	Domain       int          // ROS_DOMAIN_ID, 0 to 232
	Range        Range        // of DDS, as the next two
	StaticPeers  []netip.Addr // machines that are looked for, too
	// Multicast also uses the multicast group on loopback, for nodes of Humble with ROS_LOCALHOST_ONLY=1.
	Multicast bool
	// OnRouter is called when the connection to the Zenoh router is lost, with the reason, and when it is there again.
	OnRouter func(lost error)
	Types    *msg.Library // message and service types, of ROS 2
	Log      *slog.Logger // nil discards it
}

// FromEnv sets distribution, domain, range, static peers, transport and router from the variables of ROS 2, of which
// getenv returns the values. A variable that is not set changes nothing.
func (c *Config) FromEnv(getenv func(string) string) error {
	if getenv("ROS_DISTRO") == "humble" { // others may be of ROS 1
		c.Distribution = "humble"
	}
	p := c.participant()
	if err := p.FromEnv(getenv); err != nil {
		return fmt.Errorf("ros 2: %w", err)
	}
	c.Domain, c.Range, c.StaticPeers, c.Multicast = p.Domain, p.Range, p.StaticPeers, p.Multicast
	if err := c.zenohFromEnv(getenv); err != nil {
		return fmt.Errorf("ros 2: %w", err)
	}
	return nil
}

func (c *Config) participant() rtps.Config {
	return rtps.Config{Domain: c.Domain, Range: c.Range, StaticPeers: c.StaticPeers, Multicast: c.Multicast,
		UserData: "enclave=/;"}
}

// Context is a connection to ROS 2, by DDS or Zenoh, with nodes.
type Context struct {
	types     *msg.Library
	transport transport
	graph     *graph
	log       *slog.Logger
	warnings  *rate.Limiter
	held      atomic.Int64 // bytes of messages and requests that wait for callbacks

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
	c.graph = newGraph(c)
	c.ctx, c.stop = context.WithCancel(context.Background())
	if cfg.Transport == Zenoh {
		c.transport, err = openZenoh(c, &cfg)
	} else {
		c.transport, err = openDDS(c, cfg.participant())
	}
	if err != nil {
		c.stop()
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
	err := c.transport.Close()
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
