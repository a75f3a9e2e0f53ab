package serve

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRefusalsAreCounted checks that the first of many refusals is printed at once. Later ones are counted, and none is
// lost, even at the end of a run.
func TestRefusalsAreCounted(t *testing.T) {
	var out strings.Builder
	var logged []string
	var due func()
	r := newRefusals(&out, "w", func(text string) { logged = append(logged, text) })
	r.after = func(d time.Duration, f func()) func() bool {
		if d != refusalTime {
			t.Errorf("waits for %v", d)
		}
		due = f
		return func() bool { due = nil; return true }
	}
	r.report(errors.New("a"))
	for _, text := range []string{"b", "c", "d"} {
		r.report(errors.New(text))
	}
	due()
	due() // nothing since the last report
	r.report(errors.New("e"))
	r.report(errors.New("f"))
	r.report(errors.New("g"))
	r.close()
	if due != nil {
		t.Error("close leaves the timer")
	}
	want := []string{"w: command refused: a", "w: command refused: d (and 2 more since)", "w: command refused: e",
		"w: command refused: g (and 1 more since)"}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(logged) != len(want) {
		t.Errorf("logged %q", logged)
	}
}
