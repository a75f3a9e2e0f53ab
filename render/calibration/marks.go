package calibration

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Mark is a point of a plane and the pixel at which a camera sees it: a mark on the floor, or a corner of a chessboard.
type Mark struct {
	View int     // index of the image; the plane has a pose of its own in each
	U, V float64 // pixels
	X, Y float64 // m: in the plane, whose z axis points to the side of the camera; on a floor, in the robot's frame
}

// maxMarks and maxViews are the largest numbers of marks and of views in a file. They bound the memory and the time of
// fits.
const (
	maxMarks = 5000
	maxViews = 40
)

// leastMarks is the smallest number of marks of a view. It is a guess: a view adds six unknown numbers, a lens up to
// ten.
const leastMarks = 12

// ReadMarks reads the marks of a file of comma-separated values. The first line names the columns: u_px, v_px, x_m,
// y_m, and optionally view, which is any name of the image. Empty lines and lines that start with # are ignored. An
// error names the line. ReadMarks returns the marks and the number of views.
func ReadMarks(in io.Reader) (marks []Mark, views int, err error) {
	r := csv.NewReader(in)
	r.Comment, r.TrimLeadingSpace, r.ReuseRecord = '#', true, true
	header, err := r.Read()
	if err != nil {
		return nil, 0, fmt.Errorf("line 1: must name the columns u_px,v_px,x_m,y_m: %w", err)
	}
	names := []string{"u_px", "v_px", "x_m", "y_m", "view"}
	columns := make([]int, len(names))
	for i, name := range names {
		columns[i] = slices.IndexFunc(header, func(s string) bool { return strings.TrimSpace(s) == name })
		if columns[i] < 0 && name != "view" {
			line, _ := r.FieldPos(0)
			return nil, 0, fmt.Errorf("line %d: there is no column %s: must name u_px, v_px, x_m, y_m, and may name view",
				line, name)
		}
	}
	known := map[string]int{}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		line, _ := r.FieldPos(0)
		var m Mark
		for i, into := range []*float64{&m.U, &m.V, &m.X, &m.Y} {
			text := strings.TrimSpace(record[columns[i]])
			if *into, err = strconv.ParseFloat(text, 64); err != nil || !(math.Abs(*into) <= 1e6) {
				return nil, 0, fmt.Errorf("line %d: %s = %q: must be a number", line, names[i], text)
			}
		}
		if c := columns[4]; c >= 0 {
			name := strings.TrimSpace(record[c])
			if _, ok := known[name]; !ok {
				if len(known) == maxViews {
					return nil, 0, fmt.Errorf("line %d: view %.80q: must have at most %d views", line, name, maxViews)
				}
				known[strings.Clone(name)] = len(known)
			}
			m.View = known[name]
		}
		if marks = append(marks, m); len(marks) > maxMarks {
			return nil, 0, fmt.Errorf("line %d: must have at most %d marks", line, maxMarks)
		}
	}
	return marks, max(len(known), 1), nil
}

// inside returns the marks that are inside an image of a size in pixels. It leaves out marks on the outermost pixels,
// where programs put those that are beyond the image. inside fails if marks are outside, or if too few are left.
func inside(marks []Mark, views, width, height int) (inner []Mark, err error) {
	count := make([]int, views)
	across, down := float64(width)-1, float64(height)-1
	for i, m := range marks {
		switch {
		case !(m.U >= -0.5 && m.U <= across+0.5 && m.V >= -0.5 && m.V <= down+0.5):
			return nil, fmt.Errorf("mark %d: its pixel (%g, %g): must be inside the image of %d × %d", i+1, m.U, m.V, width,
				height)
		case m.U > 0 && m.V > 0 && m.U < across && m.V < down:
			inner = append(inner, m)
			count[m.View]++
		}
	}
	for view, n := range count {
		if n < leastMarks {
			return nil, fmt.Errorf("view %d has %d marks inside the border of the image: must have at least %d", view+1, n,
				leastMarks)
		}
	}
	return inner, nil
}
