package suite

import (
	"fmt"

	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// tally is what has been decided of a world in each of its episodes: each reset ends one, with a verdict on each
// expectation, as the end of the run ends the last.
type tally struct {
	expected int                   // expectations
	episodes int                   // that have begun
	verdicts []expectation.Verdict // of one episode after the other
}

// add notes a verdict.
func (t *tally) add(v expectation.Verdict) { t.verdicts = append(t.verdicts, v) }

// decided tells whether all expectations are, in the present episode.
func (t *tally) decided() bool {
	return t.expected > 0 && len(t.verdicts) == t.episodes*t.expected
}

// finish notes the verdicts of the last episode at its end.
func (t *tally) finish(last []expectation.Verdict) {
	t.verdicts = append(t.verdicts[:max(t.episodes-1, 0)*t.expected], last...)
}

// worst returns each expectation's worst verdict, of the first episode that has it, in the order of the world. After an
// error there are those up to it.
func (t *tally) worst(list []expectation.Expectation) (all []expectation.Verdict) {
	rank := map[expectation.Outcome]int{expectation.Passed: 1, expectation.Undecided: 2, expectation.Failed: 3}
	for i := range list {
		var worst expectation.Verdict
		for k, v := range t.verdicts {
			if v.Name != list[i].Name || rank[v.Outcome] <= rank[worst.Outcome] {
				continue
			}
			if worst = v; t.episodes > 1 && v.Outcome != expectation.Passed {
				worst.Was += fmt.Sprintf(", in episode %d of %d", k/t.expected+1, t.episodes)
			}
		}
		if worst.Name != "" {
			all = append(all, worst)
		}
	}
	return all
}
