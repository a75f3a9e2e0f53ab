package page

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

// File is a recording's name and the series to show from it.
type File struct {
	Name   string
	Series []*series.Series
}

// OverTime returns plots of the series of recordings over time, one plot per unit. If there is only one unit, its plot
// also contains the series without a unit, such as the series of topics.
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

// label returns the name of a series. If there are several files, the file's name precedes it.
func label(s *series.Series, f File, files []File) string {
	if len(files) == 1 {
		return s.Name
	}
	return f.Name + ": " + s.Name
}

// curve converts a series to a curve. The curve is interrupted where values are missing for a while, and where an angle
// wraps from π to −π.
func curve(s *series.Series, name string) experiment.Curve {
	c := experiment.Curve{Name: name, Steps: s.Steps}
	for i := range s.Time {
		if i > 0 {
			away := s.Period > 0 && s.Time[i]-s.Time[i-1] > 2.5*s.Period
			if jumps := s.Unit == "rad" && math.Abs(s.Value[i]-s.Value[i-1]) > math.Pi; away || jumps {
				c.Add(s.Time[i], math.NaN())
			}
		}
		c.Add(s.Time[i], s.Value[i])
	}
	return c
}

// WriteCSV writes series as a table with one row for each time at which any of them has a value.
func WriteCSV(w io.Writer, files []File) error {
	out := csv.NewWriter(w)
	header := []string{"time_s"}
	var all []*series.Series
	for _, f := range files {
		for _, s := range f.Series {
			header, all = append(header, label(s, f, files)), append(all, s)
		}
	}
	_ = out.Write(header) // Flush reports errors
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
