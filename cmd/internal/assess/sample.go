package assess

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"time"
)

// Outcome classifies a sample.
type Outcome string

const (
	Hit   Outcome = "hit"   // a thing is reported
	Miss  Outcome = "miss"  // a thing that the camera sees at least in part is not reported
	False Outcome = "false" // a reported thing does not exist
)

// Sample is a report joined with the truth at its stamp, or a missed thing. Lengths are in metres, angles in radians.
// Unknown values are NaN.
type Sample struct {
	Topic   int // index into Config.Topics
	Kind    Kind
	Outcome Outcome
	Stamp   time.Duration // sim time for which the report is valid; for a miss, stamp of the frame
	Delay   time.Duration // from stamp to arrival; −1 if there is no report, or no header in the message
	Counts  bool          // counts for the miss rate: sufficiently visible and near
	Name    string        // of the ball, robot or obstacle; empty for a false report
	ID      string        // as reported
	Swapped bool          // the report confuses the thing with another thing

	// The robot's true pose in W, and its horizontal speed: m/s and rad/s.
	RobotX, RobotY, RobotHeading float64
	Speed, Turn                  float64
	// The thing's true position in the robot's frame. For a false report it is the reported position, and for the robot
	// itself 0.
	Distance, Bearing float64
	TargetSpeed       float64 // horizontal, m/s
	Visible           float64 // visible fraction of the thing's silhouette, 0 to 1
	Light             float64 // stops above a common hall's

	// Position in the robot's frame; for the robot itself, in W. For a miss, the reported position is NaN.
	TrueX, TrueY float64
	SaidX, SaidY float64
	HeadingError float64 // of the robot itself
	Confidence   float64 // as reported
}

// Off returns the horizontal distance between the reported and the true position, in m.
func (s *Sample) Off() float64 { return math.Hypot(s.SaidX-s.TrueX, s.SaidY-s.TrueY) }

// Along and Across return the components of the error along a direction and to its left. For the robot itself, the
// direction is its heading. For a thing, it is the direction from the robot to the thing.
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

// RangeError and BearingError return the errors of a thing's distance and bearing from the robot.
func (s *Sample) RangeError() float64 {
	return math.Hypot(s.SaidX, s.SaidY) - math.Hypot(s.TrueX, s.TrueY)
}
func (s *Sample) BearingError() float64 {
	return math.Remainder(math.Atan2(s.SaidY, s.SaidX)-math.Atan2(s.TrueY, s.TrueX), 2*math.Pi)
}

// sampleColumns are the columns of the table, in the units that their names state.
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

// number formats a number. It returns "" if the number is unknown.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 9, 64)
}

// WriteCSV writes a row per sample, in the order of frames.
func (r *Result) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	row := make([]string, len(sampleColumns))
	for i, c := range sampleColumns {
		row[i] = c.name
	}
	_ = out.Write(row) // Flush reports errors
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
