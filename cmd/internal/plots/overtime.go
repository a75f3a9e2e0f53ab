package plots

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/robotio/series"
)

// File is what is shown of a recording.
type File struct {
	Name   string
	Series []*series.Series
}

// OverTime returns plots of numbers of recordings over time, one for each unit. Numbers whose unit nobody knows, as
// those of topics, are shown with the others if those have one unit.
func OverTime(files []File) (all []experiment.Plot) {
	var titles, units []string
	for _, f := range files {
		titles = append(titles, f.Name)
		for _, s := range f.Series {
			if s.Unit != "" && !slices.Contains(units, s.Unit) {
				units = append(units, s.Unit)
			}
		}
	}
	for _, f := range files {
		for _, s := range f.Series {
			unit := s.Unit
			if unit == "" && len(units) == 1 {
				unit = units[0]
			}
			i := slices.IndexFunc(all, func(p experiment.Plot) bool { return p.YLabel == unit })
			if i < 0 {
				i = len(all)
				all = append(all, experiment.Plot{Title: strings.Join(titles, ", "), XLabel: "time, s", YLabel: unit})
			}
			all[i].Curves = append(all[i].Curves, curve(s, label(s, f, files)))
		}
	}
	return all
}

// label names a series of one of several files.
func label(s *series.Series, f File, files []File) string {
	if len(files) == 1 {
		return s.Name
	}
	return f.Name + ": " + s.Name
}

// curve returns a series as a curve, which ends where there are no values for a while, and where an angle goes from π
// to −π, and begins anew.
func curve(s *series.Series, name string) experiment.Curve {
	c := experiment.Curve{Name: name, Steps: s.Steps}
	for i := range s.Time {
		if i > 0 {
			away := s.Period > 0 && s.Time[i]-s.Time[i-1] > 2.5*s.Period
			if jumps := s.Unit == "rad" && math.Abs(s.Value[i]-s.Value[i-1]) > math.Pi; away || jumps {
				c.X, c.Y = append(c.X, s.Time[i]), append(c.Y, math.NaN())
			}
		}
		c.X, c.Y = append(c.X, s.Time[i]), append(c.Y, s.Value[i])
	}
	return c
}

// WriteCSV writes numbers as a table, with a row for each time that one of them has a value at.
func WriteCSV(w io.Writer, files []File) error {
	out := csv.NewWriter(w)
	header := []string{"time_s"}
	var all []*series.Series
	for _, f := range files {
		for _, s := range f.Series {
			header, all = append(header, label(s, f, files)), append(all, s)
		}
	}
	_ = out.Write(header) // Flush tells of errors
	next := make([]int, len(all))
	row := make([]string, len(header))
	for {
		now := math.Inf(1)
		for i, s := range all {
			if next[i] < len(s.Time) {
				now = min(now, s.Time[next[i]])
			}
		}
		if math.IsInf(now, 1) {
			break
		}
		row[0] = strconv.FormatFloat(now, 'g', -1, 64)
		for i, s := range all {
			row[i+1] = ""
			if next[i] < len(s.Time) && s.Time[next[i]] == now {
				row[i+1] = strconv.FormatFloat(s.Value[next[i]], 'g', -1, 64)
				next[i]++
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
