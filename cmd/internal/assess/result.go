package assess

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// Result is the result of an assessment.
type Result struct {
	Config    Config
	World     *worlds.World
	Level     string        // level of the camera's last frame
	Sim       time.Duration // total sim time, of all episodes
	Start     time.Duration // sim time from the start of the run until each topic had a message; 0: not all had one
	Frames    int           // number of frames of the camera
	Judged    int           // number of frames since the first frame with a message
	Topics    []TopicTally  // of Config.Topics
	Channels  []Channel
	Samples   []Sample
	LeftOut   int // number of samples not stored because there were more than mostSamples
	Worst     []WorstFrame
	Verdicts  []expectation.Verdict // verdicts of the world's expectations; set by the program that ran the world
	Tour      TourKind              // empty: no tour
	Scenes    int                   // number of scenes of the tour
	TourError error                 // the first failure to set up a scene
	Stopped   string                // why the run ended early; set by the program that ran the world

	end    time.Duration // sim time of the episode's last state
	camera *sensors.Camera
}

// noLevel replaces the level of a camera that has taken no frame.
const noLevel = "no level, without a frame"

// TopicTally counts the messages of a topic.
type TopicTally struct {
	Type       string // type of the topic's messages; empty if there were none
	Messages   int
	Unread     int    // unsupported or invalid messages
	Untimely   int    // messages whose stamp is after their arrival, or too long before it
	NotNumbers int    // positions that are NaN or infinite
	Answered   int    // judged frames with a message
	Unknown    int    // judged frames with a message, but without the robot's own pose
	Problem    string // description of the first problem

	delays      []float64 // s
	first, last time.Duration
	timely      int // messages with a stamp that can be joined
	// numbers of judged frames in which things can be missed, and in which the robot's own pose is expected
	counted, expected int
}

// Delay is the sim time from stamp to arrival, s.
func (t *TopicTally) Delay() Spread { return spreadOf(t.delays) }

// Rate is the number of messages per second of sim time, Hz.
func (t *TopicTally) Rate() Figure {
	if t.timely < 2 || t.last <= t.first {
		return unknown
	}
	return Figure(float64(t.timely-1) / (t.last - t.first).Seconds())
}

// Nothing returns the reason why there is nothing to assess. If there is something to assess, it returns "".
func (r *Result) Nothing() string {
	if len(r.Samples) > 0 {
		return ""
	}
	if text := r.NeverStarted(); text != "" {
		return text
	}
	for i := range r.Topics {
		if t := &r.Topics[i]; t.Problem != "" {
			return fmt.Sprintf("%s: %s", r.Config.Topics[i].Name, t.Problem)
		}
	}
	return "no message could be joined with a frame"
}

// Failed lists the failed verdicts.
func (r *Result) Failed() (all []expectation.Verdict) {
	for _, v := range r.Verdicts {
		if v.Outcome != expectation.Passed {
			all = append(all, v)
		}
	}
	return all
}

// Words prints the result as text.
func (r *Result) Words(w io.Writer) {
	fmt.Fprintf(w, "%s: vision of %s by %s at %s, %.4g s of sim time", r.World.Name, r.Config.Robot,
		r.Config.Sensor, cmp.Or(r.Level, noLevel), (r.Sim - r.Start).Seconds())
	if r.Start > 0 {
		fmt.Fprintf(w, " after a start of %.4g s", r.Start.Seconds())
	}
	fmt.Fprintf(w, ", %d frames, %d of them judged", r.Frames, r.Judged)
	if r.Tour != "" {
		fmt.Fprintf(w, ", %d scenes", r.Scenes)
	}
	fmt.Fprintln(w)
	if r.TourError != nil {
		fmt.Fprintf(w, "a scene could not be set up: %v\n", r.TourError)
	}
	for i := range r.Topics {
		t := &r.Topics[i]
		fmt.Fprintf(w, "%s: ", r.Config.Topics[i].Name)
		if t.Messages == 0 {
			fmt.Fprintln(w, "never started: nothing came")
			continue
		}
		fmt.Fprintf(w, "%s, %d messages", t.Type, t.Messages)
		if rate := t.Rate(); rate.Known() {
			fmt.Fprintf(w, ", %.3g Hz", float64(rate))
		}
		if d := t.Delay(); d.N > 0 {
			fmt.Fprintf(w, ", delay %.0f ms, 95 %% within %.0f ms", 1e3*float64(d.Median), 1e3*float64(d.P95))
		} else if t.timely > 0 {
			fmt.Fprint(w, ", without stamps: joined with the truth of when they came")
		}
		fmt.Fprintln(w)
		if t.Problem != "" {
			fmt.Fprintf(w, "  %d of them were left out, the first since %s\n", t.Unread+t.Untimely+t.NotNumbers,
				t.Problem)
		}
		for k := range r.Channels {
			if c := &r.Channels[k]; c.Topic == r.Config.Topics[i].Name {
				c.words(w)
			}
		}
	}
	for _, v := range r.Verdicts {
		fmt.Fprintln(w, v)
	}
}

// words prints a channel.
func (c *Channel) words(w io.Writer) {
	if c.Position.N == 0 {
		fmt.Fprintf(w, "  %s: no report", c.Kind)
	} else {
		what := "bearing"
		if c.Kind == Self {
			what = "heading"
		}
		fmt.Fprintf(w, "  %s: %d reports off by %.1f cm, 95 %% within %.1f cm; %s %.2f°, 95 %% within %.2f°", c.Kind,
			c.Position.N, 100*float64(c.Position.Median),
			100*float64(c.Position.P95), what, degrees*float64(c.Bearing.Median), degrees*float64(c.Bearing.P95))
	}
	if c.MissRate.Known() {
		fmt.Fprintf(w, "; %.1f %% of %d missed", 100*float64(c.MissRate), c.Expected)
	}
	if c.Kind != Self {
		fmt.Fprintf(w, "; %d false", c.False)
	}
	if c.Named > 0 {
		fmt.Fprintf(w, "; %d of %d taken for another", c.Swapped, c.Named)
	}
	fmt.Fprintln(w)
}

// resultJSON is the output of --json.
type resultJSON struct {
	World    string              `json:"world"`
	Seed     uint64              `json:"seed"`
	Robot    string              `json:"robot"`
	Sensor   string              `json:"sensor"`
	Level    string              `json:"level"`
	Range    float64             `json:"range_m"`
	Visible  float64             `json:"visible"`
	Gate     float64             `json:"gate_m"`
	Verdict  string              `json:"verdict"` // passed, failed, nothing assessed, stopped or never started
	Sim      float64             `json:"sim_s"`
	Start    float64             `json:"start_s"`
	Tour     TourKind            `json:"tour,omitempty"`
	Scenes   int                 `json:"scenes,omitempty"`
	Frames   int                 `json:"frames"`
	Judged   int                 `json:"frames_judged"`
	Topics   []topicJSON         `json:"topics"`
	Channels []Channel           `json:"channels"`
	Expect   []suite.Expectation `json:"expect,omitempty"`
	Nothing  string              `json:"nothing,omitempty"`
	Stopped  string              `json:"stopped,omitempty"`
}

type topicJSON struct {
	Name     string `json:"name"`
	Type     string `json:"type,omitempty"`
	Messages int    `json:"messages"`
	LeftOut  int    `json:"left_out"`
	Answered int    `json:"frames_answered"`
	Rate     Figure `json:"rate_hz"`
	Delay    Spread `json:"delay_s"`
	Problem  string `json:"problem,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (r *Result) MarshalJSON() ([]byte, error) {
	j := resultJSON{
		World: r.World.Name, Seed: r.World.Seed, Robot: r.Config.Robot, Sensor: r.Config.Sensor, Level: r.Level,
		Range: r.Config.Range, Visible: r.Config.Visible, Gate: r.Config.Gate,
		Verdict: r.Verdict(), Sim: r.Sim.Seconds(), Start: r.Start.Seconds(),
		Tour: r.Tour, Scenes: r.Scenes, Frames: r.Frames, Judged: r.Judged, Topics: r.topics(),
		Channels: r.Channels, Nothing: r.Nothing(), Stopped: r.Stopped,
	}
	if len(r.Verdicts) > 0 {
		j.Expect = suite.Expectations(r.Verdicts)
	}
	return json.Marshal(j)
}

func (r *Result) topics() []topicJSON {
	all := []topicJSON{}
	for i := range r.Topics {
		t := &r.Topics[i]
		all = append(all, topicJSON{r.Config.Topics[i].Name, t.Type, t.Messages, t.Unread + t.Untimely +
			t.NotNumbers, t.Answered, t.Rate(), t.Delay(), t.Problem})
	}
	return all
}

// Outcome classifies a sample.
type Outcome string

const (
	Hit   Outcome = "hit"   // a thing is reported
	Miss  Outcome = "miss"  // a thing that the camera sees at least in part is not reported
	False Outcome = "false" // a reported thing does not exist
)

// Sample is either a report with the truth at its stamp, or an object that was not reported. Lengths are in metres,
// angles in radians.
// Unknown values are NaN.
type Sample struct {
	Topic   int // index into Config.Topics
	Kind    Kind
	Outcome Outcome
	Stamp   time.Duration // sim time for which the report is valid; for a miss, stamp of the frame
	Delay   time.Duration // time from stamp to arrival; −1 if there is no report, or no header in the message
	Counts  bool          // the sample counts for the miss rate: the thing is sufficiently visible and near
	Name    string        // name of the ball, robot or obstacle; empty for a false report
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
	Light             float64 // illumination, in stops above that of a common hall

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
