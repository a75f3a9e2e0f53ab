//go:build cgo

package referee_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// takenOut switches off parts of the rules that have no name of a rule, by their key.
var takenOut = map[referee.Book]map[string]func(*referee.Rules){
	referee.MSL: {
		"double_yellow_s": func(r *referee.Rules) { r.DoubleYellow = time.Hour },
		"repair_s":        func(r *referee.Rules) { r.Repair = time.Hour },
		"direct":          func(r *referee.Rules) { r.Direct = nil },
		"place_min_s":     func(r *referee.Rules) { r.PlaceMin = r.PlaceMax },
		"put_back_m":      func(r *referee.Rules) { r.PutBack = 100 },
	},
	referee.Humanoid: {
		"removal_s":      func(r *referee.Rules) { r.Removal = time.Hour },
		"take_kickoff_s": func(r *referee.Rules) { r.TakeOff = r.Take },
	},
}

// situations are the folders with situations of each book.
var situations = map[referee.Book]string{
	referee.MSL: "../../testdata/referee", referee.Humanoid: "../../testdata/referee/humanoid",
}

// The referee decides each situation of testdata/referee as its world expects. The name of a file begins with a rule of
// the book or a key of takenOut, and without it the world fails. There is a situation for each rule and each key.
func TestSituationsOfTheReferee(t *testing.T) {
	var cache omnipitch.Cache
	for book, folder := range situations {
		left := maps.Clone(takenOut[book])
		for _, rule := range referee.RulesOf(book) {
			left[rule] = func(r *referee.Rules) { r.Off = append(slices.Clone(r.Off), rule) }
		}
		all := maps.Clone(left)
		for _, file := range must.Get(filepath.Glob(folder + "/*-*.toml"))(t) {
			name := strings.TrimSuffix(filepath.Base(file), ".toml")
			of, _, _ := strings.Cut(name, "-")
			takeOut := all[of]
			if takeOut == nil {
				t.Errorf("%s: there is no rule %s", file, of)
				continue
			}
			delete(left, of)
			t.Run(string(book)+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := simtest.World(t, file)
				if w.Name != name || w.Rules.Book != book {
					t.Errorf("its name is %s and its book %s, want %s and %s", w.Name, w.Rules.Book, name, book)
				}
				opts := omnipitch.Options{NoWorker: true, Cache: &cache}
				if failed := simtest.Unmet(t, w, opts); len(w.Expect) == 0 || len(failed) > 0 {
					t.Errorf("of %d expectations fail %v, want none", len(w.Expect), failed)
				}
				without := *w
				takeOut(&without.Rules.Rules)
				if failed := simtest.Unmet(t, &without, opts); len(failed) == 0 {
					t.Errorf("without %s, no expectation fails", of)
				}
			})
		}
		if len(left) > 0 {
			t.Errorf("no situation of %v", slices.Sorted(maps.Keys(left)))
		}
	}
}
