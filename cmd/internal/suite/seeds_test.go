package suite

import (
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestSeeds checks valid and invalid lists and ranges of seeds.
func TestSeeds(t *testing.T) {
	for text, want := range map[string]Seeds{
		"7": {7}, "1..4": {1, 2, 3, 4}, "1,5,9": {1, 5, 9}, "3..3": {3}, "8..9,0..1": {8, 9, 0, 1}, " 1 , 2 ": {1, 2},
		"9223372036854775807": {1<<63 - 1},
	} {
		var got Seeds
		if err := got.UnmarshalText([]byte(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "neither", "x": "neither", "1..": "neither", "..5": "neither", "-1": "neither", "1.5": "neither",
		"1..2..3": "neither", "9223372036854775808": "neither",
		"5..1": "smaller", "1..3,2": "seed 2 twice", "1..1000001": "more than", "0..9223372036854775807": "more than",
	} {
		var got Seeds
		must.Fail(t, got.UnmarshalText([]byte(text)), want, text)
	}
}

// FuzzSeeds checks that accepted seeds are at least one and at most MostRuns.
func FuzzSeeds(f *testing.F) {
	for _, text := range []string{"1..100", "7", "1,5,9", "18446744073709551615..0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Seeds
		if err := s.UnmarshalText([]byte(text)); err == nil && (len(s) == 0 || len(s) > MostRuns) {
			t.Errorf("%q: %d seeds", text, len(s))
		}
	})
}
