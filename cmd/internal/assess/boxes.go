package assess

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// BoxConfig says how boxes are judged.
type BoxConfig struct {
	Overlap float64 // least intersection over union of a detection and the label that it finds
	False   float64 // false detections of a class per photograph that determine its threshold
}

// BoxResult is the judgement of a detector on photographs.
type BoxResult struct {
	Photographs int           `json:"photographs"`
	Overlap     float64       `json:"overlap"`
	Classes     []ClassResult `json:"classes"`
	all         []Photograph
	samples     []BoxSample
}

// falseRates are the rates of false detections, per photograph, at which recall is reported.
var falseRates = []float64{0.03, 0.1, 0.3, 1}

// ClassResult is the judgement of one class. At the threshold of the configured rate of false detections, Found of its
// Labels are found. Recalls has the recall at each of falseRates.
type ClassResult struct {
	Class     int      `json:"class"`
	Name      string   `json:"name"`
	Labels    int      `json:"labels"`
	Found     int      `json:"found"`
	False     int      `json:"false"`
	Recall    Figure   `json:"recall"`
	Threshold Figure   `json:"threshold"` // unknown if there is no detection
	Recalls   []Figure `json:"recalls"`
	Sizes     []Part   `json:"sizes"`  // by the longer side of a label, pixels
	Series    []Part   `json:"series"` // by the part of a photograph's name before the first _
}

// Part is a part of the labels of a class, and the false detections of this part.
type Part struct {
	Name   string `json:"name"`
	Labels int    `json:"labels"`
	Found  int    `json:"found"`
	False  int    `json:"false"`
	Recall Figure `json:"recall"`
}

// BoxSample is a detection of a label, a detection without a label, or a label without a detection.
type BoxSample struct {
	Photograph int
	Outcome    Outcome
	Label      Box  // zero for a false detection
	Found      Box  // zero for a miss
	Counts     bool // whether the confidence of Found reaches the threshold of its class
}

// JudgeBoxes judges detections. For each class and photograph, detections are matched in the order of their confidence:
// each finds the free label of its class that it overlaps most, if it overlaps that enough. Other detections are false.
// A photograph's labels are thus found by the same detections at each threshold.
func JudgeBoxes(all []Photograph, classes []string, cfg BoxConfig) *BoxResult {
	r := &BoxResult{Photographs: len(all), Overlap: cfg.Overlap, all: all}
	numbers := map[int]bool{}
	for i := range all {
		for _, b := range slices.Concat(all[i].Labels, all[i].Found) {
			numbers[b.Class] = true
		}
		r.samples = append(r.samples, matchBoxes(i, &all[i], cfg.Overlap)...)
	}
	for class := range numbers {
		c := ClassResult{Class: class, Name: fmt.Sprint("class ", class)}
		if class < len(classes) && classes[class] != "" {
			c.Name = classes[class]
		}
		r.Classes = append(r.Classes, c)
	}
	slices.SortFunc(r.Classes, func(a, b ClassResult) int { return cmp.Compare(a.Class, b.Class) })
	for i := range r.Classes {
		r.judge(&r.Classes[i], cfg.False)
	}
	return r
}

// matchBoxes returns the samples of a photograph.
func matchBoxes(index int, p *Photograph, least float64) (all []BoxSample) {
	found := slices.Clone(p.Found)
	slices.SortStableFunc(found, func(a, b Box) int { return cmp.Compare(b.Confidence, a.Confidence) })
	taken := make([]bool, len(p.Labels))
	for _, f := range found {
		best, most := -1, least
		for i := range p.Labels {
			if l := &p.Labels[i]; l.Class == f.Class && !taken[i] {
				if o := f.overlap(l); o > 0 && o >= most {
					best, most = i, o
				}
			}
		}
		s := BoxSample{Photograph: index, Outcome: False, Found: f}
		if best >= 0 {
			taken[best] = true
			s.Outcome, s.Label = Hit, p.Labels[best]
		}
		all = append(all, s)
	}
	for i, t := range taken {
		if !t {
			all = append(all, BoxSample{Photograph: index, Outcome: Miss, Label: p.Labels[i]})
		}
	}
	return all
}

// class returns the class of a sample.
func (s *BoxSample) class() int {
	if s.Outcome == Miss {
		return s.Label.Class
	}
	return s.Found.Class
}

// judge computes the figures of a class.
func (r *BoxResult) judge(c *ClassResult, falseRate float64) {
	var confidences, wrong []float64 // of hits and of false detections, descending
	for i := range r.samples {
		s := &r.samples[i]
		if s.class() != c.Class {
			continue
		}
		if s.Outcome != False {
			c.Labels++
		}
		if s.Outcome == Hit {
			confidences = append(confidences, s.Found.Confidence)
		} else if s.Outcome == False {
			wrong = append(wrong, s.Found.Confidence)
		}
	}
	slices.Sort(confidences)
	slices.Sort(wrong)
	slices.Reverse(wrong)
	// above is the largest confidence that is too small: that of the first false detection too many.
	above := func(rate float64) float64 {
		if most := int(math.Floor(rate*float64(r.Photographs) + 1e-9)); most < len(wrong) {
			return wrong[most]
		}
		return -1
	}
	hits := func(above float64) int {
		n, _ := slices.BinarySearchFunc(confidences, above, func(x, above float64) int {
			if x > above {
				return 1
			}
			return -1
		})
		return len(confidences) - n
	}
	for _, rate := range falseRates {
		c.Recalls = append(c.Recalls, ratio(hits(above(rate)), c.Labels))
	}
	limit := above(falseRate)
	c.Found, c.Threshold = hits(limit), unknown
	c.Recall = ratio(c.Found, c.Labels)
	sizes, series := map[string]*Part{}, map[string]*Part{}
	for i := range r.samples {
		s := &r.samples[i]
		if s.class() != c.Class {
			continue
		}
		s.Counts = s.Outcome != Miss && s.Found.Confidence > limit
		if s.Counts && !(s.Found.Confidence >= float64(c.Threshold)) {
			c.Threshold = Figure(s.Found.Confidence)
		}
		if s.Counts && s.Outcome == False {
			c.False++
		}
		box := s.Label
		if s.Outcome == False {
			box = s.Found
		}
		name, _, _ := strings.Cut(r.all[s.Photograph].Name, "_")
		s.addTo(sizes, sizeName(max(box.Width, box.Height)))
		s.addTo(series, name)
	}
	c.Sizes, c.Series = partsOf(sizes), partsOf(series)
}

// addTo adds a sample to a part.
func (s *BoxSample) addTo(parts map[string]*Part, name string) {
	p := parts[name]
	if p == nil {
		p = &Part{Name: name}
		parts[name] = p
	}
	if s.Outcome != False {
		p.Labels++
	}
	if s.Counts && s.Outcome == Hit {
		p.Found++
	} else if s.Counts {
		p.False++
	}
}

// sizeName returns the name of the range of sizes, with powers of two as limits, that contains size, pixels.
func sizeName(size float64) string {
	low := 8.0
	for size >= 2*low && low < 256 {
		low *= 2
	}
	switch {
	case size < low:
		return fmt.Sprintf("  0 to   %g", low)
	case low == 256:
		return fmt.Sprintf("%3g and more", low)
	}
	return fmt.Sprintf("%3g to %3g", low, 2*low)
}

// partsOf returns the parts that have labels or false detections, in the order of their names.
func partsOf(parts map[string]*Part) []Part {
	all := []Part{}
	for _, p := range parts {
		if p.Labels+p.False > 0 {
			p.Recall = ratio(p.Found, p.Labels)
			all = append(all, *p)
		}
	}
	slices.SortFunc(all, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Least is the least recall of a class that a user expects.
type Least struct {
	Class  string
	Recall float64
}

// ParseLeast parses CLASS=SHARE.
func ParseLeast(text string) (l Least, err error) {
	class, share, _ := strings.Cut(text, "=")
	l.Class = class
	l.Recall, err = strconv.ParseFloat(share, 64)
	if err != nil || class == "" || !(l.Recall >= 0 && l.Recall <= 1) {
		return l, fmt.Errorf("= %q: must be CLASS=SHARE, such as ball=0.6, with a share in [0, 1]", text)
	}
	return l, nil
}

// Missed returns a sentence if the recall of the class is less than expected, and an error if there is no such class.
func (r *BoxResult) Missed(l Least) (string, error) {
	var names []string
	for i := range r.Classes {
		c := &r.Classes[i]
		if c.Name != l.Class {
			names = append(names, c.Name)
		} else if !(float64(c.Recall) >= l.Recall) {
			return fmt.Sprintf("%d of %d labels of class %s are found: must be at least %g", c.Found, c.Labels, c.Name,
				l.Recall), nil
		} else {
			return "", nil
		}
	}
	return "", fmt.Errorf("class %s: is no class of the photographs, which are %s", l.Class, strings.Join(names, ", "))
}

// Words writes the judgement as text.
func (r *BoxResult) Words(w io.Writer) {
	percent := written("%.1f %%", 100)
	fmt.Fprintf(w, "%d photographs; a detection finds a label with an overlap of at least %g\n", r.Photographs,
		r.Overlap)
	fmt.Fprintf(w, "%-14s labels   found          false  confidence | found with", "class")
	for _, f := range falseRates {
		fmt.Fprintf(w, " %7g", f)
	}
	fmt.Fprintln(w, " false per photograph")
	for i := range r.Classes {
		c := &r.Classes[i]
		fmt.Fprintf(w, "%-14s %6d  %6d %8s %6d  %10s |           ", c.Name, c.Labels, c.Found, percent(c.Recall),
			c.False, written("%.3f", 1)(c.Threshold))
		for _, x := range c.Recalls {
			fmt.Fprintf(w, " %7s", percent(x))
		}
		fmt.Fprintln(w)
	}
	for i := range r.Classes {
		c := &r.Classes[i]
		if !c.Threshold.Known() {
			continue
		}
		for k, parts := range [][]Part{c.Sizes, c.Series} {
			fmt.Fprintf(w, "%s by %s:\n", c.Name, []string{"longer side in pixels", "series"}[k])
			for _, p := range parts {
				fmt.Fprintf(w, "  %-14s %3d of %3d found, %d false\n", p.Name, p.Found, p.Labels, p.False)
			}
		}
	}
}

// WriteCSV writes a row for each sample. Boxes are in pixels. A field without a value is empty.
func (r *BoxResult) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"photograph", "class", "outcome", "confidence", "counts", "overlap", "label_x", "label_y",
		"label_width", "label_height", "found_x", "found_y", "found_width", "found_height"})
	for i := range r.samples {
		s := &r.samples[i]
		row := []string{r.all[s.Photograph].Name, strconv.Itoa(s.class()), string(s.Outcome), "", "", ""}
		if s.Outcome != Miss {
			row[3], row[4] = number(s.Found.Confidence), strconv.FormatBool(s.Counts)
		}
		if s.Outcome == Hit {
			row[5] = number(s.Found.overlap(&s.Label))
		}
		for k, b := range []*Box{&s.Label, &s.Found} {
			if none := []Outcome{False, Miss}[k]; s.Outcome == none {
				row = append(row, "", "", "", "")
				continue
			}
			row = append(row, number(b.X), number(b.Y), number(b.Width), number(b.Height))
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}
