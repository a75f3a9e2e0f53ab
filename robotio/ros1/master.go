package ros1

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1/master"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// DefaultMasterURI is the URI of a master where none is configured.
const DefaultMasterURI = "http://" + master.DefaultAddr + "/"

// MasterConfig configures an embedded master; see package master.
type MasterConfig struct {
	Addr   string       // host:port to listen at; empty is 127.0.0.1:11311, port 0 a free one
	Host   string       // host in the master's URI; empty is Addr's
	Rosout bool         // also run what roscore does: the node /rosout, which relays /rosout to /rosout_agg
	Access access.Rule  // under which names, and from which pages, requests are taken
	Log    *slog.Logger // nil discards
}

// Validate reports every violation.
func (c MasterConfig) Validate() error { return c.master().Validate() }

func (c MasterConfig) master() master.Config {
	return master.Config{Addr: c.Addr, Host: c.Host, Access: c.Access, Log: c.Log}
}

// Master is an embedded master, in the place of a roscore.
type Master struct {
	*master.Master

	mu     sync.Mutex
	rosout *Node // nil without, and once closed
	wait   sync.WaitGroup
}

// ListenMaster starts an embedded master; see master.Listen. It listens on loopback unless told otherwise, and so does
// its node /rosout, whose host is the master's.
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

// keepRosout restarts /rosout after a call of shutdown, as roslaunch does for roscore, unless another node took its
// name.
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

// replace starts /rosout in the place of n, unless the master closes. It returns nil where it did not.
func (m *Master) replace(n *Node, cfg NodeConfig) *Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rosout != n {
		return nil
	}
	m.rosout, _ = aggregate(cfg) // without files for it, say, the relay of logs is lost, and nothing else
	return m.rosout
}

// Close ends the node /rosout, stops listening and waits for all goroutines.
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

// aggregate starts the node /rosout. Source: rosout 1.15, whose queues hold 100 messages, too.
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

// listen is where /rosout listens: where the master does, when that is an address.
func (c MasterConfig) listen() string {
	if net.ParseIP(c.bind()) != nil {
		return c.bind()
	}
	return ""
}

func (c MasterConfig) bind() string {
	host, _, _ := net.SplitHostPort(c.Addr)
	if host == "" && c.Addr != "" { // every address
		return "0.0.0.0"
	}
	return host
}
