package reproduce

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Verdict says how what was found stands to what a paper reports.
type Verdict string

const (
	Reproduced Verdict = "reproduced" // the paper's value, within what the finding says, or its trend
	Better     Verdict = "better"     // of an error or a delay: less than the paper's
	Differs    Verdict = "differs"    // neither; Why says for which reason
	Beside     Verdict = "beside"     // has no counterpart in the paper: helps to explain
)

// Finding is one number that was found, or a trend that holds if the number has the sign or size that Rule says.
type Finding struct {
	Name      string
	Value     float64
	Unit      string
	Low, High float64 // 95 % interval of the value; both 0 where there is none
	Reported  string  // what the paper reports, with its unit; "" where it has no such value
	Rule      string  // which values have the verdict: "at most 2.25 cm"
	Verdict   Verdict
	Why       string // what explains it
}

// AtMost judges a value that is the better the less it is: the paper's or less is better, up to twice as much is
// reproduced.
func AtMost(name string, value, reported float64, unit string) Finding {
	f := Finding{Name: name, Value: value, Unit: unit, Reported: number(reported) + " " + unit, Verdict: Differs,
		Rule: "up to twice as much is reproduced"}
	switch {
	case value <= reported:
		f.Verdict, f.Rule = Better, ""
	case value <= 2*reported:
		f.Verdict = Reproduced
	}
	return f
}

// Trend judges whether what the paper reports in words holds. It never does of a value that is no number.
func Trend(name string, value float64, unit, reported, rule string, holds bool) Finding {
	f := Finding{Name: name, Value: value, Unit: unit, Reported: reported, Rule: rule, Verdict: Differs}
	if holds && !math.IsNaN(value) {
		f.Verdict = Reproduced
	}
	return f
}

// Aside is a value without a counterpart in the paper.
func Aside(name string, value float64, unit string) Finding {
	return Finding{Name: name, Value: value, Unit: unit, Verdict: Beside}
}

// because says why.
func (f Finding) because(format string, args ...any) Finding {
	f.Why = fmt.Sprintf(format, args...)
	return f
}

// within adds the value's 95 % interval, if it has one.
func (f Finding) within(low, high float64) Finding {
	if !math.IsNaN(low + high) {
		f.Low, f.High = low, high
	}
	return f
}

// Found is the value with its unit and its interval.
func (f Finding) Found() string {
	text := number(f.Value)
	if f.Low != 0 || f.High != 0 {
		text += fmt.Sprintf(" (%s to %s)", number(f.Low), number(f.High))
	}
	return strings.TrimSpace(text + " " + f.Unit)
}

// MarshalJSON leaves out what is empty, and writes null for what is no number.
func (f Finding) MarshalJSON() ([]byte, error) {
	m := struct {
		Name     string      `json:"name"`
		Value    *float64    `json:"value"`
		Unit     string      `json:"unit,omitempty"`
		Interval *[2]float64 `json:"interval,omitempty"`
		Reported string      `json:"reported,omitempty"`
		Rule     string      `json:"rule,omitempty"`
		Verdict  Verdict     `json:"verdict"`
		Why      string      `json:"why,omitempty"`
	}{f.Name, nil, f.Unit, nil, f.Reported, f.Rule, f.Verdict, f.Why}
	if !math.IsNaN(f.Value) && !math.IsInf(f.Value, 0) {
		m.Value = &f.Value
	}
	if (f.Low != 0 || f.High != 0) && !math.IsInf(f.Low, 0) && !math.IsInf(f.High, 0) {
		m.Interval = &[2]float64{f.Low, f.High}
	}
	return json.Marshal(m)
}

// number writes a value with three digits.
func number(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1000 && a < 1e7:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a > 0 && a < 1e-6: // what additions of float64 leave, and what nobody measures
		return "< 0.000001"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// joined lists names.
func joined(names []string) string { return strings.Join(names, ", ") }
