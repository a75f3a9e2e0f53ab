package condition

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// number returns a value of a message's field.
func number(x float64) Value { return Value{Known: true, Number: x} }

// comes delivers a message now, with a stamp some time ago.
func (f *fake) comes(ago time.Duration, values ...Value) {
	f.receive(&Message{Arrived: f.truth.Time, Stamped: true, Stamp: f.truth.Time - ago, Values: values})
}

// bound binds a condition to a fake world at time 5 s.
func bound(t *testing.T, c Condition) (*fake, Test) {
	t.Helper()
	f := newFake()
	f.truth.Time = 5 * time.Second
	test := must.Get(c.Bind(f))(t)
	if test.Holds() || !strings.HasPrefix(test.Now(), "no message has arrived") && !strings.HasPrefix(test.Now(),
		"rate") {
		t.Errorf("%v: %v, %s before the first message", c, test.Holds(), test.Now())
	}
	return f, test
}

func TestTopicValue(t *testing.T) {
	text := Value{Known: true, IsText: true, Text: "ready"}
	for _, c := range []struct {
		c    TopicValue
		v    Value
		want bool
		now  string
	}{
		{TopicValue{Over: at(1.0)}, number(1.5), true, "x of /t is 1.5"},
		{TopicValue{Over: at(1.0)}, number(1), false, "x of /t is 1"},
		{TopicValue{Over: at(1.0)}, number(math.NaN()), false, "x of /t is NaN"},
		{TopicValue{Over: at(1.0)}, Value{}, false, "messages of /t have no field x"},
		{TopicValue{Over: at(1.0)}, text, false, `x of /t is "ready"`},
		{TopicValue{Under: at(1.0)}, number(0.5), true, ""},
		{TopicValue{Over: at(0.0), Under: at(1.0)}, number(1.5), false, ""},
		{TopicValue{Is: int64(3)}, number(3), true, ""},
		{TopicValue{Is: 3.5}, number(3), false, ""},
		{TopicValue{Is: true}, number(1), true, ""},
		{TopicValue{Is: false}, number(1), false, ""},
		{TopicValue{Is: "ready"}, text, true, ""},
		{TopicValue{Is: "red"}, text, false, ""},
		{TopicValue{Is: ""}, number(0), false, ""},
		{TopicValue{Is: int64(0)}, Value{Known: true, IsText: true}, false, ""},
	} {
		c.c.Topic, c.c.Field = "/t", "x"
		f, test := bound(t, &c.c)
		f.comes(0, c.v)
		if got := test.Holds(); got != c.want || c.now != "" && test.Now() != c.now {
			t.Errorf("%v of %+v: %v, %s, want %v, %s", &c.c, c.v, got, test.Now(), c.want, c.now)
		}
	}
}

func TestTopicRate(t *testing.T) {
	f, test := bound(t, &TopicRate{Topic: "/t", Over: at(24.0), Under: at(26.0)})
	if got := test.Now(); got != "no message has arrived on /t" {
		t.Error(got)
	}
	for i := range 100 { // steps at 100 Hz, and a message in every fourth
		if f.step(); i%4 == 0 {
			f.comes(0)
		}
	}
	if !test.Holds() {
		t.Error(test.Now())
	}
	for range 10 {
		f.step()
	}
	if test.Holds() || test.Now() != "rate of /t 23 Hz" && test.Now() != "rate of /t 22 Hz" {
		t.Error(test.Now())
	}
	for range 3 { // several messages in a step count
		f.comes(0)
	}
	if !test.Holds() {
		t.Error(test.Now())
	}
}

func TestTopicDelay(t *testing.T) {
	f, test := bound(t, &TopicDelay{Topic: "/t", Under: 100 * time.Millisecond})
	f.comes(50 * time.Millisecond)
	if !test.Holds() || test.Now() != "delay of /t 0.050 s" {
		t.Error(test.Now())
	}
	f.comes(120 * time.Millisecond)
	f.comes(10 * time.Millisecond)
	if test.Holds() || test.Now() != "delay of /t 0.120 s" { // the worst of those that arrive at the same time
		t.Error(test.Now())
	}
	f.step()
	f.comes(10 * time.Millisecond)
	if !test.Holds() {
		t.Error(test.Now())
	}
	f.step()
	f.receive(&Message{Arrived: f.truth.Time, Stamp: f.truth.Time})
	if test.Holds() || test.Now() != "messages of /t have no header" {
		t.Error(test.Now())
	}
}

// valuesOf returns the values of a message of which only some paths exist.
func valuesOf(field string, known map[string]float64) (values []Value) {
	for _, path := range posePaths(field) {
		x, ok := known[path]
		values = append(values, Value{Known: ok, Number: x})
	}
	return values
}

// A robot drives at 1 m/s along x and turns at 1 rad/s. Its pose at a message's stamp is also known between steps, in
// either frame.
func TestTopicError(t *testing.T) {
	quaternion := func(prefix string, heading float64) map[string]float64 {
		return map[string]float64{prefix + "x": 0, prefix + "y": 0, prefix + "z": math.Sin(heading / 2),
			prefix + "w": math.Cos(heading / 2)}
	}
	with := func(m map[string]float64, prefix string, x, y float64) map[string]float64 {
		m[prefix+"x"], m[prefix+"y"] = x, y
		return m
	}
	for _, c := range []struct {
		name     string
		c        TopicError
		ago      time.Duration
		message  map[string]float64
		distance float64 // error of the position
		angle    float64 // error of the heading, rad; NaN: none
	}{
		{"odometry", TopicError{Of: "cyan1"}, 0, with(quaternion("pose.pose.orientation.", 2), "pose.pose.position.", 2,
			0), 0, 0},
		{"of before", TopicError{Of: "cyan1"}, 305 * time.Millisecond, with(quaternion("pose.orientation.", 1.695),
			"pose.position.", 1.695, 0), 0, 0},
		{"off by 0.5 m and 3°", TopicError{Of: "cyan1"}, 0, with(quaternion("orientation.", 2+3*math.Pi/180),
			"position.", 2.3, 0.4), 0.5, 3 * math.Pi / 180},
		{"turned around", TopicError{Of: "cyan1"}, 0, map[string]float64{"x": 2, "y": 0, "theta": 2 + math.Pi}, 0,
			math.Pi},
		{"another turn", TopicError{Of: "cyan1"}, 0, map[string]float64{"x": 2, "y": 0, "theta": 2 - 4*math.Pi}, 0, 0},
		{"a point", TopicError{Of: "cyan1"}, 0, map[string]float64{"point.x": 2, "point.y": 0.25}, 0.25, math.NaN()},
		{"in a field", TopicError{Of: "cyan1", Field: "robot"}, 0, map[string]float64{"robot.x": 2, "robot.y": 0.25,
			"x": 9}, 0.25, math.NaN()},
		{"magenta's frame", TopicError{Of: "magenta1", Frame: "team"}, 0, map[string]float64{"x": -2, "y": -1,
			"theta": 2 - math.Pi}, 0, 0},
		{"magenta's in the map", TopicError{Of: "magenta1", Frame: "map"}, 0, map[string]float64{"x": 2, "y": 1,
			"theta": 2}, 0, 0},
		{"cyan's frame", TopicError{Of: "cyan1", Frame: "team"}, 0, map[string]float64{"x": 2, "y": 0, "theta": 2}, 0,
			0},
		{"magenta as cyan sees it", TopicError{Of: "magenta1", Frame: "base_link", Robot: "cyan1"}, 0,
			map[string]float64{"x": math.Sin(2), "y": math.Cos(2), "theta": 0}, 0, 0},
		{"the ball as magenta saw it", TopicError{Of: "ball", Frame: "base_link", Robot: "magenta1"},
			500 * time.Millisecond,
			map[string]float64{"point.x": 1.5*math.Cos(1.5) - math.Sin(1.5) + 0.3, "point.y": -1.5*math.Sin(1.5) -
				math.Cos(1.5) + 0.4}, 0.5, math.NaN()},
		{"the ball", TopicError{Of: "ball"}, 100 * time.Millisecond, map[string]float64{"point.x": 3.8, "point.y": 0},
			0, math.NaN()},
	} {
		c.c.Topic = "/t"
		for _, wide := range []bool{true, false} {
			c.c.Under = c.distance - 1e-6
			if wide {
				c.c.Under = c.distance + 1e-6
			}
			if c.c.Angle = 0; c.angle >= 0 {
				c.c.Angle = c.angle + 1e-6
			}
			f, test := bound(t, &c.c)
			for f.truth.Time = 0; f.truth.Time < 2*time.Second; {
				f.step()
				now := f.truth.Time.Seconds()
				f.truth.Robots[0].PoseWB = spatial.Planar(now, 0, now)
				f.truth.Robots[1].PoseWB = spatial.Planar(now, 1, now)
				f.ball(2*now, 0, 0.11)
				f.each()
			}
			f.comes(c.ago, valuesOf(c.c.Field, c.message)...)
			if got := test.Holds(); got != wide {
				t.Errorf("%s, under %v m, %v rad: %v, %s", c.name, c.c.Under, c.c.Angle, got, test.Now())
			}
			if c.angle > 0 && wide {
				c.c.Angle = c.angle - 1e-6
				if test.Holds() {
					t.Errorf("%s, under %v m, %v rad holds: %s", c.name, c.c.Under, c.c.Angle, test.Now())
				}
			}
		}
	}
}

// What cannot be compared does not hold, and the worst of several simultaneous messages counts.
func TestTopicErrorOfWhatIsNotKnown(t *testing.T) {
	f, test := bound(t, &TopicError{Topic: "/t", Of: "cyan1", Under: 0.1})
	f.truth.Time = 0
	for range 500 {
		f.step()
		f.each()
	}
	good := valuesOf("", map[string]float64{"x": 0, "y": 0})
	for _, c := range []struct {
		ago    time.Duration
		values []Value
		want   string // empty if it holds
	}{
		{0, good, ""}, {0, good, ""},
		{0, valuesOf("", map[string]float64{"x": 0.3, "y": 0}), "off by 0.300 m"}, {0, good, "off by 0.300 m"},
		{10 * time.Millisecond, good, ""},
		{0, valuesOf("", nil), "have no pose or point"}, {0, good, "have no pose or point"},
		{3 * time.Second, good, "not within the 2 s before"},
		{-time.Second, good, "not within the 2 s before"},
		{0, valuesOf("", map[string]float64{"x": math.NaN(), "y": 0}), "NaN"},
	} {
		if c.ago != 0 || c.want == "NaN" {
			f.step() // at a separate time
			f.each()
		}
		if c.want == "have no pose or point" && !strings.Contains(test.Now(), c.want) {
			f.step()
			f.each()
		}
		f.comes(c.ago, c.values...)
		if got := test.Holds(); got != (c.want == "") || !strings.Contains(test.Now(), c.want) {
			t.Errorf("%+v: %v, %s", c, got, test.Now())
		}
	}
}

// A share is of all messages that arrived while the body was near the robot.
func TestTopicErrorOfAShare(t *testing.T) {
	f, test := bound(t, &TopicError{Topic: "/t", Of: "ball", Under: 0.1, Frame: "base_link", Robot: "cyan1", Within: 3,
		Share: 0.75})
	f.truth.Time = 0
	says := func(x float64) {
		f.comes(0, valuesOf("", map[string]float64{"point.x": x, "point.y": 0})...)
	}
	at := func(x float64) {
		f.step()
		f.ball(x, 0, 0.11)
		f.each()
	}
	if at(5); test.Holds() {
		t.Error("holds without a message")
	}
	if says(5); test.Holds() || test.Now() != "no message has arrived on /t while ball was within 3 m of cyan1" {
		t.Error(test.Now())
	}
	for i, c := range []struct {
		said float64
		want string // empty if it holds
	}{{2.05, ""}, {1.95, ""}, {2.5, "2 of 3 messages of /t, 66.7 %"}, {2, ""},
		{math.NaN(), "3 of 5 messages of /t, 60 %"}} {
		at(2)
		says(c.said)
		if got := test.Holds(); got != (c.want == "") || c.want != "" && test.Now() != c.want {
			t.Errorf("message %d: %v, %s", i, got, test.Now())
		}
	}
	at(4)
	if says(9); test.Now() != "3 of 5 messages of /t, 60 %" {
		t.Error(test.Now())
	}
}

// fakeWorld has the robot cyan1 and an obstacle.
type fakeWorld struct{ World }

func (fakeWorld) FindPart(string) error { return nil }
func (fakeWorld) FindRobot(name string) (physics.Robot, error) {
	if name != "cyan1" {
		return physics.Robot{}, errors.New("there is no such robot")
	}
	return physics.Robot{Name: name}, nil
}

func (w fakeWorld) FindBodies(word string, least int) error {
	if least > 1 {
		return errors.New("is 1 body alone")
	}
	return w.FindBody(word)
}

func (fakeWorld) FindBody(name string) error {
	if name != "cyan1" && name != "box" {
		return errors.New("is neither ball, robot nor obstacle")
	}
	return nil
}

// quoted matches a name that messages quote.
var quoted = regexp.MustCompile(`(frame|robot) = (\w+):`)

func TestTopicsAreChecked(t *testing.T) {
	for want, c := range map[string]Condition{
		`topic = "odom": must be a full name on ROS 1`: &TopicRate{Topic: "odom", Over: at(1.0)},
		`topic = "/a//b": must be a full name`:         &TopicDelay{Topic: "/a//b", Under: 1},
		`field = "a..b": must be names of fields`:      &TopicValue{Topic: "/t", Field: "a..b", Over: at(1.0)},
		"needs over, under or both":                    &TopicValue{Topic: "/t", Field: "a"},
		"is = true: cannot be combined with over and under": &TopicValue{Topic: "/t", Field: "a", Is: true,
			Over: at(1.0)},
		"is: must be a number, a text, true or false": &TopicValue{Topic: "/t", Field: "a", Is: []any{1}},
		"under_hz = 1: must be more than over_hz":     &TopicRate{Topic: "/t", Over: at(2.0), Under: at(1.0)},
		"robot = cyan1: needs frame = \"base_link\"": &TopicError{Topic: "/t", Of: "box", Frame: "map",
			Robot: "cyan1", Under: 1},
		"within_m = 1: needs frame = \"base_link\"": &TopicError{Topic: "/t", Of: "box", Frame: "map", Within: 1,
			Under: 1},
		"robot = cyan1: must be a body other than {of}": &TopicError{Topic: "/t", Of: "cyan1", Frame: "base_link",
			Robot: "cyan1", Under: 1},
		"robot = box: there is no such robot": &TopicError{Topic: "/t", Of: "cyan1", Frame: "base_link",
			Robot: "box", Under: 1},
		`of = "cyan7"`:                  &TopicError{Topic: "/t", Of: "cyan7", Under: 1},
		"frame = team: box is no robot": &TopicError{Topic: "/t", Of: "box", Frame: "team", Under: 1},
	} {
		if err := c.Validate(fakeWorld{}); err == nil || !strings.Contains(err.Error(), quoted.ReplaceAllString(want,
			`$1 = "$2":`)) {
			t.Errorf("%v: %v, want %s", c, err, want)
		}
	}
	c := Choice{All: All{{TopicValue: &TopicValue{Topic: "/a"}},
		{Not: &Not{Choice{Any: Any{{TopicRate: &TopicRate{Topic: "/b"}}, {TopicError: &TopicError{Topic: "/c"}}}}}}}}
	must.Equal(t, strings.Join(c.Topics(), " "), "/a /b /c", "topics")
}
