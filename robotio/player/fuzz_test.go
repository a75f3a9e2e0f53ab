package player

import (
	"bytes"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The server still answers a client that has sent any messages, or has closed its connection.
func FuzzSession(f *testing.F) {
	message := func(interf, typ, subtype int, payload []byte) []byte {
		return append(pack(0, 0, interf, 0, typ, subtype, 0.0, 1, len(payload)), payload...)
	}
	for _, m := range [][]byte{
		message(1, 3, 1, nil),
		message(1, 3, 2, pack(0, 0, 6, 0, text(""))),
		message(1, 3, 3, pack(0, 0, 31, 0, 2, text(""))),
		message(1, 3, 4, nil),
		message(1, 3, 5, pack(modePull)),
		message(1, 3, 7, pack(text("key"))),
		message(1, 3, 8, pack(text("cyan1"), 0)),
		message(1, 3, 10, pack(-1, -1, 1, -1, 1)),
		message(4, 2, 1, pack(1.0, 0.0, 0.5, 1)),
		message(4, 3, 5, pack(1.0, 0.0, 0.5)),
		message(8, 2, 1, pack(float32(0.5), float32(0), float32(0), float32(0), float32(0))),
		message(31, 3, 2, pack(text("ball"), 1.0, 2.0, 3.0)),
		message(31, 3, 5, pack(text("cyan1.front"), text("level"), 0, text("1234"))),
		message(31, 3, 6, pack(text("cyan1.front"), text("level"), 0, text("truth"))),
		message(53, 2, 3, pack(1, float32(3))),
		message(40, 3, 3, nil),
		message(9, 3, 1, pack(7)),
	} {
		f.Add(m)
	}
	sim := newSim(f, small)
	server := must.Get(Listen(sim.Sim, Config{Addr: "127.0.0.1:0"}))(f)
	f.Cleanup(func() { server.Close() })
	s := &served{Sim: sim, Server: server}
	f.Fuzz(func(t *testing.T, sent []byte) {
		p := dial(t, s, 0)
		defer p.Close()
		allocs.AtMost(t, allocs.ParseLimit, func() {
			for _, interf := range []int{4, 6, 62, 40, 7, 10, 25, 8, 3, 53, 31} {
				p.open(interf, 0)
			}
			must.Get(p.Write(sent))(t)
			must.Do(t, s.Step())
		})
		q := dial(t, s, 0)
		defer q.Close()
		if typ, b := q.ask(1, 0, 1, nil); typ != typeAck || bytes.Count(b, nil) < 10 {
			t.Errorf("got type %d and %d bytes, want the devices", typ, len(b))
		}
	})
}
