package rules

import "strings"

// Nearest returns the choice that a word probably means, or "" if no choice is close to the word. It ignores letter
// case and treats - as _. A key that differs only in its unit (rate_ms for rate_hz) is close. Of equally close choices
// it returns the one with the longest common prefix, then the first.
func Nearest(word string, choices []string) string {
	best, least := "", 1<<30
	for _, choice := range choices {
		d := distance(word, choice)
		if d < least || d == least && commonPrefix(word, choice) > commonPrefix(word, best) {
			if d <= len(choice)/3 {
				best, least = choice, d
			}
		}
	}
	if least <= 1 {
		return best
	}
	for _, choice := range choices {
		if choice != "" && stem(choice) == stem(word) {
			return choice
		}
	}
	return best
}

func DidYouMean(word string, choices []string) string {
	if near := Nearest(word, choices); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// commonPrefix returns the number of bytes that two words have in common at their start.
func commonPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func stem(key string) string { return strings.TrimSuffix(key, UnitOf(key).Suffix) }

// distance returns the restricted Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of
// neighbours. If the words cannot be close, it returns a number above any limit.
func distance(a, b string) int {
	if n := len(a) - len(b); n > 4 || n < -4 || len(b) > 64 {
		return 1 << 20
	}
	fold := strings.NewReplacer("-", "_")
	a, b = fold.Replace(strings.ToLower(a)), fold.Replace(strings.ToLower(b))
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
