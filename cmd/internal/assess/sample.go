package assess

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"time"
)

// Outcome is what became of a thing in a frame.
type Outcome string

const (
	Hit   Outcome = "hit"   // it is reported
	Miss  Outcome = "miss"  // the camera sees at least a part of it, and it is not reported
	False Outcome = "false" // what is reported is not there
)

// Sample is one report joined with the truth of its stamp, or the lack of one. Lengths are metres, angles radians; what
// is not known is NaN.
type Sample struct {
	Topic   int // index into Config.Topics
	Kind    Kind
	Outcome Outcome
	Stamp   time.Duration // sim time, of the report; of a miss, of the frame
	Delay   time.Duration // from the stamp until it came; −1 where there is no header, or no report
	Counts  bool          // among those that a miss rate is of: so much of it is visible, and so near
	Name    string        // of the ball, robot or obstacle; empty of what is false
	ID      string        // as reported
	Swapped bool          // the report takes it for another one

	// Where the robot truly was, W, and how fast, over the floor: m/s and rad/s.
	RobotX, RobotY, RobotHeading float64
	Speed, Turn                  float64
	// The thing in the robot's frame, truly; of what is false, as reported; of the robot itself, all 0.
	Distance, Bearing float64
	TargetSpeed       float64 // over the floor, m/s
	Visible           float64 // share of its silhouette, 0 to 1
	Light             float64 // stops above that of a common hall

	// Position, in the robot's frame; of the robot itself, in W. Of a miss, what is said is NaN.
	TrueX, TrueY float64
	SaidX, SaidY float64
	HeadingError float64 // of the robot itself
	Confidence   float64 // as reported
}

// Off is how far the report is from the truth over the floor, m.
func (s *Sample) Off() float64 { return math.Hypot(s.SaidX-s.TrueX, s.SaidY-s.TrueY) }

// Along and Across are the parts of the error in a direction and to the left of that: of the robot itself its heading,
// else from the robot to the thing.
func (s *Sample) Along() float64  { return s.turned(1, 0) }
func (s *Sample) Across() float64 { return s.turned(0, 1) }

func (s *Sample) turned(along, across float64) float64 {
	dx, dy := s.SaidX-s.TrueX, s.SaidY-s.TrueY
	sin, cos := math.Sincos(s.direction())
	return along*(cos*dx+sin*dy) + across*(cos*dy-sin*dx)
}

func (s *Sample) direction() float64 {
	if s.Kind == Self {
		return s.RobotHeading
	}
	return s.Bearing
}

// RangeError and BearingError are those of a thing's distance and bearing from the robot.
func (s *Sample) RangeError() float64 {
	return math.Hypot(s.SaidX, s.SaidY) - math.Hypot(s.TrueX, s.TrueY)
}
func (s *Sample) BearingError() float64 {
	return math.Remainder(math.Atan2(s.SaidY, s.SaidX)-math.Atan2(s.TrueY, s.TrueX), 2*math.Pi)
}

// sampleColumns are those of the table, in the units that their names say.
var sampleColumns = []struct {
	name  string
	value func(r *Result, s *Sample) string
}{
	{"topic", func(r *Result, s *Sample) string { return r.Config.Topics[s.Topic].Name }},
	{"kind", func(_ *Result, s *Sample) string { return string(s.Kind) }},
	{"outcome", func(_ *Result, s *Sample) string { return string(s.Outcome) }},
	{"stamp_s", func(_ *Result, s *Sample) string { return number(s.Stamp.Seconds()) }},
	{"delay_s", func(_ *Result, s *Sample) string {
		if s.Delay < 0 {
			return ""
		}
		return number(s.Delay.Seconds())
	}},
	{"counts", func(_ *Result, s *Sample) string { return strconv.FormatBool(s.Counts) }},
	{"name", func(_ *Result, s *Sample) string { return s.Name }},
	{"id", func(_ *Result, s *Sample) string { return s.ID }},
	{"swapped", func(_ *Result, s *Sample) string { return strconv.FormatBool(s.Swapped) }},
	{"robot_x_m", func(_ *Result, s *Sample) string { return number(s.RobotX) }},
	{"robot_y_m", func(_ *Result, s *Sample) string { return number(s.RobotY) }},
	{"robot_heading_rad", func(_ *Result, s *Sample) string { return number(s.RobotHeading) }},
	{"speed_m_s", func(_ *Result, s *Sample) string { return number(s.Speed) }},
	{"turn_rad_s", func(_ *Result, s *Sample) string { return number(s.Turn) }},
	{"distance_m", func(_ *Result, s *Sample) string { return number(s.Distance) }},
	{"bearing_rad", func(_ *Result, s *Sample) string { return number(s.Bearing) }},
	{"target_speed_m_s", func(_ *Result, s *Sample) string { return number(s.TargetSpeed) }},
	{"visible", func(_ *Result, s *Sample) string { return number(s.Visible) }},
	{"light_stops", func(_ *Result, s *Sample) string { return number(s.Light) }},
	{"true_x_m", func(_ *Result, s *Sample) string { return number(s.TrueX) }},
	{"true_y_m", func(_ *Result, s *Sample) string { return number(s.TrueY) }},
	{"said_x_m", func(_ *Result, s *Sample) string { return number(s.SaidX) }},
	{"said_y_m", func(_ *Result, s *Sample) string { return number(s.SaidY) }},
	{"heading_error_rad", func(_ *Result, s *Sample) string { return number(s.HeadingError) }},
	{"confidence", func(_ *Result, s *Sample) string { return number(s.Confidence) }},
}

// number writes one, and nothing for what is not known.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 9, 64)
}

// WriteCSV writes a row for each sample, in the order of frames.
func (r *Result) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	row := make([]string, len(sampleColumns))
	for i, c := range sampleColumns {
		row[i] = c.name
	}
	_ = out.Write(row) // Flush tells of errors
	for k := range r.Samples {
		for i, c := range sampleColumns {
			row[i] = c.value(r, &r.Samples[k])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
