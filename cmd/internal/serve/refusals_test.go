package serve

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestRefusalsAreCounted checks that the first of many refusals is printed at once. Later ones are counted, and none is
// lost, even at the end of a run.
func TestRefusalsAreCounted(t *testing.T) {
	var out strings.Builder
	var logged []string
	r := newRefusals(&out, "w", func(text string) { logged = append(logged, text) })
	for i, at := range []time.Duration{0, 0, 1, 2, 6, 7, 8} { // s
		r.report(errors.New(string(rune('a'+i))), time.Unix(1, 0).Add(at*time.Second))
	}
	r.close()
	r.close()
	want := []string{"command refused: a", "command refused: e (and 3 more since)",
		"command refused: g (and 1 more since)"}
	if diff := cmp.Diff(want, logged); diff != "" {
		t.Errorf("log (-want +got)\n%s", diff)
	}
	must.Equal(t, out.String(), "w: "+strings.Join(want, "\nw: ")+"\n", "output")
}
