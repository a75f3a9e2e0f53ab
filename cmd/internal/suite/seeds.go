package suite

import (
	"fmt"
	"strconv"
	"strings"
)

// Seeds are the seeds of a suite, written as numbers and ranges: 1..100 or 1,5,9.
type Seeds []uint64

// MostRuns is the maximum number of runs of a suite. The verdicts of a million runs take about 500 MB of memory.
const MostRuns = 1_000_000

// UnmarshalText parses a list of numbers and ranges.
func (s *Seeds) UnmarshalText(text []byte) error {
	var all Seeds
	known := map[uint64]bool{}
	for item := range strings.SplitSeq(string(text), ",") {
		first, last, err := seedRange(item)
		if err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
		if last-first >= MostRuns-uint64(len(all)) {
			return fmt.Errorf("%q: more than %d seeds", text, MostRuns)
		}
		for seed := first; ; seed++ {
			if known[seed] {
				return fmt.Errorf("%q: names seed %d twice", text, seed)
			}
			known[seed] = true
			all = append(all, seed)
			if seed == last {
				break
			}
		}
	}
	*s = all
	return nil
}

// seedRange parses one seed, or a range of seeds. It returns the first and the last seed of the range.
func seedRange(item string) (first, last uint64, err error) {
	from, to, isRange := strings.Cut(strings.TrimSpace(item), "..")
	if !isRange {
		to = from
	}
	first, err = strconv.ParseUint(from, 10, 63)
	if err == nil {
		last, err = strconv.ParseUint(to, 10, 63)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%q is neither a seed from 0 to 2^63-1, such as 7, nor a range, such as 1..100", item)
	}
	if last < first {
		return 0, 0, fmt.Errorf("%q: a range goes from its smaller seed to its larger one", item)
	}
	return first, last, nil
}
