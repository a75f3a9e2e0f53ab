package robotio

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

func TestClockRate(t *testing.T) {
	r := newRig(t, func(w *worlds.World) { w.Time.ClockRate = 30 })
	times := make(chan time.Duration, 1000)
	r.onClock(func(now time.Duration) { times <- now })
	r.until("the clock", func() bool { return len(times) > 20 })
	for len(times) > 0 { // each is the first step at or after a thirtieth of a second
		now := <-times
		if phase := now % (time.Second / 30); now%(5*time.Millisecond) != 0 || phase > 5*time.Millisecond {
			t.Errorf("the clock shows %v, which is %v after a thirtieth", now, phase)
		}
	}
}

// newAcknowledged returns a rig whose steps wait until cyan1 acknowledges the clock, and the publisher of the
// acknowledgements.
func newAcknowledged(t *testing.T) (*rig, *ros1.Publisher[msg.Clock]) {
	t.Helper()
	r := newRig(t, func(w *worlds.World) { waitFor(w, "cyan1", func(wait *timesync.WaitFor) { wait.Answer = "ack" }) })
	acks := advertise[msg.Clock](r, "/cyan1/ack", "rosgraph_msgs/Clock")
	r.until("the bridge to subscribe", func() bool { return acks.NumSubscribers() == 1 })
	return r, acks
}

// An acknowledgement of the present time lets the next step start. An acknowledgement of time 0 does not.
func TestAck(t *testing.T) {
	r, acks := newAcknowledged(t)
	var seen atomic.Int64
	must.Get(ros1.Subscribe(r.robot, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) {
		seen.Add(1)
		acks.Publish(&msg.Clock{})
		acks.Publish(m)
	}))(t)
	report, err := r.sim.Run(t.Context(), omnipitch.Pace{For: 500 * time.Millisecond, Speed: timesync.Lockstep})
	if err != nil || report.Steps != 100 || seen.Load() < 100 {
		t.Errorf("%v; %d acknowledged, want each of 100 steps", err, seen.Load())
	}
}

// A robot's program that starts while the simulation is paused learns the time, sees that the clock stands, and later
// that it runs again.
func TestFollowClock(t *testing.T) {
	r := newRig(t, nil)
	must.Get(r.sim.Run(t.Context(), omnipitch.Pace{For: time.Second}))(t)
	client := timesync.NewClient(timesync.SystemWall())
	sub := must.Get(ros1.FollowClock(r.robot, client))(t)
	defer sub.Close()
	<-client.Ready()
	for range 100 {
		if now := client.Now(); now != time.Second {
			t.Fatalf("the clock shows %v while the simulation stands at 1s", now)
		}
	}
	woke := make(chan error, 1)
	go func() { woke <- client.Sleep(t.Context(), 100*time.Millisecond) }()
	r.until("the sleeper to wake", func() bool { return len(woke) > 0 })
	must.Do(t, <-woke)
	if now := client.Now(); now < 1100*time.Millisecond {
		t.Errorf("a sleeper of 100 ms woke at %v", now)
	}
}
