package ros2

import (
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// The graph says which node has which endpoints. Each participant publishes all of its nodes at each change. Messages
// of Humble have GIDs of 24 bytes, those of Iron and later ones 16. A node that gets the wrong form may crash. So each
// reader gets the form of its own distribution: readers of Iron and later ones have a type hash, those of Humble none.
// Source: rmw_dds_common, ParticipantEntitiesInfo; rmw_fastrtps, issues 733 and 797.
const graphTopic = "ros_discovery_info"

// gid is the size of a GID.
type gid interface{ [16]byte | [24]byte }

type gidOf[G gid] struct{ Data G }

type nodeOf[G gid] struct {
	NodeNamespace, NodeName    string
	ReaderGidSeq, WriterGidSeq []gidOf[G]
}

// participantOf is rmw_dds_common/ParticipantEntitiesInfo.
type participantOf[G gid] struct {
	Gid                 gidOf[G]
	NodeEntitiesInfoSeq []nodeOf[G]
}

// graphForms has the codecs of both forms. They do not depend on the distribution of a context.
var graphForms = sync.OnceValues(func() (f struct {
	def    *msg.Definition
	iron   *msg.Codec[participantOf[[16]byte]]
	humble *msg.Codec[participantOf[[24]byte]]
}, err error) {
	if f.iron, err = graphForm[[16]byte]("jazzy"); err != nil {
		return f, err
	}
	f.def = f.iron.Def()
	f.humble, err = graphForm[[24]byte]("humble")
	return f, err
})

func graphForm[G gid](distribution string) (*msg.Codec[participantOf[G]], error) {
	l, err := msg.LoadROS2(distribution)
	if err != nil {
		return nil, err
	}
	def, err := l.Message("rmw_dds_common/ParticipantEntitiesInfo")
	if err != nil {
		return nil, err
	}
	return msg.Compile[participantOf[G]](def)
}

// graph publishes the nodes of a context, and knows the nodes of others.
type graph struct {
	c       *Context
	w       *rtps.Writer
	readers map[rtps.GUID]bool // others' readers; whether they are of Iron or later; guarded by Context.mu

	watching sync.Mutex // locked while watchers are called

	mu        sync.Mutex
	iron      map[rtps.GUID]bool                                // the same of others' writers
	names     map[rtps.Prefix]nodes                             // others' nodes
	named     chan struct{}                                     // is closed when names change
	endpoints map[string]map[rtps.GUID]rtps.Endpoint            // all those of others, by topic
	watchers  map[string][]*func(e rtps.Endpoint, present bool) // see watch; by topic
}

// nodes are the nodes of a participant.
type nodes struct {
	all []string             // their names
	of  map[rtps.GUID]string // the names by the nodes' endpoints
}

const (
	// graphDepth is the number of graph messages that are kept. Each reader must find its newest one, so it exceeds the
	// number of other participants.
	graphDepth = 256
	// maxGraph is the maximum size of the graph message of another participant. It has room for the 1024 endpoints that
	// rtps.Limits allows, and for their nodes.
	maxGraph = 1 << 16
)

func newGraph(c *Context) *graph {
	return &graph{c: c, readers: map[rtps.GUID]bool{}, iron: map[rtps.GUID]bool{}, names: map[rtps.Prefix]nodes{},
		named: make(chan struct{}), endpoints: map[string]map[rtps.GUID]rtps.Endpoint{},
		watchers: map[string][]*func(rtps.Endpoint, bool){}}
}

// open starts to publish and to receive the graph.
func (g *graph) open() error {
	c := g.c
	forms, err := graphForms()
	if err != nil {
		return err
	}
	q := QoS{Reliable: true, TransientLocal: true, Depth: graphDepth}
	typ, data := ddsType(forms.def.TypeName), userData("", forms.def)
	c.mu.Lock() // readers may match before the writer is stored
	g.w, err = c.part.NewWriter(rtps.WriterConfig{Topic: graphTopic, Type: typ, QoS: q, UserData: data,
		OnMatch: g.readerMatched})
	c.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = c.part.NewReader(rtps.ReaderConfig{Topic: graphTopic, Type: typ, QoS: q, UserData: data,
		OnMatch: g.writerMatched, OnSample: g.received})
	return err
}

func isIron(e *rtps.Endpoint) bool { return strings.Contains(e.UserData, "typehash=") }

func (g *graph) readerMatched(e rtps.Endpoint, matched bool) {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	if !matched {
		delete(g.readers, e.GUID)
		return
	}
	g.readers[e.GUID] = isIron(&e)
	g.send(e.GUID, g.message(isIron(&e)))
}

// publish sends the nodes to all participants. The caller holds Context.mu.
func (g *graph) publish() {
	var messages [2][]byte
	for r, iron := range g.readers {
		i := 0
		if iron {
			i = 1
		}
		if messages[i] == nil {
			messages[i] = g.message(iron)
		}
		g.send(r, messages[i])
	}
}

func (g *graph) send(to rtps.GUID, b []byte) {
	_, _ = g.w.Write(rtps.Outgoing{Head: b, To: to}) // fails only if the context is closed or its memory is used up
}

// message returns the encoded nodes.
func (g *graph) message(iron bool) []byte {
	forms, _ := graphForms() // open has returned the error
	if iron {
		return forms.iron.Append(nil, describe(g.c, func(id rtps.GUID) [16]byte { return id }))
	}
	return forms.humble.Append(nil, describe(g.c, func(id rtps.GUID) (long [24]byte) {
		copy(long[:], id[:])
		return long
	}))
}

func describe[G gid](c *Context, id func(rtps.GUID) G) *participantOf[G] {
	m := &participantOf[G]{Gid: gidOf[G]{id(c.part.GUID())}}
	for _, n := range c.nodes {
		info := nodeOf[G]{NodeNamespace: n.namespace, NodeName: n.name}
		for _, e := range n.entities {
			for _, x := range e.ends {
				if x.IsWriter() {
					info.WriterGidSeq = append(info.WriterGidSeq, gidOf[G]{id(x.GUID)})
				} else {
					info.ReaderGidSeq = append(info.ReaderGidSeq, gidOf[G]{id(x.GUID)})
				}
			}
		}
		m.NodeEntitiesInfoSeq = append(m.NodeEntitiesInfoSeq, info)
	}
	return m
}

func (g *graph) writerMatched(e rtps.Endpoint, matched bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if matched {
		g.iron[e.GUID] = isIron(&e)
		return
	}
	delete(g.iron, e.GUID)
	delete(g.names, e.GUID.Prefix())
}

// received stores the names of another participant's nodes.
func (g *graph) received(b []byte, info rtps.Info) {
	g.mu.Lock()
	defer g.mu.Unlock()
	iron, present := g.iron[info.GUID]
	if !present {
		return
	}
	var names nodes
	var err error
	forms, _ := graphForms()
	if len(b) > maxGraph {
		g.c.warn("a participant's nodes are left out", "participant", info.GUID, "bytes", len(b))
		return
	}
	if iron {
		names, err = parseNodes(forms.iron, b, func(id [16]byte) rtps.GUID { return id })
	} else {
		names, err = parseNodes(forms.humble, b, func(id [24]byte) rtps.GUID { return rtps.GUID(id[:16]) })
	}
	if err != nil {
		g.c.warn("a participant's nodes are unknown", "participant", info.GUID, "error", err)
		return
	}
	g.names[info.GUID.Prefix()] = names
	close(g.named)
	g.named = make(chan struct{})
}

func parseNodes[G gid](codec *msg.Codec[participantOf[G]], b []byte, id func(G) rtps.GUID) (nodes, error) {
	var m participantOf[G]
	if err := codec.Decode(b, &m); err != nil {
		return nodes{}, err
	}
	names := nodes{of: map[rtps.GUID]string{}}
	for _, n := range m.NodeEntitiesInfoSeq {
		full := strings.TrimSuffix(n.NodeNamespace, "/") + "/" + n.NodeName
		names.all = append(names.all, full)
		for _, x := range append(n.ReaderGidSeq, n.WriterGidSeq...) {
			names.of[id(x.Data)] = full
		}
	}
	return names, nil
}

// nodeOf returns the name of the node that has an endpoint of another participant, or "".
func (g *graph) nodeOf(id rtps.GUID) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.names[id.Prefix()].of[id]
}
