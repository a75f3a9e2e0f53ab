package foxglove

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// Wall times, and how many providers are asked at once. Guesses.
const (
	pollTime  = 500 * time.Millisecond // between looks at the graph
	probeTime = 3 * time.Second        // for a publisher or provider to tell its type
	retryTime = 10 * time.Second       // before one is asked again that did not
	maxProbes = 8
)

// catalog is what clients are told of the graph: channels, services, connections and parameters, kept up to date.
type catalog struct {
	node   *ros1.Node
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup
	probes chan struct{}
	poke   chan struct{} // holds one token when parameters may have changed

	mu       sync.Mutex
	nextID   uint32
	sessions map[*session]struct{}
	channels map[string]*entry[channel] // by topic
	services map[string]*entry[service] // by name
	graph    connections
}

// entry is a topic or service: who provides it, and what clients were told of it.
type entry[T any] struct {
	by     []string // nodes
	typ    string   // as the master knows it
	md5    string
	told   *T // nil while it is not known, or cannot be
	asking bool
	retry  time.Time
}

func newCatalog(n *ros1.Node) *catalog {
	c := &catalog{node: n, probes: make(chan struct{}, maxProbes), poke: make(chan struct{}, 1), nextID: 1,
		sessions: map[*session]struct{}{}, channels: map[string]*entry[channel]{}, services: map[string]*entry[service]{}}
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
			case <-c.poke:
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

// each calls f for every session; f must not wait.
func (c *catalog) each(f func(*session)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for x := range c.sessions {
		f(x)
	}
}

// send tells every session; the caller holds c.mu.
func (c *catalog) send(v any) {
	b := encode(v)
	for x := range c.sessions {
		x.client.Send(false, b)
	}
}

// poll looks at the graph once.
func (c *catalog) poll() {
	g, err := c.node.Graph(c.ctx)
	if err != nil {
		return // the master is away: what clients know stays until it tells otherwise
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connect(g)
	var gone []uint32
	for topic, e := range c.channels {
		if len(g.Publishers[topic]) == 0 {
			delete(c.channels, topic)
			gone = c.forget(e, gone)
		}
	}
	for topic, by := range g.Publishers {
		if e := follow(c.channels, topic, by, g.Types[topic]); e != nil {
			c.ask(func() { c.probeTopic(topic, e, by) })
		}
	}
	if len(gone) > 0 {
		c.send(map[string]any{"op": "unadvertise", "channelIds": gone})
	}
	gone = nil
	for name, e := range c.services {
		if len(g.Services[name]) == 0 {
			delete(c.services, name)
			if e.told != nil {
				gone = append(gone, e.told.ID)
			}
		}
	}
	for name, by := range g.Services {
		if e := follow(c.services, name, by, ""); e != nil {
			c.ask(func() { c.probeService(name, e) })
		}
	}
	if len(gone) > 0 {
		c.send(map[string]any{"op": "unadvertiseServices", "serviceIds": gone})
	}
}

// follow notes who provides a thing, and returns its entry where they have to be asked what it is.
func follow[T any](all map[string]*entry[T], name string, by []string, typ string) *entry[T] {
	e := all[name]
	if e == nil {
		e = &entry[T]{}
		all[name] = e
	}
	changed := e.typ != typ || !slices.Equal(e.by, by)
	if e.by, e.typ = by, typ; changed {
		e.retry = time.Time{}
	}
	if e.asking || !changed && e.told != nil || time.Now().Before(e.retry) {
		return nil
	}
	e.asking = true
	return e
}

// ask runs a probe beside others.
func (c *catalog) ask(probe func()) {
	c.wait.Go(func() {
		select {
		case c.probes <- struct{}{}:
			probe()
			<-c.probes
		case <-c.ctx.Done():
		}
	})
}

// forget removes a channel from those who subscribed to it, and adds its id to gone; the caller holds c.mu.
func (c *catalog) forget(e *entry[channel], gone []uint32) []uint32 {
	if e.told == nil {
		return gone
	}
	for x := range c.sessions {
		x.forget(e.told.ID)
	}
	return append(gone, e.told.ID)
}

func (c *catalog) id() uint32 {
	c.nextID++
	return c.nextID
}

// enter adds a session and tells it everything.
func (c *catalog) enter(x *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[x] = struct{}{}
	channels, services := []*channel{}, []*service{}
	for _, e := range c.channels {
		if e.told != nil {
			channels = append(channels, e.told)
		}
	}
	for _, e := range c.services {
		if e.told != nil {
			services = append(services, e.told)
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

// channel finds a channel by its id, with the md5 sum of its messages.
func (c *catalog) channel(id uint32) (*channel, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.channels {
		if e.told != nil && e.told.ID == id {
			return e.told, e.md5
		}
	}
	return nil, ""
}

// service finds a service by its id.
func (c *catalog) service(id uint32) *service {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.services {
		if e.told != nil && e.told.ID == id {
			return e.told
		}
	}
	return nil
}
