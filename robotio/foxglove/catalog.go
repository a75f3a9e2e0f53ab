package foxglove

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// Wall times and the number of concurrent probes; guesses.
const (
	pollTime  = 500 * time.Millisecond // pause between two queries of the master
	probeTime = 3 * time.Second        // time for a publisher or server to answer with its type
	retryTime = 10 * time.Second       // pause before a failed probe is repeated
	maxProbes = 8
)

// catalog follows the changes of the ROS graph and of the parameters. It advertises topics, as channels, and services
// to all clients.
type catalog struct {
	node   *ros1.Node
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup
	probes chan struct{}
	wake   chan struct{} // contains a value when parameters may have changed

	mu       sync.Mutex
	nextID   uint32
	sessions map[*session]struct{}
	channels map[string]*entry[channel] // by topic
	services map[string]*entry[service] // by name
	graph    connections
}

// entry is a topic or service of the graph with its advertisement.
type entry[T any] struct {
	nodes      []string // publishers or servers
	typ        string   // in the master's list
	md5        string
	advertised *T // what was advertised; nil while the type is unknown
	probing    bool
	retry      time.Time
}

func newCatalog(n *ros1.Node) *catalog {
	c := &catalog{node: n, probes: make(chan struct{}, maxProbes), wake: make(chan struct{}, 1), nextID: 1,
		sessions: map[*session]struct{}{}, channels: map[string]*entry[channel]{},
		services: map[string]*entry[service]{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.poll()
	c.wait.Go(func() {
		tick := time.NewTicker(pollTime)
		defer tick.Stop()
		for {
			select {
			case <-c.ctx.Done():
				return
			case <-tick.C:
				c.poll()
				c.pollParams()
			case <-c.wake:
				c.pollParams()
			}
		}
	})
	return c
}

func (c *catalog) close() {
	c.cancel()
	c.wait.Wait()
}

// each calls f for every session; f must not block.
func (c *catalog) each(f func(*session)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for x := range c.sessions {
		f(x)
	}
}

// send sends a message to every session; the caller holds c.mu.
func (c *catalog) send(v any) {
	b := encode(v)
	for x := range c.sessions {
		x.client.Send(false, b)
	}
}

// poll reads the graph, advertises changes, and starts probes of unknown types.
func (c *catalog) poll() {
	g, err := c.node.Graph(c.ctx)
	if err != nil {
		return // without an answer of the master, all advertisements stay
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.updateGraph(g)
	var gone []uint32
	for topic, e := range c.channels {
		if len(g.Publishers[topic]) == 0 {
			delete(c.channels, topic)
			gone = c.withdraw(e, gone)
		}
	}
	for topic, by := range g.Publishers {
		if e := needsProbe(c.channels, topic, by, g.Types[topic]); e != nil {
			c.probe(func() { c.probeTopic(topic, e, by) })
		}
	}
	if len(gone) > 0 {
		c.send(map[string]any{"op": "unadvertise", "channelIds": gone})
	}
	gone = nil
	for name, e := range c.services {
		if len(g.Services[name]) == 0 {
			delete(c.services, name)
			if e.advertised != nil {
				gone = append(gone, e.advertised.ID)
			}
		}
	}
	for name, by := range g.Services {
		if e := needsProbe(c.services, name, by, ""); e != nil {
			c.probe(func() { c.probeService(name, e) })
		}
	}
	if len(gone) > 0 {
		c.send(map[string]any{"op": "unadvertiseServices", "serviceIds": gone})
	}
}

// needsProbe updates the nodes of a topic or service. It returns the entry if its type must be probed, else nil.
func needsProbe[T any](all map[string]*entry[T], name string, nodes []string, typ string) *entry[T] {
	e := all[name]
	if e == nil {
		e = &entry[T]{}
		all[name] = e
	}
	changed := e.typ != typ || !slices.Equal(e.nodes, nodes)
	if e.nodes, e.typ = nodes, typ; changed {
		e.retry = time.Time{}
	}
	if e.probing || !changed && e.advertised != nil || time.Now().Before(e.retry) {
		return nil
	}
	e.probing = true
	return e
}

// probe runs a probe in a goroutine. At most maxProbes probes run at the same time.
func (c *catalog) probe(probe func()) {
	c.wait.Go(func() {
		select {
		case c.probes <- struct{}{}:
			probe()
			<-c.probes
		case <-c.ctx.Done():
		}
	})
}

// withdraw ends the clients' subscriptions of a channel and appends its id to gone; the caller holds c.mu.
func (c *catalog) withdraw(e *entry[channel], gone []uint32) []uint32 {
	if e.advertised == nil {
		return gone
	}
	for x := range c.sessions {
		x.drop(e.advertised.ID)
	}
	return append(gone, e.advertised.ID)
}

// newID returns a new id of a channel or service; the caller holds c.mu.
func (c *catalog) newID() uint32 {
	c.nextID++
	return c.nextID
}

// enter adds a session and sends it all advertisements.
func (c *catalog) enter(x *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[x] = struct{}{}
	channels, services := []*channel{}, []*service{}
	for _, e := range c.channels {
		if e.advertised != nil {
			channels = append(channels, e.advertised)
		}
	}
	for _, e := range c.services {
		if e.advertised != nil {
			services = append(services, e.advertised)
		}
	}
	x.client.Send(false, encode(map[string]any{"op": "advertise", "channels": channels}))
	x.client.Send(false, encode(map[string]any{"op": "advertiseServices", "services": services}))
}

func (c *catalog) leave(x *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, x)
}

// channel returns the channel with an id, and the MD5 sum of its type. It returns nil if there is no such channel.
func (c *catalog) channel(id uint32) (*channel, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.channels {
		if e.advertised != nil && e.advertised.ID == id {
			return e.advertised, e.md5
		}
	}
	return nil, ""
}

// service returns the service with an id, or nil.
func (c *catalog) service(id uint32) *service {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.services {
		if e.advertised != nil && e.advertised.ID == id {
			return e.advertised
		}
	}
	return nil
}

// probeTopic queries the definition of a topic from its publishers until one answers, and advertises the channel.
func (c *catalog) probeTopic(topic string, e *entry[channel], by []string) {
	ctx, cancel := context.WithTimeout(c.ctx, probeTime)
	defer cancel()
	var def *msg.Definition
	err := errors.New("no publisher")
	for _, node := range by {
		if def, err = ros1.ProbeTopic(ctx, c.node, topic, node); err == nil {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.probing = false
	if err != nil || c.channels[topic] != e {
		e.retry = time.Now().Add(retryTime)
		return
	}
	if e.advertised != nil && e.md5 == def.MD5 && e.advertised.SchemaName == def.Name {
		return
	}
	if gone := c.withdraw(e, nil); gone != nil {
		c.send(map[string]any{"op": "unadvertise", "channelIds": gone})
	}
	e.md5, e.advertised = def.MD5, &channel{c.newID(), topic, "ros1", def.Name, def.Text, "ros1msg"}
	c.send(map[string]any{"op": "advertise", "channels": []*channel{e.advertised}})
}

// probeService queries the type of a service from its server and advertises the service.
func (c *catalog) probeService(name string, e *entry[service]) {
	ctx, cancel := context.WithTimeout(c.ctx, probeTime)
	defer cancel()
	def, err := web.ServiceType(ctx, c.node, name)
	c.mu.Lock()
	defer c.mu.Unlock()
	e.probing = false
	if err != nil || c.services[name] != e {
		e.retry = time.Now().Add(retryTime)
		return
	}
	if e.advertised != nil && e.md5 == def.MD5 && e.advertised.Type == def.Name {
		return
	}
	if e.advertised != nil {
		c.send(map[string]any{"op": "unadvertiseServices", "serviceIds": []uint32{e.advertised.ID}})
	}
	half := func(m *msg.Definition) serviceHalf { return serviceHalf{"ros1", m.Name, "ros1msg", m.Text} }
	e.md5, e.advertised = def.MD5, &service{c.newID(), name, def.Name, half(def.Request), half(def.Response),
		def.Request.Text, def.Response.Text}
	c.send(map[string]any{"op": "advertiseServices", "services": []*service{e.advertised}})
}
