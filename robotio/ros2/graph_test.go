package ros2

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// graphReader is a participant that reads the graph as a node of a distribution does.
func graphReader(t *testing.T, domain int, userData string) (*rtps.Reader, *must.List[string]) {
	t.Helper()
	p := must.Get(rtps.Open(rtps.Config{Domain: domain, UserData: "enclave=/;"}))(t)
	t.Cleanup(func() { _ = p.Close() })
	got := &must.List[string]{}
	return must.Get(p.NewReader(rtps.ReaderConfig{Topic: "ros_discovery_info",
		Type: "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_", UserData: userData,
		QoS:      rtps.QoS{Reliable: true, TransientLocal: true, Depth: 100},
		OnSample: func(b []byte, _ rtps.Info) { got.Add(string(b)) }}))(t), got
}

// wantGraph returns the message of a context with the nodes /omni, with two readers and a writer, and /team/b without
// endpoints. pad follows each GID. The bytes are written by hand after rmw_dds_common's definition.
func wantGraph(participant, reader, other, writer rtps.GUID, pad string) string {
	id := func(g rtps.GUID) string { return hex.EncodeToString(g[:]) + pad }
	text := "00010000" + id(participant) + "02000000" +
		"02000000 2f00 0000" + "05000000 6f6d6e6900 000000" + // "/", "omni"
		"02000000" + id(reader) + id(other) + "01000000" + id(writer) +
		"06000000 2f7465616d00 0000" + "02000000 6200 0000" + "00000000 00000000" // "/team", "b"
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Readers of Humble get GIDs of 24 bytes, all others 16, whatever the distribution of the context is. The message
// follows the endpoints.
func TestGraph(t *testing.T) {
	for _, distribution := range []string{"humble", "jazzy"} {
		t.Run(distribution, func(t *testing.T) {
			d := must.Domain(t)
			c := open(t, Config{Domain: d, Distribution: distribution})
			part := c.transport.(*dds).part
			n := must.Get(c.NewNode("/omni"))(t)
			early, humble := graphReader(t, d, "")
			pub := must.Get(Advertise[blob](n, "/x", "test/Blob", PubOptions{}))(t)
			sub := must.Get(Subscribe(n, "/y", "test/Blob", func(*blob) {}))(t)
			other := must.Get(Subscribe(n, "/z", "test/Blob", func(*blob) {}))(t)
			must.Get(c.NewNode("/team/b"))(t)
			late, iron := graphReader(t, d, "typehash=RIHS01_"+strings.Repeat("0", 64)+";")
			must.Until(t, "matches", func() bool { return early.NumMatched() == 1 && late.NumMatched() == 1 })
			last := func(l *must.List[string]) string {
				all := l.All()
				return strings.Join(all[max(0, len(all)-1):], "")
			}
			want := func(pad string) string {
				return wantGraph(part.GUID(), sub.reader.GUID(), other.reader.GUID(), pub.writer.GUID(), pad)
			}
			must.Until(t, "the graph of Humble", func() bool { return same(last(humble), want("0000000000000000")) })
			must.Until(t, "the graph of Jazzy", func() bool { return same(last(iron), want("")) })
			must.Do(t, pub.Close())
			must.Do(t, n.Close())
			// Without the first node, the second one's bytes are the end of the message.
			rest := "\x06\x00\x00\x00/team\x00\x00\x00\x02\x00\x00\x00b\x00\x00\x00" + strings.Repeat("\x00", 8)
			guid := part.GUID()
			must.Until(t, "an empty graph", func() bool {
				return same(last(humble), "\x00\x01\x00\x00"+string(guid[:])+strings.Repeat("\x00", 8)+
					"\x01\x00\x00\x00"+rest) &&
					same(last(iron), "\x00\x01\x00\x00"+string(guid[:])+"\x01\x00\x00\x00"+rest)
			})
			for _, b := range humble.All() {
				if (len(b)-4-24-4)%4 != 0 || len(b) < 32 || !bytes.Equal([]byte(b[20:28]), make([]byte, 8)) {
					t.Errorf("Humble got %x", b)
				}
			}
		})
	}
}

// same reports whether a payload is the wanted one, which padding may follow.
func same(payload, want string) bool {
	return strings.TrimRight(payload, "\x00") == strings.TrimRight(want, "\x00")
}

// Hostile graph messages name no nodes.
func TestHostileGraph(t *testing.T) {
	c := open(t, Config{Domain: must.Domain(t)})
	from := rtps.GUID{1, 2, 3}
	d := c.transport.(*dds)
	d.writerMatched(rtps.Endpoint{GUID: from, UserData: "typehash=x;"}, true)
	valid := d.message(true)
	for n := range valid {
		d.received(valid[:n], rtps.Info{Identity: rtps.Identity{GUID: from}})
	}
	d.received(make([]byte, maxGraph+1), rtps.Info{Identity: rtps.Identity{GUID: from}})
	must.Equal(t, c.graph.nodeOf(from), "", "node")
	d.received(valid, rtps.Info{})
	must.Equal(t, len(c.graph.names), 0, "participants")
}
