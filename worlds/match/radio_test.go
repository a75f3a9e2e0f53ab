//go:build cgo

package match_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/match"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// mates is a world with three cyan robots with radios, and one magenta robot without.
func mates(t *testing.T, keys string) *worlds.World {
	t.Helper()
	w := must.Get(worlds.Parse("mates.toml", fmt.Appendf(nil, `
name = "mates"
[physics]
engine = "planar"
[team.cyan]
radio = { %s }
[[robot]]
for_each = { n = [1, 2, 3] }
name = "cyan{n}"
model = "differential"
pose = { x_m = "{n}" }
[[robot]]
name = "magenta1"
model = "differential"
team = "magenta"
pose = { x_m = 6 }
[[event]]
at_s = 0.5
cut_radio = { robot = "cyan2" }
[[event]]
at_s = 1
cut_radio = { team = "cyan" }
[[event]]
at_s = 1.5
restore_radio = {}
`, keys)))(t)
	return w
}

// heard logs the messages that reach robots by radio.
func heard(t *testing.T, s simtest.Sim, robots ...string) *[]string {
	all := new([]string)
	for _, robot := range robots {
		must.Do(t, s.Match().OnRadio(robot, func(from string, m *radio.Message) {
			*all = append(*all, fmt.Sprintf("%v %s<%s %s sent %v", s.Truth().Time, robot, from, m.Data, m.Sent))
		}))
	}
	return all
}

// A message that answers a frame is sent at the frame's time. Teammates receive it after the delay, before their
// observations of that time.
func TestRadioAnswersAFrame(t *testing.T) {
	s := simtest.New(t, mates(t, "delay_ms = 20"), omnipitch.Options{})
	got := heard(t, s, "cyan2", "cyan3")
	answer := func(o *sensors.Observation) {
		if o.Stamp == 100*time.Millisecond {
			if err := s.Match().Send("cyan1", "", []byte("here")); err != nil {
				t.Error(err)
			}
		}
	}
	look := func(o *sensors.Observation) {
		if o.Stamp == 120*time.Millisecond {
			*got = append(*got, "then it observes")
		}
	}
	for robot, f := range map[string]func(*sensors.Observation){"cyan1": answer, "cyan3": look} {
		must.Get(s.Listen(robot, "odometry", omnipitch.Listener{Observe: f}))(t)
	}
	s.Steps(40)
	want := []string{"120ms cyan2<cyan1 here sent 100ms", "120ms cyan3<cyan1 here sent 100ms", "then it observes"}
	must.Equal(t, *got, want, "messages")
}

// Events switch radios off and on, and a restart resets them to the world's initial state.
func TestRadioIsCutAndRestored(t *testing.T) {
	s := simtest.New(t, mates(t, ""), omnipitch.Options{})
	got := heard(t, s, "cyan2", "cyan3")
	for _, want := range [][]string{
		0: {"cyan2", "cyan3"}, 1: {"cyan3"}, 2: nil, 3: {"cyan2", "cyan3"}, 4: {"cyan2", "cyan3"},
	} {
		s.Steps(50) // 0.25 s after each event
		*got = nil
		must.Do(t, s.Match().Send("cyan1", "", nil))
		s.Steps(1)
		var robots []string
		for _, text := range *got {
			var at, who string
			must.Get(fmt.Sscan(text, &at, &who))(t)
			robots = append(robots, who[:5])
		}
		must.Equal(t, robots, want, "at %v: receivers of a message", s.Truth().Time)
		s.Steps(49)
		if s.Truth().Time == 2*time.Second {
			must.Do(t, s.Do(&action.CutRadio{}, &action.Reset{}))
		}
	}
}

// A robot without a radio can neither send nor listen, and the number of messages per step is limited.
func TestRadioRefuses(t *testing.T) {
	s := simtest.New(t, mates(t, `topic = [{ name = "plan", type = "std_msgs/String" }]`), omnipitch.Options{})
	for _, c := range []struct{ robot, topic, want string }{
		{"magenta1", "", `robot = "magenta1": has no radio`}, {"nobody", "", `robot = "nobody": has no radio`},
		{"cyan1", "plans", `robot cyan1: topic = "plans": does not go by radio`}, {"cyan1", "plan", ""},
	} {
		if err := s.Match().Send(c.robot, c.topic, nil); fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%s, topic %q: %v, want %s", c.robot, c.topic, err, c.want)
		}
	}
	if s.Match().OnRadio("magenta1", nil) == nil || s.Do(&action.CutRadio{Robot: "magenta1"}) == nil ||
		s.Do(&action.RestoreRadio{Team: "magenta"}) == nil {
		t.Error("a robot without a radio has one")
	}
	for range match.MaxMessages - 1 {
		must.Do(t, s.Match().Send("cyan1", "", nil))
	}
	if err := s.Match().Send("cyan1", "", nil); err == nil {
		t.Error("a robot sends without a limit")
	}
	s.Steps(1)
	if err := s.Match().Send("cyan1", "", nil); err != nil {
		t.Errorf("after a step: %v", err)
	}
	s.Close()
	if err := s.Match().Send("cyan1", "", nil); err != omnipitch.ErrClosed {
		t.Errorf("closed: %v", err)
	}
}

// A key frame contains the radio messages that are not yet delivered.
func TestRadioKeyFrames(t *testing.T) {
	const keys = "delay_ms = 40, jitter_ms = 15, loss = 0.3, bandwidth_kbit_s = 30"
	var sims [2]simtest.Sim
	var got [2]*[]string
	for i := range sims {
		sims[i] = simtest.New(t, mates(t, keys), omnipitch.Options{})
		got[i] = heard(t, sims[i], "cyan1", "cyan2", "cyan3")
	}
	run := func(s simtest.Sim, n int) {
		for range n {
			for _, robot := range []string{"cyan3", "cyan1"} {
				must.Do(t, s.Match().Send(robot, "", fmt.Append(nil, s.Truth().Step)))
			}
			s.Steps(1)
		}
	}
	run(sims[0], 130) // afterwards cyan2's radio is off
	sims[1].Steps(130)
	frame := sims[0].Replay().AppendKeyFrame(nil)
	must.Do(t, sims[1].Replay().RestoreKeyFrame(frame, sims[0].Truth()))
	*got[0] = nil
	run(sims[0], 300)
	run(sims[1], 300)
	if len(*got[0]) < 300 || !slices.Equal(*got[0], *got[1]) {
		t.Errorf("%d messages, then %d: they are not the same, or few", len(*got[0]), len(*got[1]))
	}
}
