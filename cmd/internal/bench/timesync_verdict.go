package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
)

// verdict summarizes the errors of a run in words.
type verdict struct {
	speed string
	// spans for which our error is less than, about equal to, or greater than the error of the best other method
	better, alike, worse []time.Duration
	most, least          float64 // range of the ratio of the best other method's error to ours
	// spans for which our error is less than Beck et al. 2008 report, spans for which it is not, and all spans for
	// which the run was long enough
	within, beyond, judged []time.Duration
}

// alike is the relative difference up to which errors count as equal. 5 % is a guess: the errors of two runs of one
// load differ by about as much.
const alike = 0.05

func judge(t *timing) *verdict {
	v := &verdict{speed: t.Speed.String()}
	for k, d := range t.Spans {
		if len(t.Errors[0][k]) == 0 {
			continue
		}
		own := t.Mean(0, k)
		_, best := t.Best(k)
		times := best / own
		if own == best { // also if both are 0
			times = 1
		}
		if len(v.judged) == 0 {
			v.most, v.least = times, times
		}
		v.judged = append(v.judged, d)
		v.most, v.least = max(v.most, times), min(v.least, times)
		switch {
		case times > 1+alike:
			v.better = append(v.better, d)
		case times < 1-alike:
			v.worse = append(v.worse, d)
		default:
			v.alike = append(v.alike, d)
		}
		if own < intervals.Reported(d) {
			v.within = append(v.within, d)
		} else {
			v.beyond = append(v.beyond, d)
		}
	}
	return v
}

func (v *verdict) String() string {
	if len(v.judged) == 0 {
		return "verdict: none, the run was too short"
	}
	var parts []string
	add := func(what string, spans []time.Duration) {
		if len(spans) > 0 {
			parts = append(parts, what+" over "+v.ranges(spans))
		}
	}
	add("better than every other method", v.better)
	add("like the best other method", v.alike)
	add("worse than the best other method", v.worse)
	text := "verdict: omnipitch's forecasts are " + strings.Join(parts, ", ")
	text += fmt.Sprintf("; the best other method is off by %.3g to %.3g times as much.\n", v.least, v.most)
	switch {
	case len(v.beyond) == 0:
		text += "Within the 2 % (to 100 ms) and 4 % (to 500 ms) of Beck et al. 2008 over " + v.ranges(v.within) + "."
	case len(v.within) == 0:
		text += "Not within the 2 % (to 100 ms) and 4 % (to 500 ms) of Beck et al. 2008 over any interval."
	default:
		text += "Within the 2 % (to 100 ms) and 4 % (to 500 ms) of Beck et al. 2008 over " + v.ranges(v.within) +
			", and not over " + v.ranges(v.beyond) + "."
	}
	return text
}

// ranges returns spans as text. Spans that follow each other in v.judged become a range such as "10 to 100 ms".
func (v *verdict) ranges(spans []time.Duration) string {
	var texts []string
	for i := 0; i < len(spans); {
		end, at := i, slices.Index(v.judged, spans[i])
		for end+1 < len(spans) && at+end+1-i < len(v.judged) && v.judged[at+end+1-i] == spans[end+1] {
			end++
		}
		text := intervals.Millis(spans[i])
		if end > i {
			text += " to " + intervals.Millis(spans[end])
		}
		texts = append(texts, text)
		i = end + 1
	}
	return strings.Join(texts, ", ") + " ms"
}

// verdicts are the verdicts of all runs.
type verdicts []*verdict

func (all *verdicts) add(t *timing) { *all = append(*all, judge(t)) }

// print prints, for each speed, how many forecasts are better than, equal to and worse than the best other method, and
// how many have at most the reported errors.
func (all verdicts) print(out io.Writer) {
	fmt.Fprintln(out, "\nVerdict, by speed: over how many intervals of all runs omnipitch's forecasts are …")
	var speeds []string
	for _, v := range all {
		if !slices.Contains(speeds, v.speed) {
			speeds = append(speeds, v.speed)
		}
	}
	for _, speed := range speeds {
		var better, same, worse, within, judged int
		for _, v := range all {
			if v.speed == speed {
				better, same, worse = better+len(v.better), same+len(v.alike), worse+len(v.worse)
				within, judged = within+len(v.within), judged+len(v.judged)
			}
		}
		fmt.Fprintf(out, "%s: %d of %d better than every other method, %d like the best, %d worse; %d of %d within "+
			"what Beck et al. 2008 report\n",
			speed, better, judged, same, worse, within, judged)
	}
}
