package suite

import (
	"time"

	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// tally is what has been decided of a world, which may begin again.
type tally struct {
	verdicts []expectation.Verdict // since the world has begun last
	known    int                   // of them before the present step
	before   []expectation.Verdict // those before that failed: what follows does not mend it
}

// add notes a verdict of the present step.
func (t *tally) add(v expectation.Verdict) { t.verdicts = append(t.verdicts, v) }

// end notes that the judge is done with a step. It ends at time 0 when the world begins.
func (t *tally) end(now time.Duration) {
	if now == 0 {
		for _, v := range t.verdicts[:t.known] {
			if v.Outcome == expectation.Failed {
				t.before = append(t.before, v)
			}
		}
		t.verdicts = t.verdicts[t.known:]
	}
	t.known = len(t.verdicts)
}
