package python

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// BenchmarkDecide measures one decision of ten agents that play five against five at level objects.
func BenchmarkDecide(b *testing.B) {
	fd := must.Get(unix.MemfdCreate("test", 0))(b)
	defer os.NewFile(uintptr(fd), "test").Close()
	m := must.Get(mapMemory(fd))(b)
	defer m.close()
	s := &server{memory: m, cache: omnipitch.Cache{}}
	var a reply
	must.Do(b, s.carryOut(b.Context(), &request{Op: "open", Open: openRequest{World: "task-5v5", Batch: true}}, &a))
	defer s.close()
	must.Do(b, s.carryOut(b.Context(), &request{Op: "task", Simulations: []int{0}}, &a))
	r := s.all[0].task
	*r.order = nextStart
	must.Do(b, r.carryOut(b.Context()))
	*r.order = decide
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for k := range r.actions {
			r.actions[k] = float32((i/30+k)%7)/3 - 1
		}
		must.Do(b, r.carryOut(b.Context()))
	}
}
