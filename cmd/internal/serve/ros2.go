package serve

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
)

// DomainChoice is the value of --ros2. It says in which domain of ROS 2 a run can be found.
type DomainChoice struct {
	on     bool
	domain int // ROS_DOMAIN_ID; -1 means that of the environment
}

// maxDomain is the highest domain of ROS 2 whose ports exist.
const maxDomain = 232

// UnmarshalText parses on, off or a domain.
func (d *DomainChoice) UnmarshalText(text []byte) error {
	*d = DomainChoice{on: true, domain: -1}
	switch string(text) {
	case "on":
	case "off":
		d.on = false
	default:
		var err error
		if d.domain, err = strconv.Atoi(string(text)); err != nil || d.domain < 0 || d.domain > maxDomain {
			return fmt.Errorf("domain = %q: must be on, off, or a domain in [0, %d]", text, maxDomain)
		}
	}
	return nil
}

// On reports whether the flag asks for ROS 2.
func (d DomainChoice) On() bool { return d.on }

// Join starts a node of a program that looks for a simulation. types are the types of messages that it knows; nil means
// those of ROS. close closes it.
func (d DomainChoice) Join(ctx context.Context, name string, types *msg.Library) (n *ros2.Node, domain int,
	close func(), err error) {
	cfg, err := d.config(listening{})
	if err != nil {
		return nil, 0, nil, err
	}
	cfg.Types = types
	c, n, err := openNode(ctx, cfg, name)
	return n, cfg.Domain, func() { c.Close() }, err
}

// openNode starts a node in a context of its own. It returns console.ErrInterrupted as soon as ctx ends.
func openNode(ctx context.Context, cfg ros2.Config, name string) (*ros2.Context, *ros2.Node, error) {
	c, err := console.Await(ctx, func() (*ros2.Context, error) { return ros2.Open(cfg) },
		func(c *ros2.Context) { c.Close() })
	if err != nil {
		return nil, nil, console.NetworkError(err)
	}
	n, err := c.NewNode(name)
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	return c, n, nil
}

// config returns the configuration of the simulator's participant.
func (d DomainChoice) config(at listening) (ros2.Config, error) {
	cfg := ros2.Config{}
	if err := cfg.FromEnv(os.Getenv); err != nil {
		return cfg, console.BadInput(err)
	}
	if d.domain >= 0 {
		cfg.Domain = d.domain
	}
	if at.open() && os.Getenv("ROS_AUTOMATIC_DISCOVERY_RANGE") == "" {
		cfg.Range = ros2.Subnet
	}
	return cfg, nil
}

// participant is the simulator's part of a ROS 2 graph.
type participant struct {
	*ros2.Context
	node   *ros2.Node
	config ros2.Config
}

// openParticipant starts the simulator's participant with its node.
func openParticipant(ctx context.Context, d DomainChoice, at listening,
	printf func(format string, args ...any)) (*participant, error) {
	cfg, err := d.config(at)
	if err != nil {
		return nil, err
	}
	cfg.OnRouter = func(lost error) {
		if lost != nil {
			printf("ROS 2: %v: robots get nothing until it answers", lost)
		} else {
			printf("ROS 2: zenoh router %s answers again", cfg.Router)
		}
	}
	p := &participant{config: cfg}
	if p.Context, p.node, err = openNode(ctx, cfg, nodeName); err != nil {
		return nil, err
	}
	if err := p.checkClock(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// where says where nodes of ROS 2 find the simulator.
func (p *participant) where() string {
	if p.config.Transport == ros2.Zenoh {
		return fmt.Sprintf("ROS 2 in domain %d, over the Zenoh router at %s", p.config.Domain, p.config.Router)
	}
	return fmt.Sprintf("ROS 2 in domain %d", p.config.Domain)
}

// meetTime is how long the simulator looks for another publisher of /clock before it becomes one. Participants on one
// machine find each other within some 20 ms. 300 ms is a guess.
const meetTime = 300 * time.Millisecond

// checkClock returns an error if another node publishes /clock: the time of all robots would jump back and forth.
func (p *participant) checkClock() error {
	var names []string
	found := false
	for end := time.Now().Add(meetTime); len(names) == 0 && time.Now().Before(end); time.Sleep(meetTime / 30) {
		var there bool
		names, there = p.node.Graph().Publishers["/clock"] // a name follows a little later
		found = found || there
	}
	if !found {
		return nil
	}
	return console.BadInputf("ROS 2 domain %d: %s publishes /clock: end it, or choose another domain: --ros2 DOMAIN",
		p.config.Domain, cmp.Or(strings.Join(names, " and "), "another node"))
}

// nodeBeside is a node in a context of its own, because nodes of one context do not receive each other's messages.
type nodeBeside struct {
	*ros2.Node
	context *ros2.Context
}

func (p *participant) newNodeBeside(name string) (*nodeBeside, error) {
	c, n, err := openNode(context.Background(), p.config, name)
	if err != nil {
		return nil, err
	}
	return &nodeBeside{n, c}, nil
}

// Close closes the node and its context.
func (n *nodeBeside) Close() error { return n.context.Close() }

// others returns the names of the nodes of other processes that publish or subscribe to a topic.
func (p *participant) others(ctx context.Context) (*Others, error) {
	state, err := p.node.State(ctx)
	if err != nil {
		return nil, err
	}
	return &Others{state: state, ours: map[string]bool{nodeName: true, beliefsNode: true}}, nil
}
