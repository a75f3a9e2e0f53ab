package worlds

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// Two events are in the same circle exactly if each waits for the other.
func TestCircles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	found := 0
	for range 2000 {
		n := 1 + r.IntN(8)
		w, waits := &World{}, make([][]bool, n)
		name := func(i int) string { return fmt.Sprint("e", i) }
		for i := range n {
			e := Event{Name: name(i)}
			waits[i] = make([]bool, n)
			if after := r.IntN(2 * n); after < n {
				e.After, waits[i][after] = name(after), true
			}
			if k := r.IntN(2 * n); k < n {
				e.When, waits[i][k] = &condition.Choice{Happened: &condition.Happened{Event: name(k)}}, true
			}
			w.Events = append(w.Events, e)
		}
		for k := range n {
			for i := range n {
				for j := range n {
					waits[i][j] = waits[i][j] || waits[i][k] && waits[k][j]
				}
			}
		}
		circles := w.circles()
		for i := range n {
			for j := range n {
				a, b := circles[name(i)], circles[name(j)]
				want := waits[i][j] && waits[j][i]
				if got := a != 0 && a == b; got != want {
					t.Fatalf("%+v: events %d and %d are in circles %d and %d, want the same: %v", w.Events, i, j, a, b, want)
				} else if got {
					found++
				}
			}
		}
	}
	if found == 0 {
		t.Error("no circle was tried")
	}
}

// BenchmarkParseChain measures how long a world of chained events takes to load.
func BenchmarkParseChain(b *testing.B) {
	for _, events := range []int{100, 1000} {
		text := "name = \"w\"\n[[robot]]\nname = \"r\"\nmodel = \"nubot\"\n[[event]]\nname = \"e0\"\nat_s = 1\n"
		for i := 1; i < events; i++ {
			text += fmt.Sprintf("[[event]]\nname = \"e%d\"\nafter = \"e%d\"\n", i, i-1)
		}
		b.Run(fmt.Sprint(events), func(b *testing.B) {
			for b.Loop() {
				must.Get(Parse("w.toml", []byte(text)))(b)
			}
		})
	}
}
