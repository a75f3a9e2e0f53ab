package compare

import "slices"

// Side is the expected role of a name.
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

// Verdict is the result of comparing one name.
type Verdict string

// The verdicts. A verdict is an error unless it is in noted.
const (
	OK              Verdict = "ok"
	Missing         Verdict = "missing"
	Silent          Verdict = "silent"
	Several         Verdict = "several publish"
	OtherType       Verdict = "other type"
	OtherQoS        Verdict = "other QoS"
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

// noted holds the verdicts that are no errors.
var noted = []Verdict{OK, NobodyListens, NobodyPublishes, NobodyServes, Absent, OnlyOmnipitch}

// Row is the comparison of one name.
type Row struct {
	Name     string   `json:"name"`
	Side     Side     `json:"side"`
	Robot    *string  `json:"robot,omitempty"` // namespace of the robot; nil for names that robots share
	Expected Thing    `json:"expected"`
	Found    Thing    `json:"found"`
	Verdict  Verdict  `json:"verdict"`
	Amiss    bool     `json:"amiss"` // whether the verdict is an error
	Details  []string `json:"details,omitempty"`
}

// Thing holds the expected or found properties of a name. Unknown properties are empty.
type Thing struct {
	Type  string   `json:"type,omitempty"`
	MD5   string   `json:"md5,omitempty"`     // in ROS 2 the hash of the type
	Rate  *float64 `json:"rate_hz,omitempty"` // messages per second of sim time, or of wall time without a clock
	Value any      `json:"value,omitempty"`   // of a parameter
	By    []string `json:"by,omitempty"`      // nodes that publish or serve
	To    []string `json:"to,omitempty"`      // nodes that subscribe
}

// judge sets the verdict and adds details. It does nothing if the row has an error already, or if it has a verdict and
// v is no error.
func (r *Row) judge(v Verdict, details ...string) {
	r.Details = append(r.Details, details...)
	if r.Amiss || r.Verdict != "" && slices.Contains(noted, v) {
		return
	}
	r.Verdict, r.Amiss = v, !slices.Contains(noted, v)
}

// Report is a whole comparison.
type Report struct {
	Profile string   `json:"profile"`
	Master  string   `json:"master"` // or the domain of ROS 2
	Robots  []string `json:"robots"` // namespaces
	// rate of /clock relative to wall time; nil if no node publishes /clock
	RealTimeFactor *float64 `json:"real_time_factor,omitempty"`
	Rows           []Row    `json:"rows"`
	Others         int      `json:"other_topics"` // number of topics that are not in the profile and have no row
}

// Amiss returns the number of rows with errors.
func (r *Report) Amiss() (n int) {
	for i := range r.Rows {
		if r.Rows[i].Amiss {
			n++
		}
	}
	return n
}
