package suite

import (
	"fmt"

	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// tally holds the verdicts of a run, ordered by episode. A reset of the world ends an episode. Each episode ends with
// one verdict for each expectation. The end of the run ends the last episode.
type tally struct {
	expected int                   // number of expectations of the world
	episodes int                   // number of episodes that have started
	verdicts []expectation.Verdict // ordered by episode
}

// add adds a verdict on an expectation of the current episode.
func (t *tally) add(v expectation.Verdict) { t.verdicts = append(t.verdicts, v) }

// decided reports whether all expectations of the current episode are decided.
func (t *tally) decided() bool {
	return t.expected > 0 && len(t.verdicts) == t.episodes*t.expected
}

// finish replaces the verdicts of the last episode by the argument last.
func (t *tally) finish(last []expectation.Verdict) {
	t.verdicts = append(t.verdicts[:max(t.episodes-1, 0)*t.expected], last...)
}

// worst returns, for each expectation in the argument list, the worst verdict of all episodes. If several episodes have
// this verdict, the first of them counts. If the run ended with an error, only the verdicts before the error count.
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
