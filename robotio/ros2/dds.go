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

// dds is the transport DDS.
type dds struct {
	c       *Context
	part    *rtps.Participant
	w       *rtps.Writer       // of the graph
	readers map[rtps.GUID]bool // others' readers of the graph; whether they are of Iron or later; guarded by Context.mu

	mu   sync.Mutex
	iron map[rtps.GUID]bool // the same of others' writers
}

const (
	// graphDepth is the number of graph messages that are kept. Each reader must find its newest one, so it exceeds the
	// number of other participants.
	graphDepth = 256
	// maxGraph is the maximum size of the graph message of another participant. It has room for the 1024 endpoints that
	// rtps.Limits allows, and for their nodes.
	maxGraph = 1 << 16
)

// openDDS starts a participant, which publishes and receives the graph.
func openDDS(c *Context, cfg rtps.Config) (*dds, error) {
	forms, err := graphForms()
	if err != nil {
		return nil, err
	}
	d := &dds{c: c, readers: map[rtps.GUID]bool{}, iron: map[rtps.GUID]bool{}}
	cfg.OnEndpoint = c.graph.changed
	if d.part, err = rtps.Open(cfg); err != nil {
		return nil, err
	}
	q := QoS{Reliable: true, TransientLocal: true, Depth: graphDepth}
	typ, data := ddsType(forms.def.TypeName), userData("", forms.def)
	c.mu.Lock() // readers may match before the writer is stored
	d.w, err = d.part.NewWriter(rtps.WriterConfig{Topic: graphTopic, Type: typ, QoS: q, UserData: data,
		OnMatch: d.readerMatched})
	c.mu.Unlock()
	if err == nil {
		_, err = d.part.NewReader(rtps.ReaderConfig{Topic: graphTopic, Type: typ, QoS: q, UserData: data,
			OnMatch: d.writerMatched, OnSample: d.received})
	}
	if err != nil {
		_ = d.part.Close()
		return nil, err
	}
	return d, nil
}

// Close closes the participant.
func (d *dds) Close() error { return d.part.Close() }

func (d *dds) matchChanges() uint64 { return d.part.MatchChanges() }

func (d *dds) newWriter(_ *Node, cfg rtps.WriterConfig) (writer, error) { return d.part.NewWriter(cfg) }

func (d *dds) newReader(_ *Node, cfg rtps.ReaderConfig) (reader, error) { return d.part.NewReader(cfg) }

func isIron(e *rtps.Endpoint) bool { return strings.Contains(e.UserData, "typehash=") }

func (d *dds) readerMatched(e rtps.Endpoint, matched bool) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	if !matched {
		delete(d.readers, e.GUID)
		return
	}
	d.readers[e.GUID] = isIron(&e)
	d.send(e.GUID, d.message(isIron(&e)))
}

// announce sends the nodes to all participants. The caller holds Context.mu.
func (d *dds) announce() {
	var messages [2][]byte
	for r, iron := range d.readers {
		i := 0
		if iron {
			i = 1
		}
		if messages[i] == nil {
			messages[i] = d.message(iron)
		}
		d.send(r, messages[i])
	}
}

func (d *dds) send(to rtps.GUID, b []byte) {
	_, _ = d.w.Write(rtps.Outgoing{Head: b, To: to}) // fails only if the context is closed or its memory is used up
}

// message returns the encoded nodes.
func (d *dds) message(iron bool) []byte {
	forms, _ := graphForms() // openDDS has returned the error
	if iron {
		return forms.iron.Append(nil, describe(d, func(id rtps.GUID) [16]byte { return id }))
	}
	return forms.humble.Append(nil, describe(d, func(id rtps.GUID) (long [24]byte) {
		copy(long[:], id[:])
		return long
	}))
}

func describe[G gid](d *dds, id func(rtps.GUID) G) *participantOf[G] {
	m := &participantOf[G]{Gid: gidOf[G]{id(d.part.GUID())}}
	for _, n := range d.c.nodes {
		info := nodeOf[G]{NodeNamespace: n.namespace, NodeName: n.name}
		for _, e := range n.entities {
			for _, x := range e.ends {
				if x.Writer {
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

func (d *dds) writerMatched(e rtps.Endpoint, matched bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if matched {
		d.iron[e.GUID] = isIron(&e)
		return
	}
	delete(d.iron, e.GUID)
	d.c.graph.setNames(e.GUID.Prefix(), nodes{})
}

// received stores the names of another participant's nodes.
func (d *dds) received(b []byte, info rtps.Info) {
	d.mu.Lock()
	defer d.mu.Unlock()
	iron, present := d.iron[info.GUID]
	if !present {
		return
	}
	var names nodes
	var err error
	forms, _ := graphForms()
	if len(b) > maxGraph {
		d.c.warn("a participant's nodes are left out", "participant", info.GUID, "bytes", len(b))
		return
	}
	if iron {
		names, err = parseNodes(forms.iron, b, func(id [16]byte) rtps.GUID { return id })
	} else {
		names, err = parseNodes(forms.humble, b, func(id [24]byte) rtps.GUID { return rtps.GUID(id[:16]) })
	}
	if err != nil {
		d.c.warn("a participant's nodes are unknown", "participant", info.GUID, "error", err)
		return
	}
	d.c.graph.setNames(info.GUID.Prefix(), names)
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
