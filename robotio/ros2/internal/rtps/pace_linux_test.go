package rtps

import (
	"fmt"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// A best-effort reader whose receive buffer is the smallest that is common loses nothing, although it reads slower than
// a writer sends. A reader that has stopped does not take the samples from others.
func TestSlowReaders(t *testing.T) {
	const count, size = 10, 921_600
	d := must.Domain(t)
	stop := make(chan struct{})
	defer close(stop)
	a := open(t, Config{Domain: d})
	if _, known := a.out.room(metaAddr(loopback, d, a.index)); !known {
		t.Skip("the kernel does not report the room of receive buffers")
	}
	slow := open(t, Config{Domain: d, drop: func(b []byte) bool {
		if len(b) > 1000 {
			pause()
			pause()
		}
		return false
	}})
	stopped := open(t, Config{Domain: d, drop: func(b []byte) bool {
		if len(b) > 1000 {
			<-stop
		}
		return false
	}})
	must.Do(t, slow.user.SetReadBuffer(212_992/2)) // the kernel doubles it
	w := advertise(t, a, QoS{Depth: 1000})
	in := subscribe(t, slow, QoS{Depth: 1000})
	// whole reports whether all of some samples arrive. On a busy machine, a reader may be too slow for once.
	tries := 0
	whole := func() bool {
		tries++
		end := fmt.Sprint("end", tries)
		for range count {
			must.Get(w.Write(Outgoing{Head: []byte{0, 1, 0, 0}, Body: make([]byte, size)}))(t)
		}
		before := in.bytes.Load()
		must.Until(t, "the end", func() bool {
			must.Get(w.Write(Outgoing{Head: text(end)}))(t)
			all := in.payload.All()
			return len(all) > 0 && strings.Contains(all[len(all)-1], end)
		})
		return in.bytes.Load()-before >= count*size
	}
	must.Until(t, "a match", func() bool { return w.NumMatched() == 1 && in.NumMatched() == 1 })
	must.Until(t, "all samples", whole)
	dead := subscribe(t, stopped, QoS{Depth: count})
	must.Until(t, "a match", func() bool { return w.NumMatched() == 2 && dead.NumMatched() == 1 })
	must.Until(t, "all samples", whole)
}
