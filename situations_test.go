package omnipitch

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// unmet runs a world until the end of its expectations, and returns those that it did not meet.
func unmet(t *testing.T, w *worlds.World, opts Options) (failed []expectation.Verdict) {
	t.Helper()
	s, err := New(w, opts)
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

// namesOf returns the names of expectations.
func namesOf(verdicts []expectation.Verdict) (names []string) {
	for _, v := range verdicts {
		names = append(names, v.Name)
	}
	return names
}

// takenOut switches off parts of the rules that have no name of a rule, by their key.
var takenOut = map[string]func(*referee.Rules){
	"double_yellow_s": func(r *referee.Rules) { r.DoubleYellow = time.Hour },
	"repair_s":        func(r *referee.Rules) { r.Repair = time.Hour },
	"direct":          func(r *referee.Rules) { r.Direct = nil },
	"place_min_s":     func(r *referee.Rules) { r.PlaceMin = r.PlaceMax },
	"put_back_m":      func(r *referee.Rules) { r.PutBack = 100 },
}

// The referee decides each situation of testdata/referee as its world expects. The name of a file begins with a rule or
// a key of takenOut, and without it the world fails. There is a situation for each rule and each key.
func TestSituationsOfTheReferee(t *testing.T) {
	files, err := filepath.Glob("testdata/referee/*-*.toml")
	if err != nil {
		t.Fatal(err)
	}
	var cache Cache
	left := maps.Clone(takenOut)
	for _, rule := range referee.RuleNames() {
		left[rule] = func(r *referee.Rules) { r.Off = append(slices.Clone(r.Off), rule) }
	}
	all := maps.Clone(left)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		of, _, _ := strings.Cut(name, "-")
		takeOut := all[of]
		if takeOut == nil {
			t.Errorf("%s: there is no rule %s", file, of)
			continue
		}
		delete(left, of)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := worlds.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if w.Name != name {
				t.Errorf("its name is %s", w.Name)
			}
			if failed := unmet(t, w, Options{NoWorker: true, Cache: &cache}); len(w.Expect) == 0 || len(failed) > 0 {
				t.Errorf("%d expectations: %v", len(w.Expect), failed)
			}
			without := *w
			takeOut(&without.Rules)
			if failed := unmet(t, &without, Options{NoWorker: true, Cache: &cache}); len(failed) == 0 {
				t.Errorf("without %s, all that is expected happens too", of)
			}
		})
	}
	if len(left) > 0 {
		t.Errorf("no situation of %v", slices.Sorted(maps.Keys(left)))
	}
}
