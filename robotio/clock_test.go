package robotio

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
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

func ask(r *rig, sim, wall float64) (*msg.PredictResponse, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	return ros1.Call[msg.PredictRequest, msg.PredictResponse](ctx, r.robot, "/simulation/predict",
		"omnipitch_msgs/Predict", &msg.PredictRequest{Sim: sim, Wall: wall})
}

// A program learns the speed and its changes from a latched topic, which is listed like others. It publishes at most
// ten messages per second of wall time, however fast the simulation runs.
func TestSpeedTopic(t *testing.T) {
	begun := time.Now()
	r := newRig(t, nil)
	r.run(2*time.Second, timesync.Factor(20))
	late := subscribe[msg.Speed](r, "/simulation/speed", "omnipitch_msgs/Speed") // receives the newest message
	wait := func(what string, ok func(msg.Speed) bool) {
		t.Helper()
		must.Until(t, what, func() bool {
			late.mu.Lock()
			defer late.mu.Unlock()
			return late.m != nil && ok(*late.m)
		})
	}
	wait("the latched message", func(m msg.Speed) bool {
		return m.Speed == "20" && m.Target == 20 && m.Step == 0.005 && !m.Paused && len(m.Ahead) == len(m.Likely) &&
			len(m.Ahead) == len(m.Upper)
	})
	r.sim.Clock().Pause()
	wait("a pause", func(m msg.Speed) bool { return m.Paused && len(m.Ahead) == 0 })
	r.sim.Clock().Resume()
	wait("the end of the pause", func(m msg.Speed) bool { return !m.Paused && len(m.Ahead) > 0 })
	r.run(time.Second, timesync.Max)
	wait("speed max", func(m msg.Speed) bool { return m.Speed == "max" && m.Target == 0 })

	topics := r.bridge.Topics()
	i := slices.IndexFunc(topics, func(t TopicReport) bool { return t.Topic == "/simulation/speed" })
	if i < 0 || topics[i].Type != "omnipitch_msgs/Speed" || !slices.Equal(topics[i].Subscribers, []string{"/robot"}) {
		t.Fatalf("topic %d of %+v", i, topics)
	}
	if !slices.ContainsFunc(topics, func(t TopicReport) bool { return t.Topic == "/clock" && t.Messages > 600 }) {
		t.Errorf("no clock among %+v", topics)
	}
	const changes = 8 // the first message, changes of speed, ends of runs, pauses
	if most := uint64(time.Since(begun)/publishEvery) + changes; topics[i].Messages < changes/2 ||
		topics[i].Messages > most {
		t.Errorf("%d messages, want at most %d", topics[i].Messages, most)
	}
}

// The service answers even while a step waits for a robot that calls the service before it answers the step. Answers
// have a forecast from some step on.
func TestPredictWhileAStepWaits(t *testing.T) {
	r, acks := newAcknowledged(t)
	var known, good, last atomic.Int64
	must.Get(ros1.Subscribe(r.robot, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) {
		a, err := ask(r, 0.1, 0)
		switch {
		case err != nil:
			t.Error(err)
		case a.Known:
			known.Add(1)
			if a.WallLikely > 0 && a.WallUpper >= a.WallLikely && a.Now.Since() >= m.Clock.Since() {
				good.Add(1)
			}
		case known.Load() > 0:
			t.Errorf("at %v no forecast, after %d answers with one", m.Clock.Since(), known.Load())
		}
		acks.Publish(m)
		last.Store(int64(m.Clock.Since()))
	}))(t)
	for runs := 0; good.Load() < 30; runs++ { // how many steps the first forecast needs depends on the wall clock
		if runs == 20 {
			t.Fatalf("%d of %d answers had a good forecast, %d had one", good.Load(), 40*runs, known.Load())
		}
		if steps := r.run(200*time.Millisecond, timesync.Lockstep).Steps; steps != 40 {
			t.Fatalf("%d steps, want 40", steps)
		}
	}
	must.Until(t, "the robot's last call to end", func() bool { return last.Load() == int64(r.sim.Truth().Time) })
}

func TestPredictRefuses(t *testing.T) {
	r := newRig(t, nil)
	for _, c := range []struct {
		sim, wall float64
		want      string
	}{
		{-1, 0, "sim = -1: must lie in [0, 10] s"}, {math.NaN(), 0, "sim = NaN"},
		{0, 10.5, "wall = 10.5: must lie in [0, 10] s"}, {0, math.Inf(1), "wall = +Inf"},
	} {
		if a, err := ask(r, c.sim, c.wall); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v: %+v, %v, want %q", c.sim, c.wall, a, err, c.want)
		}
	}
	if a, err := ask(r, 1, 1); err != nil || a.Known || *a != (msg.PredictResponse{}) {
		t.Errorf("before the first step: %+v, %v", a, err)
	}
}
