package ros1

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/master"
)

// DefaultMasterURI is the URI of the master that is used if none is configured.
const DefaultMasterURI = "http://" + master.DefaultAddr + "/"

// MasterConfig configures a master in this process; see package master.
type MasterConfig struct {
	Addr   string       // host:port to listen at; 127.0.0.1:11311 if empty; port 0 means any free port
	Host   string       // host in the master's URI; the host in Addr if empty
	Rosout bool         // whether to run the node /rosout, which relays /rosout to /rosout_agg, as roscore does
	Access access.Rule  // host names and web pages from which requests are accepted
	Log    *slog.Logger // log of the master; nil discards it
}

// Validate returns an error that lists every invalid value.
func (c MasterConfig) Validate() error { return c.master().Validate() }

func (c MasterConfig) master() master.Config {
	return master.Config{Addr: c.Addr, Host: c.Host, Access: c.Access, Log: c.Log}
}

// Master is a master in this process. It replaces roscore.
type Master struct {
	*master.Master

	mu     sync.Mutex
	rosout *Node // nil without MasterConfig.Rosout, and after Close
	wait   sync.WaitGroup
}

// ListenMaster starts a master in this process; see master.Listen. The master and its node /rosout listen only at
// loopback addresses, unless a host is configured.
func ListenMaster(cfg MasterConfig) (*Master, error) {
	core, err := master.Listen(cfg.master())
	if err != nil {
		return nil, err
	}
	m := &Master{Master: core}
	if cfg.Rosout {
		rosout := NodeConfig{MasterURI: m.URI(), Host: cmp.Or(cfg.Host, cfg.bind()), Listen: cfg.listen(),
			Access: cfg.Access, Log: cfg.Log}
		n, err := aggregate(rosout)
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		m.rosout = n
		m.wait.Go(func() { m.keepRosout(n, rosout) })
	}
	return m, nil
}

// roslaunch calls shutdown of all nodes, including /rosout. Then keepRosout starts the node /rosout again. If another
// node has taken the name /rosout, keepRosout does not start it again.
func (m *Master) keepRosout(n *Node, cfg NodeConfig) {
	for n != nil {
		<-n.Done()
		var told *ShutdownError
		if !errors.As(n.Cause(), &told) || told.Taker != "" {
			return
		}
		n = m.replace(n, cfg)
	}
}

// replace starts a new node /rosout after the node n has ended, and returns the new node. It returns nil if the master
// is closing or if the new node does not start.
func (m *Master) replace(n *Node, cfg NodeConfig) *Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rosout != n {
		return nil
	}
	m.rosout, _ = aggregate(cfg) // an error, for example too many open files, only stops the relay of logs
	return m.rosout
}

// Close closes the node /rosout and the listener, and waits for all goroutines to end.
func (m *Master) Close() error {
	m.mu.Lock()
	n := m.rosout
	m.rosout = nil
	m.mu.Unlock()
	var err error
	if n != nil {
		err = n.Close()
	}
	m.wait.Wait()
	return errors.Join(err, m.Master.Close())
}

// aggregate starts the node /rosout. Its queues have the length of those of rosout 1.15, 100 messages.
func aggregate(cfg NodeConfig) (*Node, error) {
	cfg.Name = "/rosout"
	n, err := NewNode(cfg)
	if err != nil {
		return nil, err
	}
	pub, err := Advertise[msg.Log](n, "/rosout_agg", "rosgraph_msgs/Log", PubOptions{Queue: rosoutQueue})
	if err == nil {
		_, err = Subscribe(n, "/rosout", "rosgraph_msgs/Log", pub.Publish)
	}
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// listen returns the address at which the node /rosout listens. It is the host in Addr if this host is an IP address.
func (c MasterConfig) listen() string {
	if net.ParseIP(c.bind()) != nil {
		return c.bind()
	}
	return ""
}

func (c MasterConfig) bind() string {
	host, _, _ := net.SplitHostPort(c.Addr)
	if host == "" && c.Addr != "" { // the master listens at all addresses
		return "0.0.0.0"
	}
	return host
}
