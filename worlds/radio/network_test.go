package radio_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// team returns stations of cyan robots a, b, c, … with equal radios.
func team(n int, cfg radio.Config) (all []radio.Station) {
	for i := range n {
		own := cfg
		all = append(all, radio.Station{Robot: string(rune('a' + i)), Team: physics.Cyan, Config: &own})
	}
	return all
}

// at returns a state in which robots stand along x, in metres.
func at(t time.Duration, xs ...float64) *physics.Snapshot {
	s := &physics.Snapshot{Time: t, Robots: make([]physics.RobotState, 8)}
	for i, x := range xs {
		s.Robots[i].PoseWB.Pos = mgl64.Vec3{x, 0, 0}
	}
	return s
}

// arrival is a delivered message and the time of the step.
type arrival struct {
	at   time.Duration
	to   int
	data string
}

// deliver delivers messages step by step.
func deliver(n *radio.Network, from, until, step time.Duration) (all []arrival) {
	for now := from; now <= until; now += step {
		n.Deliver(now, func(to int, m *radio.Message) { all = append(all, arrival{now, to, string(m.Data)}) })
	}
	return all
}

const ms = time.Millisecond

func TestDelivery(t *testing.T) {
	text := func(size int) string { return fmt.Sprintf("%0*d", size, 0) }
	for _, c := range []struct {
		name string
		cfg  radio.Config
		send []string // messages that robot a sends at time 0
		want []arrival
	}{
		{"an ideal radio delivers in the next step", radio.Config{}, []string{"x"}, []arrival{{5 * ms, 1, "x"},
			{5 * ms, 2, "x"}}},
		{"a delay of whole steps", radio.Config{Delay: 20 * ms}, []string{"x"}, []arrival{{20 * ms, 1, "x"},
			{20 * ms, 2, "x"}}},
		{"a delay ends with the step after it", radio.Config{Delay: 20*ms + 1}, []string{"x"},
			[]arrival{{25 * ms, 1, "x"}, {25 * ms, 2, "x"}}},
		// 125 bytes take 10 ms at 100 kbit/s.
		{"messages are sent one after the other", radio.Config{Bandwidth: 1e5, Queue: time.Second},
			[]string{text(125), text(125)},
			[]arrival{{10 * ms, 1, text(125)}, {10 * ms, 2, text(125)}, {20 * ms, 1, text(125)},
				{20 * ms, 2, text(125)}}},
		{"the delay begins with the last bit", radio.Config{Bandwidth: 1e5, Delay: 15 * ms}, []string{text(125)},
			[]arrival{{25 * ms, 1, text(125)}, {25 * ms, 2, text(125)}}},
		{"what would wait for too long is not sent", radio.Config{Bandwidth: 1e5, Queue: 10 * ms},
			[]string{text(125), text(125), "x"},
			[]arrival{{10 * ms, 1, text(125)}, {10 * ms, 2, text(125)}, {20 * ms, 1, text(125)},
				{20 * ms, 2, text(125)}}},
		{"mates out of range", radio.Config{Range: 3}, []string{"x"}, []arrival{{5 * ms, 1, "x"}}},
		{"all is lost", radio.Config{Loss: 1}, []string{"x"}, nil},
		{"off", radio.Config{Off: true}, []string{"x"}, nil},
		{"too large", radio.Config{}, []string{text(radio.MaxBytes + 1)}, nil},
	} {
		n := radio.New(1, team(3, c.cfg))
		for _, data := range c.send {
			n.Send(radio.Message{Data: []byte(data)}, at(0, 0, 3, 6))
		}
		must.Equal(t, deliver(n, 5*ms, time.Second, 5*ms), c.want, "%s", c.name)
	}
}

// Only teammates with a radio get messages, and messages of a topic only those that have the topic.
func TestWhoGetsWhat(t *testing.T) {
	relay := &radio.Config{Topics: []radio.Topic{{Name: "strategy", Type: "std_msgs/String"}}}
	n := radio.New(1, []radio.Station{
		{Robot: "a", Team: physics.Cyan, Config: relay}, {Robot: "b", Team: physics.Magenta, Config: relay},
		{Robot: "c", Team: physics.Cyan},
		{Robot: "d", Team: physics.Cyan, Config: &radio.Config{}}, {Robot: "e", Team: physics.Cyan, Config: relay},
	})
	n.Send(radio.Message{Data: []byte("plain")}, at(0))
	n.Send(radio.Message{Topic: "strategy", Data: []byte("typed")}, at(0))
	want := []arrival{{5 * ms, 3, "plain"}, {5 * ms, 4, "plain"}, {5 * ms, 4, "typed"}}
	must.Equal(t, deliver(n, 5*ms, 5*ms, 5*ms), want, "deliveries")
}

// The share of lost messages is the radio's. The losses of teammates are independent, and do not depend on who else
// plays.
func TestLoss(t *testing.T) {
	const sent = 20_000
	for _, loss := range []float64{0.01, 0.2, 0.5} {
		got := map[int][]bool{}
		for _, robots := range []int{3, 5} {
			n := radio.New(7, team(robots, radio.Config{Loss: loss}))
			all := make([]bool, sent)
			other := make([]bool, sent)
			for i := range sent {
				n.Send(radio.Message{Data: []byte("x")}, at(time.Duration(i)*5*ms))
				n.Deliver(time.Duration(i+1)*5*ms, func(to int, _ *radio.Message) {
					all[i], other[i] = all[i] || to == 1, other[i] || to == 2
				})
			}
			got[robots] = all
			both, lost := 0.0, n.Reports()[1].Lost
			for i := range all {
				if !all[i] && !other[i] {
					both++
				}
			}
			for what, x := range map[string]struct{ got, p float64 }{"lost": {float64(lost), loss},
				"lost by both": {both, loss * loss}} {
				sigma := math.Sqrt(sent * x.p * (1 - x.p))
				if !(math.Abs(x.got-sent*x.p) <= 5*sigma) {
					t.Errorf("loss %v: %s: %v of %d, want %v ± %.0f", loss, what, x.got, sent, sent*x.p, 5*sigma)
				}
			}
		}
		if !slices.Equal(got[3], got[5]) {
			t.Errorf("loss %v: what b gets depends on whether d and e play", loss)
		}
	}
}

// Delays are normally distributed, with the radio's mean and deviation.
func TestJitter(t *testing.T) {
	const sent = 20_000
	n := radio.New(7, team(2, radio.Config{Delay: 100 * ms, Jitter: 10 * ms}))
	var delays []float64
	for i := range sent {
		now := time.Duration(i) * time.Second
		n.Send(radio.Message{Data: []byte("x")}, at(now))
		for d := time.Duration(0); d < 200*ms; d += ms {
			n.Deliver(now+d, func(int, *radio.Message) { delays = append(delays, d.Seconds()) })
		}
	}
	mean, sigma := stat.MeanStdDev(delays, nil)
	// Delays are rounded up to a millisecond: half of one more on average, with a deviation of 1/√12 ms.
	wantMean, wantSigma := 0.1005, math.Sqrt(0.01*0.01+1e-6/12)
	if !(math.Abs(mean-wantMean) <= 5*wantSigma/math.Sqrt(sent)) ||
		!(math.Abs(sigma-wantSigma) <= 5*wantSigma/math.Sqrt(2*sent)) || len(delays) != sent {
		t.Errorf("%d delays of %v ± %v s, want %d of %v ± %v", len(delays), mean, sigma, sent, wantMean, wantSigma)
	}
}

// A radio that is off drops its robot's messages, and messages that arrive while it is off are lost. The counts show
// both.
func TestSwitch(t *testing.T) {
	n := radio.New(1, team(2, radio.Config{Delay: 10 * ms}))
	send := func(from int, now time.Duration) { n.Send(radio.Message{From: from, Data: []byte("abc")}, at(now)) }
	send(0, 0)
	n.Switch(1, false)
	send(1, 5*ms)
	got := deliver(n, 0, 10*ms, 5*ms)
	send(0, 10*ms)
	n.Switch(1, true)
	got = append(got, deliver(n, 15*ms, 20*ms, 5*ms)...)
	must.Equal(t, got, []arrival{{20 * ms, 1, "abc"}}, "arrivals")
	want := []radio.Report{{Robot: "a", Sent: 2, Bytes: 6}, {Robot: "b", Dropped: 1, Received: 1, Lost: 1}}
	must.Equal(t, n.Reports(), want, "reports")
}

// A network restored from a key frame continues like the original, and a damaged key frame is refused.
func TestKeyFrame(t *testing.T) {
	cfg := radio.Config{Delay: 30 * ms, Jitter: 20 * ms, Loss: 0.3, Bandwidth: 1e4, Queue: time.Second}
	other := radio.New(3, team(4, cfg))
	n := radio.New(3, team(4, cfg))
	send := func(n *radio.Network, i int) {
		n.Send(radio.Message{From: i % 4, Data: fmt.Appendf(nil, "message %d", i)}, at(time.Duration(i)*5*ms))
	}
	for i := range 50 {
		send(n, i)
		n.Deliver(time.Duration(i)*5*ms, func(int, *radio.Message) {})
	}
	n.Switch(2, false)
	c := keyframe.Append(nil)
	n.Exchange(c)
	data := c.Data()
	r := keyframe.Restore(slices.Clone(data))
	if other.Exchange(r); r.End() != nil {
		t.Fatal(r.End())
	}
	var runs [2][]arrival
	for k, n := range []*radio.Network{n, other} {
		for i := 50; i < 100; i++ {
			send(n, i)
			runs[k] = append(runs[k], deliver(n, time.Duration(i)*5*ms, time.Duration(i)*5*ms, 5*ms)...)
		}
	}
	if len(runs[0]) < 50 || !slices.Equal(runs[0], runs[1]) {
		t.Errorf("%d deliveries, then %d: they are not the same, or few", len(runs[0]), len(runs[1]))
	}
	for cut := range len(data) - 1 {
		r := keyframe.Restore(slices.Clone(data[:cut]))
		if radio.New(3, team(4, cfg)).Exchange(r); r.End() == nil {
			t.Fatalf("%d bytes of a key frame of %d are taken", cut, len(data))
		}
	}
}

// Messages on their way take no more memory than a limit, however many are sent.
func TestMemoryIsBounded(t *testing.T) {
	n := radio.New(1, team(2, radio.Config{Delay: 10 * time.Second}))
	data := make([]byte, radio.MaxBytes)
	for range 1000 {
		n.Send(radio.Message{Data: data}, at(0))
	}
	if got := n.Reports(); got[0].Sent != 1000 || got[1].Lost != 1000-(16<<20)/radio.MaxBytes {
		t.Errorf("%+v", got)
	}
}

// The status of a radio counts messages under way, and has the time and the delay of the last message received.
func TestStatus(t *testing.T) {
	n := radio.New(1, append(team(2, radio.Config{Delay: 20 * ms}), radio.Station{Robot: "deaf", Team: physics.Cyan}))
	n.Send(radio.Message{Data: []byte("x")}, at(5*ms))
	n.Send(radio.Message{Data: []byte("y")}, at(15*ms))
	check := func(want radio.Status) {
		t.Helper()
		want.Robot = "b"
		got := n.AppendStatus(nil)
		sender := radio.Status{Report: radio.Report{Robot: "a", Sent: 2, Bytes: 2}, Largest: 1}
		must.Equal(t, got, []radio.Status{sender, want, {}}, "status")
	}
	check(radio.Status{UnderWay: 2})
	deliver(n, 25*ms, 25*ms, 5*ms)
	check(radio.Status{Report: radio.Report{Received: 1}, UnderWay: 1, Heard: 25 * ms, Delay: 20 * ms})
	n.Switch(1, false)
	deliver(n, 40*ms, 40*ms, 5*ms)
	check(radio.Status{Report: radio.Report{Received: 1, Lost: 1}, Off: true, Heard: 25 * ms, Delay: 20 * ms})
}
