package robotio

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// withRadios returns a world of two teammates with radios.
func withRadios(t *testing.T) *worlds.World {
	t.Helper()
	w := must.Get(worlds.Parse("radios.toml", []byte(two(`"cyan1"`+"\nmodel = \"differential\"",
		`"cyan2"`+"\nmodel = \"differential\"")+`
[team.cyan.radio]
delay_ms = 50
topic = [{ name = "plan", type = "std_msgs/String" }]
`)))(t)
	return w
}

// A teammate receives what a program publishes on radio/send as bytes with sender and stamp. A message on a topic that
// is sent by radio arrives unchanged. Neither arrives while the robot's network is cut.
func TestRadio(t *testing.T) {
	r := newRigIn(t, withRadios(t), omnipitch.Options{})
	plain := subscribe[msg.Radio](r, "/cyan2/radio/received", "omnipitch_msgs/Radio")
	typed := subscribe[msg.String](r, "/cyan2/radio/cyan1/plan", "std_msgs/String")
	own := subscribe[msg.Radio](r, "/cyan1/radio/received", "omnipitch_msgs/Radio")
	send := advertise[msg.Radio](r, "/cyan1/radio/send", "omnipitch_msgs/Radio")
	plan := advertise[msg.String](r, "/cyan1/plan", "std_msgs/String")
	r.until("connections", func() bool {
		return plain.sub.NumPublishers()+typed.sub.NumPublishers()+own.sub.NumPublishers() == 3 &&
			send.NumSubscribers()+plan.NumSubscribers() == 2
	})
	say := func(text string) {
		send.Publish(&msg.Radio{Sender: "somebody else", Data: []byte(text)})
		plan.Publish(&msg.String{Data: text})
	}
	heard := func(text string) bool {
		return plain.newest() != nil && string(plain.newest().Data) == text && typed.newest() != nil &&
			typed.newest().Data == text
	}
	say("go left\x00\xff")
	r.until("the mate to hear", func() bool { return heard("go left\x00\xff") })
	m := plain.newest()
	if _, stepped := r.truth[m.Header.Stamp.Since()]; m.Sender != "cyan1" || !stepped || own.newest() != nil {
		t.Errorf("%+v; the sender has got %+v", m, own.newest())
	}

	for _, robot := range []string{"cyan1", "cyan2"} {
		r.do(&action.CutWires{Robot: robot})
		say("lost")
		r.until("a while", after(r, 200*time.Millisecond))
		r.do(&action.RestoreWires{Robot: robot})
		if heard("lost") {
			t.Errorf("with the wires of %s cut the mate hears", robot)
		}
	}
	say("again")
	r.until("the mate to hear again", func() bool { return heard("again") })
}

// after returns a condition that holds once d of sim time has passed.
func after(r *rig, d time.Duration) func() bool {
	until := r.sim.Truth().Time + d
	return func() bool { return r.sim.Truth().Time >= until }
}

// A large message arrives complete.
func TestRadioOfManyBytes(t *testing.T) {
	r := newRigIn(t, withRadios(t), omnipitch.Options{})
	got := subscribe[msg.Radio](r, "/cyan1/radio/received", "omnipitch_msgs/Radio")
	send := advertise[msg.Radio](r, "/cyan2/radio/send", "omnipitch_msgs/Radio")
	r.until("connections", func() bool { return got.sub.NumPublishers() == 1 && send.NumSubscribers() == 1 })
	want := bytes.Repeat([]byte{1, 2, 3}, 20_000)
	send.Publish(&msg.Radio{Data: want})
	r.until("the mate to hear", func() bool { return got.newest() != nil })
	must.Equal(t, got.newest().Data, want, "data")
}

// Check reports topics that cannot be sent by radio before anything runs.
func TestRadioIsChecked(t *testing.T) {
	const a = "\"a\"\nmodel = \"nubot\"\n"
	radio := func(topic string) string { return "radio = { topic = [" + topic + "] }\n" }
	for _, c := range []struct{ name, first, second, want string }{
		{"type", radio(`{ name = "x", type = "std_msgs/Sting" }`), "",
			`robot[0].radio.topic[0]: type = "std_msgs/Sting": must be a message type that the robot's profiles know`},
		{"name", radio(`{ name = "x y", type = "std_msgs/String" }`), "",
			`robot[0].radio.topic[0]: name = "x y": must be letters`},
		{"absolute name", radio(`{ name = "/x", type = "std_msgs/String" }`), "",
			`robot[0].radio.topic[0]: name = "/x": must be letters`},
		{"types of mates", radio(`{ name = "x", type = "std_msgs/String" }`),
			radio(`{ name = "x", type = "std_msgs/Bool" }`),
			`robot[1].radio.topic[0]: type = "std_msgs/Bool": topic x has type std_msgs/String at its teammate a`},
		{"a topic that is published", "radio = {}\nros1.rename = { odom = \"radio/received\" }\n", "",
			`topic /a/radio/received is the simulator's own`},
		{"none", radio(`{ name = "x", type = "std_msgs/String" }`), radio(`{ name = "y", type = "std_msgs/Bool" }`),
			""},
	} {
		w, err := worlds.Parse("w.toml", []byte(two(a+c.first, "\"b\"\nmodel = \"nubot\"\n"+c.second)))
		if err == nil {
			err = Check(w)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
