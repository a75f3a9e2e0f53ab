package page

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// labels joins the labels of ticks.
func labels(all []plot.Tick) string {
	var texts []string
	for _, tick := range all {
		if tick.Label != "" {
			texts = append(texts, tick.Label)
		}
	}
	return strings.Join(texts, " ")
}

// Labels of ticks differ from their neighbours' and equal the values.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		want        string
	}{{0, 6, "0 1 2 3 4 5 6"}, {1.985, 2.02, "1.99 2.00 2.01 2.02"}, {-0.1, 0.1, "-0.10 -0.05 0.00 0.05 0.10"},
		{0, 40000, "0 10000 20000 30000 40000"}, {-0.05, 0.95, "0.0 0.2 0.4 0.6 0.8"}, {7, 7, "7"}} {
		if got := labels(ticks(c.least, c.most)); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.least, c.most, got, c.want)
		}
	}
}

// A logarithmic axis has enough labels to be read, but not too many.
func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		want        string
	}{{4, 60, "5 10 20 50"}, {0.9, 110, "1 10 100"}, {20, 80, "20 50"}, {0.02, 0.3, "0.02 0.05 0.1 0.2"},
		{0.001, 1000, "0.001 0.01 0.1 1 10 100 1000"}} {
		if got := labels(logTicks(c.least, c.most)); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.least, c.most, got, c.want)
		}
	}
}
