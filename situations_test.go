package omnipitch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// unmet runs a world for as long as its tests last, and returns what it did not do that it is expected to.
func unmet(t *testing.T, w *worlds.World, cache *Cache) (failed []expectation.Verdict) {
	t.Helper()
	s, err := New(w, Options{NoWorker: true, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	report, err := s.Run(t.Context(), Pace{For: w.Test.For, Speed: timesync.Max})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range report.Verdicts {
		if v.Outcome != expectation.Passed {
			failed = append(failed, v)
		}
	}
	return failed
}

// Each situation of testdata/referee is decided as its world expects, and not without the rule that its name begins with. Every rule has one.
func TestSituationsOfTheReferee(t *testing.T) {
	files, err := filepath.Glob("testdata/referee/*-*.toml")
	if err != nil {
		t.Fatal(err)
	}
	var cache Cache
	rules := referee.RuleNames()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		rule, _, _ := strings.Cut(name, "-")
		if !slices.Contains(referee.RuleNames(), rule) {
			t.Errorf("%s: there is no rule %s", file, rule)
		}
		rules = slices.DeleteFunc(rules, func(r string) bool { return r == rule })
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := worlds.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if w.Name != name {
				t.Errorf("its name is %s", w.Name)
			}
			if failed := unmet(t, w, &cache); len(w.Expect) == 0 || len(failed) > 0 {
				t.Errorf("%d expectations: %v", len(w.Expect), failed)
			}
			without := *w
			without.Rules.Off = append(slices.Clone(w.Rules.Off), rule)
			if failed := unmet(t, &without, &cache); len(failed) == 0 {
				t.Errorf("without the rule, all that is expected happens too")
			}
		})
	}
	if len(rules) > 0 {
		t.Errorf("no situation of %v", rules)
	}
}
