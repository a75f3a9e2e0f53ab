package track

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// FuzzDecode checks that no block with a valid checksum makes the decoder, or a user of its states, panic or hang.
func FuzzDecode(f *testing.F) {
	m := testModel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 5} {
		e := NewEncoder(m, n, n)
		s := m.Start()
		for range n {
			s.Step++
			s.Touches = make([]physics.Touch, rng.IntN(3))
			s.Events = make([]physics.Event, rng.IntN(2))
			s.Robots[0].TwistWBInW.Lin[0] = rng.Float64()
			must.Get(e.Add(s, false))(f)
		}
		_, block := e.Block()
		f.Add(append([]byte(nil), block[:len(block)-4]...))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		block := binary.LittleEndian.AppendUint32(body[:len(body):len(body)], crc32.Checksum(body, castagnoli))
		ReadHeader(block)
		var d Decoder
		h, err := d.Decode(block)
		if err != nil {
			if text := err.Error(); strings.Contains(text, "\n") || d.Len() != 0 {
				t.Fatalf("%q, and %d states", text, d.Len())
			}
			return
		}
		var s physics.Snapshot
		for i := range d.Len() {
			d.State(i, &s)
			Diff(&s, m.Start(), m)
		}
		blocks := &Blocks{}
		blocks.Add(h, block)
		blocks.Add(h, block) // the steps go back
		p, err := NewPlayback(m, blocks, h.Episode)
		if err != nil {
			return
		}
		for range 2 * d.Len() {
			p.Settle()
			p.PlaceBall(mgl64.Vec3{}, spatial.Twist{})
			p.Snapshot(&s)
			p.Step(nil)
			p.GoTo(s.Step ^ 1)
		}
	})
}

func TestDamagedBlocksSaySo(t *testing.T) {
	m := testModel()
	e := NewEncoder(m, 0, 2)
	for range 2 {
		must.Get(e.Add(m.Start(), false))(t)
	}
	_, block := e.Block()
	var d Decoder
	for n := range block {
		cut := block[:n]
		if _, err := d.Decode(cut); err == nil || d.Len() != 0 {
			t.Fatalf("%d of %d bytes: error %v, %d states", n, len(block), err, d.Len())
		}
		flipped := append([]byte(nil), block...)
		flipped[n] ^= 0x10
		must.Refuse(d.Decode(flipped))(t, "block of states", n)
	}
	other := append([]byte(nil), block...)
	other[0] = 9
	must.Refuse(d.Decode(other))(t, "format 9", "another format")
}
