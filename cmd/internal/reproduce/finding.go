package reproduce

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Verdict is the relation of a finding to the paper.
type Verdict string

const (
	Reproduced Verdict = "reproduced" // the paper's value, within the tolerance in Rule, or its trend
	Better     Verdict = "better"     // an error or a delay is less than the paper's
	Differs    Verdict = "differs"    // neither reproduced nor better; Why gives the reason
	Beside     Verdict = "beside"     // the paper has no such value; the finding helps to explain others
)

// Finding is a measured value. It can also represent a trend, which holds if the value satisfies Rule.
type Finding struct {
	Name      string
	Value     float64
	Unit      string
	Low, High float64 // ends of the 95 % interval; both 0 if there is no interval
	Reported  string  // the paper's value with its unit, or ""
	Rule      string  // which values have the verdict, such as "at most 2.25 cm"
	Verdict   Verdict
	Why       string // an explanation
}

// AtMost judges a value that should be small. A value up to the paper's value is better, a value up to twice the
// paper's value is reproduced.
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

// Trend judges whether a trend that the paper describes in words holds. It does not hold if the value is NaN.
func Trend(name string, value float64, unit, reported, rule string, holds bool) Finding {
	f := Finding{Name: name, Value: value, Unit: unit, Reported: reported, Rule: rule, Verdict: Differs}
	if holds && !math.IsNaN(value) {
		f.Verdict = Reproduced
	}
	return f
}

// Aside returns a value without a counterpart in the paper.
func Aside(name string, value float64, unit string) Finding {
	return Finding{Name: name, Value: value, Unit: unit, Verdict: Beside}
}

// because returns the finding with an explanation.
func (f Finding) because(format string, args ...any) Finding {
	f.Why = fmt.Sprintf(format, args...)
	return f
}

// within returns the finding with a 95 % interval. It leaves out an interval that is NaN.
func (f Finding) within(low, high float64) Finding {
	if !math.IsNaN(low + high) {
		f.Low, f.High = low, high
	}
	return f
}

// Found formats the value with its unit and interval.
func (f Finding) Found() string {
	text := number(f.Value)
	if f.Low != 0 || f.High != 0 {
		text += fmt.Sprintf(" (%s to %s)", number(f.Low), number(f.High))
	}
	return strings.TrimSpace(text + " " + f.Unit)
}

// MarshalJSON omits empty fields, and writes null for NaN and infinity.
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

// number returns a value as text with three digits.
func number(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1000 && a < 1e7:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a > 0 && a < 1e-6: // rounding errors, below any measurement
		return "< 0.000001"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// joined lists names.
func joined(names []string) string { return strings.Join(names, ", ") }
