package compare

import "slices"

// Side is who does what with a name, as the profile expects it.
type Side string

// The sides.
const (
	Publishes  Side = "simulator publishes"
	Subscribes Side = "simulator subscribes"
	Serves     Side = "simulator serves"
	Calls      Side = "simulator calls"
	Parameter  Side = "parameter"
	Nobody     Side = "not in the profile"
)

// Verdict is what a comparison comes to.
type Verdict string

// The verdicts. Those of noted are what a system may well be like.
const (
	OK              Verdict = "ok"
	Missing         Verdict = "missing"
	Silent          Verdict = "silent"
	Several         Verdict = "several publish"
	OtherType       Verdict = "other type"
	OtherRate       Verdict = "other rate"
	OtherValue      Verdict = "other value"
	OutOfReach      Verdict = "out of reach"
	Uncommanded     Verdict = "nobody commands"
	Misnamed        Verdict = "other name"
	NobodyListens   Verdict = "nobody listens"
	NobodyPublishes Verdict = "nobody publishes"
	NobodyServes    Verdict = "nobody serves"
	Absent          Verdict = "not there"
	OnlyOmnipitch   Verdict = "only omnipitch"
)

// noted are verdicts that are not amiss.
var noted = []Verdict{OK, NobodyListens, NobodyPublishes, NobodyServes, Absent, OnlyOmnipitch}

// Row compares one name.
type Row struct {
	Name     string   `json:"name"`
	Side     Side     `json:"side"`
	Robot    *string  `json:"robot,omitempty"` // its namespace; nil of what robots share
	Expected Thing    `json:"expected"`
	Found    Thing    `json:"found"`
	Verdict  Verdict  `json:"verdict"`
	Amiss    bool     `json:"amiss"`
	Details  []string `json:"details,omitempty"`
}

// Thing is what is expected or found; empty where it is unknown or means nothing.
type Thing struct {
	Type  string   `json:"type,omitempty"`
	MD5   string   `json:"md5,omitempty"`
	Rate  *float64 `json:"rate_hz,omitempty"` // messages a second of sim time, where there is a clock
	Value any      `json:"value,omitempty"`   // of a parameter
	By    []string `json:"by,omitempty"`      // nodes that publish or serve
	To    []string `json:"to,omitempty"`      // nodes that subscribe
}

// judge sets a verdict, unless there is a graver one: the first that is amiss stays.
func (r *Row) judge(v Verdict, details ...string) {
	r.Details = append(r.Details, details...)
	if r.Amiss || r.Verdict != "" && slices.Contains(noted, v) {
		return
	}
	r.Verdict, r.Amiss = v, !slices.Contains(noted, v)
}

// Report is a whole comparison.
type Report struct {
	Profile        string   `json:"profile"`
	Master         string   `json:"master"`
	Robots         []string `json:"robots"`                     // namespaces
	RealTimeFactor *float64 `json:"real_time_factor,omitempty"` // of /clock; nil where nobody publishes it
	Rows           []Row    `json:"rows"`
	Others         int      `json:"other_topics"` // topics that the profile does not know, beside those of rows
}

// Amiss counts the rows that are.
func (r *Report) Amiss() (n int) {
	for i := range r.Rows {
		if r.Rows[i].Amiss {
			n++
		}
	}
	return n
}
