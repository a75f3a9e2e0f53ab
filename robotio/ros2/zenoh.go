package ros2

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/zenoh"
)

// zenohTransport is the transport Zenoh. Nodes and endpoints are liveliness tokens at the router. A subscriber gets the
// samples of all publishers of its topic with its type and hash, whatever their QoS.
type zenohTransport struct {
	c       *Context
	session *zenoh.Session
	domain  string
	humble  bool          // types have no hashes
	changes atomic.Uint64 // number of endpoints of others that came or went

	mu     sync.Mutex
	last   int                         // number of a node or an endpoint of ours
	nodes  map[*Node]*zenohNode        // that are announced
	others map[string]zenohOther       // by token
	ours   map[endpointKey][]*zenohEnd // that match endpoints of others
}

// zenohOther is an endpoint of another session.
type zenohOther struct {
	rtps.Endpoint
	key endpointKey
}

// zenohNode is a node of ours.
type zenohNode struct {
	number int
	token  *zenoh.Declaration
}

// endpointKey says which endpoints match: those of the opposite kind with the same key.
type endpointKey struct {
	kind tokenKind
	key  string
}

var opposite = map[tokenKind]tokenKind{tokenPublisher: tokenSubscriber, tokenSubscriber: tokenPublisher,
	tokenService: tokenClient, tokenClient: tokenService}

// zenohEnd is an endpoint of ours. It is a reader, or part of a writer.
type zenohEnd struct {
	z       *zenohTransport
	guid    rtps.GUID
	key     string
	wants   endpointKey // endpoints of others
	matched atomic.Int32
	onMatch func(rtps.Endpoint, bool)
	token   *zenoh.Declaration
	data    func() // ends the subscription, the queryable or the publisher; may be nil
}

// routerWait is how long a context waits for its router when it opens. It is a guess: on one machine, a router answers
// within milliseconds.
const routerWait = 3 * time.Second

// openZenoh connects to a router. It returns an error if none answers.
func openZenoh(c *Context, cfg *Config) (*zenohTransport, error) {
	p := cfg.participant()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	z := &zenohTransport{c: c, domain: strconv.Itoa(cfg.Domain), humble: cfg.Distribution == "humble",
		nodes: map[*Node]*zenohNode{}, others: map[string]zenohOther{}, ours: map[endpointKey][]*zenohEnd{}}
	router := cmp.Or(cfg.Router, defaultRouter)
	first := make(chan error, 1)
	opened, before := false, false
	var err error
	z.session, err = zenoh.Open(zenoh.Config{Router: router, OnState: func(connected bool, err error) {
		if !opened {
			first <- err
		} else if connected != before && cfg.OnRouter != nil {
			cfg.OnRouter(err)
		}
		opened, before = true, connected
	}})
	if err != nil {
		return nil, err
	}
	select {
	case err = <-first:
	case <-time.After(routerWait):
		err = fmt.Errorf("zenoh router %s: %w", router, zenoh.ErrTimeout)
	}
	if err != nil {
		z.session.Close()
		return nil, fmt.Errorf("%w: start a router first: ros2 run rmw_zenoh_cpp rmw_zenohd", err)
	}
	if _, err = z.session.WatchTokens(tokenPrefix+z.domain+"/**", z.changed); err != nil {
		z.session.Close()
	}
	return z, err
}

// Close ends the session, and with it all tokens.
func (z *zenohTransport) Close() error {
	z.session.Close()
	return nil
}

// announce declares the tokens of new nodes, and removes those of nodes that are gone.
func (z *zenohTransport) announce() {
	z.mu.Lock()
	defer z.mu.Unlock()
	for n, x := range z.nodes {
		if !slices.Contains(z.c.nodes, n) {
			x.token.Close()
			delete(z.nodes, n)
		}
	}
	for _, n := range z.c.nodes {
		z.number(n)
	}
}

// number returns the number of a node, which it announces if that has not been done. The caller holds z.mu.
func (z *zenohTransport) number(n *Node) int {
	x := z.nodes[n]
	if x == nil {
		z.last++
		t := token{domain: z.domain, session: z.session.ID().String(), node: z.last, entity: z.last, kind: tokenNode,
			nodeName: n.Name()}
		x = &zenohNode{number: z.last}
		var err error
		if x.token, err = z.session.Token(t.String()); err == nil { // it fails only if the session is closed
			z.nodes[n] = x
		}
	}
	return x.number
}

// changed handles a token that appears or disappears. Those of this session count as well, and are left out.
func (z *zenohTransport) changed(text string, present bool) {
	t, ok := parseToken(text)
	if !ok || t.session == z.session.ID().String() || t.domain != z.domain {
		return
	}
	id := tokenID(text)
	names := nodes{}
	switch {
	case !present:
	case t.kind == tokenNode:
		names.all = []string{t.nodeName}
	default:
		names.of = map[rtps.GUID]string{id: t.nodeName}
	}
	z.c.graph.setNames(id.Prefix(), names)
	if t.kind == tokenNode {
		return
	}
	e := t.endpoint(id)
	z.mu.Lock()
	key := endpointKey{t.kind, t.key()}
	if present {
		z.others[text] = zenohOther{e, key}
	} else {
		delete(z.others, text)
	}
	for _, x := range z.ours[key] {
		x.match(e, present)
	}
	z.mu.Unlock()
	z.c.graph.changed(e, present)
}

// match notes an endpoint of others that matches, or has done so. The caller holds the transport's lock.
func (x *zenohEnd) match(e rtps.Endpoint, present bool) {
	if present {
		x.matched.Add(1)
	} else {
		x.matched.Add(-1)
	}
	x.z.changes.Add(1)
	x.onMatch(e, present)
}

// newEnd returns an endpoint of a node without a token, for begin.
func (z *zenohTransport) newEnd(n *Node, t *token, onMatch func(rtps.Endpoint, bool)) *zenohEnd {
	z.mu.Lock()
	defer z.mu.Unlock()
	t.domain, t.session, t.nodeName = z.domain, z.session.ID().String(), n.Name()
	t.node = z.number(n)
	z.last++
	t.entity = z.last
	t.hash = z.hash(t.hash)
	return &zenohEnd{z: z, guid: tokenID(t.String()), key: t.key(), wants: endpointKey{opposite[t.kind], t.key()},
		onMatch: onMatch}
}

// hash returns the hash of a type of ours, as in keys.
func (z *zenohTransport) hash(text string) string {
	if z.humble || text == "" {
		return noHash
	}
	return text
}

// begin declares the token of an endpoint, and finds those of others that match. err is that of what came before.
func (x *zenohEnd) begin(t *token, err error) error {
	if err == nil {
		x.token, err = x.z.session.Token(t.String())
	}
	if err != nil {
		if x.data != nil {
			x.data()
		}
		return err
	}
	x.z.mu.Lock()
	defer x.z.mu.Unlock()
	x.z.ours[x.wants] = append(x.z.ours[x.wants], x)
	for _, o := range x.z.others {
		if o.key == x.wants {
			x.match(o.Endpoint, true)
		}
	}
	return nil
}

// GUID returns the endpoint's identifier.
func (x *zenohEnd) GUID() rtps.GUID { return x.guid }

// Known returns true: the router tells others about an endpoint after it knows the endpoint's data.
func (x *zenohEnd) Known(rtps.Prefix) bool { return true }

// NumMatched returns the number of endpoints of others that match.
func (x *zenohEnd) NumMatched() int { return int(x.matched.Load()) }

// Close removes the endpoint.
func (x *zenohEnd) Close() {
	x.token.Close()
	if x.data != nil {
		x.data()
	}
	x.z.mu.Lock()
	defer x.z.mu.Unlock()
	rest := slices.DeleteFunc(x.z.ours[x.wants], func(o *zenohEnd) bool { return o == x })
	if x.z.ours[x.wants] = rest; len(rest) == 0 {
		delete(x.z.ours, x.wants)
	}
}

// zenohWriter is a writer of a topic.
type zenohWriter struct {
	*zenohEnd
	latched *zenoh.Latched // nil: volatile

	mu         sync.Mutex
	seq        int64
	buf        []byte // memory for the next sample
	attachment [attachmentSize]byte
}

func (z *zenohTransport) matchChanges() uint64 { return z.changes.Load() }

func (z *zenohTransport) newWriter(n *Node, cfg rtps.WriterConfig) (writer, error) {
	t := &token{kind: tokenPublisher, name: cfg.Topic[len("rt"):], typ: cfg.Type, hash: typeHash(cfg.UserData),
		qos: cfg.QoS}
	w := &zenohWriter{zenohEnd: z.newEnd(n, t, cfg.OnMatch)}
	var err error
	if cfg.QoS.TransientLocal {
		if w.latched, err = z.session.Latch(w.key, cfg.QoS.Depth); err == nil {
			w.data = w.latched.Close
		}
	}
	return w, w.begin(t, err)
}

// Write sends a sample to all subscribers.
func (w *zenohWriter) Write(o rtps.Outgoing) (seq int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq++
	w.buf = append(append(append(w.buf[:0], o.Head...), o.Body...), o.Tail...)
	w.attachment = attach(rtps.Identity{GUID: w.guid, Seq: w.seq}, time.Now())
	options := zenoh.Options{Attachment: w.attachment[:]}
	if w.latched == nil {
		err = w.z.session.Put(w.key, w.buf, options)
	} else if err = w.latched.Put(w.buf, options); errors.Is(err, zenoh.ErrNotConnected) {
		err = nil // subscribers get it later
	}
	if err == nil && o.Release != nil {
		o.Release()
	}
	return w.seq, err
}

func (z *zenohTransport) newReader(n *Node, cfg rtps.ReaderConfig) (reader, error) {
	t := &token{kind: tokenSubscriber, name: cfg.Topic[len("rt"):], typ: cfg.Type, hash: typeHash(cfg.UserData),
		qos: cfg.QoS}
	x := z.newEnd(n, t, cfg.OnMatch)
	receive := func(m zenoh.Sample) {
		info, ok := parseAttachment(m.Attachment)
		if !ok || m.Deleted {
			z.c.warn("message dropped: it has no attachment of ROS 2", "topic", t.name)
			return
		}
		cfg.OnSample(m.Payload, info)
	}
	var err error
	if cfg.QoS.TransientLocal {
		x.data, err = z.session.SubscribeLatched(x.key, max(cfg.QoS.Depth, 1), receive)
	} else {
		var d *zenoh.Declaration
		if d, err = z.session.Subscribe(x.key, receive); err == nil {
			x.data = d.Close
		}
	}
	return x, x.begin(t, err)
}
