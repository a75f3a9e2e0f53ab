package ros2

import (
	"bytes"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// FuzzGraph handles graph messages of another participant, in both forms. It must not panic, nor keep more names than
// the message has room for.
func FuzzGraph(f *testing.F) {
	c := open(f, Config{Domain: must.Domain(f)})
	must.Get(c.NewNode("/omni"))(f)
	for _, iron := range []bool{false, true} {
		f.Add(c.transport.(*dds).message(iron), iron)
	}
	from := rtps.GUID{1, 2, 3}
	f.Fuzz(func(t *testing.T, b []byte, iron bool) {
		g := newGraph(c)
		d := &dds{c: &Context{graph: g, log: c.log, warnings: c.warnings}, iron: map[rtps.GUID]bool{from: iron}}
		d.received(b, rtps.Info{Identity: rtps.Identity{GUID: from}})
		if n := g.names[from.Prefix()]; len(n.all)+len(n.of) > len(b)/16 {
			t.Errorf("%d nodes with %d endpoints from %d bytes", len(n.all), len(n.of), len(b))
		}
	})
}

// FuzzCallID cuts the header of rmw_cyclonedds from messages of services.
func FuzzCallID(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00abc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		id, rest, ok := cutCallID(b)
		if !ok {
			return
		}
		o := withCallID(bytes.Clone(rest), id)
		if got := append(o.Head, o.Body...); before[1] == 1 && !bytes.Equal(got, before) {
			t.Errorf("got %x, want %x", got, before)
		}
	})
}
