package robotio

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
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

// waitFor makes a world wait for a robot.
func waitFor(w *worlds.World, robot string, change func(*timesync.WaitFor)) {
	wait := timesync.WaitFor{Robot: robot}
	wait.SetDefaults()
	wait.Timeout = deadline
	if change != nil {
		change(&wait)
	}
	w.Time.WaitFor = append(w.Time.WaitFor, wait)
}

// lockstepRun is a run in lockstep, in a separate goroutine.
type lockstepRun struct {
	done   chan struct{}
	report *omnipitch.Report
	err    error
	lines  must.List[string]
}

func (r *rig) lockstep(ctx context.Context, d time.Duration) *lockstepRun {
	l := &lockstepRun{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.report, l.err = r.sim.Run(ctx, omnipitch.Pace{For: d, Speed: timesync.Lockstep, Notify: l.lines.Add})
	}()
	return l
}

func (l *lockstepRun) said(text string) bool {
	return slices.ContainsFunc(l.lines.All(), func(s string) bool { return strings.Contains(s, text) })
}

// ended waits for the end of the run and returns its number of steps.
func (l *lockstepRun) ended(t testing.TB) int64 {
	t.Helper()
	<-l.done
	must.Do(t, l.err)
	return l.report.Steps
}

// A run does not start, and no clock is published, until a robot has subscribed to the clock and its commands can be
// received. Then the robot receives each time once, and the published clock is what it must answer.
func TestLockstepBeginsWithWhoCanAnswer(t *testing.T) {
	for rate, period := range map[float64]time.Duration{0: 5 * time.Millisecond, 50: 20 * time.Millisecond} {
		r := newRig(t, func(w *worlds.World) {
			w.Time.ClockRate = rate
			waitFor(w, "cyan1", nil)
		})
		run := r.lockstep(t.Context(), 200*time.Millisecond)
		must.Until(t, "the run to tell that it lacks both", func() bool {
			return run.said("robot cyan1, which lacks a subscriber of /clock and a publisher of ") &&
				run.said("/cyan1/cmd_vel")
		})
		// The run may begin before Advertise returns. The robot then answers once it has the publisher.
		var advertising sync.Mutex
		var commands *ros1.Publisher[msg.Twist]
		var times must.List[time.Duration]
		must.Get(ros1.Subscribe(r.robot, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) {
			times.Add(m.Clock.Since())
			advertising.Lock()
			defer advertising.Unlock()
			if commands != nil { // like a program that does not know whether it has a subscriber
				commands.Publish(&msg.Twist{})
			}
		}))(t)
		must.Until(t, "the run to tell that it lacks a publisher",
			func() bool { return run.said("robot cyan1, which lacks a publisher of ") })
		must.Equal(t, len(times.All()), 0, "times that the clock has shown to a robot that cannot answer")
		advertising.Lock()
		commands = r.twists()
		advertising.Unlock()
		must.Equal(t, run.ended(t), 40, "steps")
		must.Until(t, "the last time", func() bool { return slices.Contains(times.All(), 200*time.Millisecond) })
		for i, now := range times.All() {
			if now != time.Duration(i)*period {
				t.Fatalf("clock_hz = %v: the clock has shown %v", rate, times.All())
			}
		}
	}
}

func TestLockstepThatCannotBeginEndsWithItsContext(t *testing.T) {
	r := newRig(t, func(w *worlds.World) { waitFor(w, "cyan1", nil) })
	ctx, cancel := context.WithCancel(t.Context())
	run := r.lockstep(ctx, time.Second)
	must.Until(t, "the run to wait", func() bool { return run.said("which lacks") })
	cancel()
	must.Equal(t, run.ended(t), 0, "steps")
}

// A robot's process may end while its answer is due. Once a new process takes its place, the run continues.
func TestLockstepGoesOnWithARobotThatComesBack(t *testing.T) {
	for _, after := range []string{"", "odometry"} {
		r := newRig(t,
			func(w *worlds.World) { waitFor(w, "cyan1", func(wait *timesync.WaitFor) { wait.After = after }) })
		var got atomic.Int64
		begin := func(life int, mute int64) *ros1.Node {
			n := newNode(t, r.master, fmt.Sprintf("/life%d", life))
			p := must.Get(ros1.Advertise[msg.Twist](n, "/cyan1/cmd_vel", "geometry_msgs/Twist", ros1.PubOptions{}))(t)
			answer := func() {
				if got.Add(1) <= mute {
					p.Publish(&msg.Twist{})
				}
			}
			if after == "" {
				must.Get(ros1.Subscribe(n, "/clock", "rosgraph_msgs/Clock", func(*msg.Clock) { answer() }))(t)
			} else {
				must.Get(ros1.Subscribe(n, "/cyan1/odom", "nav_msgs/Odometry", func(*msg.Odometry) { answer() }))(t)
			}
			return n
		}
		first := begin(1, 5)
		run := r.lockstep(t.Context(), 200*time.Millisecond)
		must.Until(t, "a message that is not answered", func() bool { return got.Load() == 6 })
		first.Close()
		begin(2, 1000)
		must.Equal(t, run.ended(t), 40, "after %q", after)
	}
}

// A robot that acknowledges every message receives one at a time. Its commands over several connections take effect
// before the next step. Runs are reproducible.
func TestLockstepInTurn(t *testing.T) {
	run := func() (hash uint64, got []string) {
		r := newRig(t, func(w *worlds.World) {
			waitFor(w, "cyan1", func(wait *timesync.WaitFor) { wait.Order = timesync.OrderAll })
		})
		acks := advertise[msg.Header](r, "/cyan1/ack", "std_msgs/Header")
		drive := r.twists()
		var mu sync.Mutex
		var sent uint32
		var busy atomic.Int32
		take := func(topic string, stamp time.Duration) {
			must.Equal(t, busy.Add(1), 1, "the robot has got a message while it had another")
			mu.Lock()
			defer mu.Unlock()
			time.Sleep(rand.N(time.Millisecond)) // computing time of the robot's program
			got = append(got, fmt.Sprint(topic, " ", stamp))
			for range len(got) % 3 {
				drive.Publish(&msg.Twist{Linear: msg.Vector3{X: float64(len(got) % 7)}})
				sent++
			}
			busy.Add(-1)
			acks.Publish(&msg.Header{Seq: sent, FrameID: topic})
		}
		r.onClock(func(now time.Duration) { take("/clock", now) })
		r.onOdometry("cyan1", func(stamp time.Duration) { take("/cyan1/odom", stamp) })
		must.Get(ros1.Subscribe(r.robot, "/cyan1/imu", "sensor_msgs/Imu",
			func(m *msg.Imu) { take("/cyan1/imu", m.Header.Stamp.Since()) }))(t)
		run := r.lockstep(t.Context(), 200*time.Millisecond)
		must.Until(t, "the bridge", func() bool { return acks.NumSubscribers() == 1 && drive.NumSubscribers() == 1 })
		must.Until(t, "the run to ask", func() bool {
			return run.said("with an empty frame_id, which means that the robot is ready")
		})
		for _, topic := range []string{"/clock", "/cyan1/odom", "/cyan1/imu", ""} {
			acks.Publish(&msg.Header{FrameID: topic})
		}
		must.Equal(t, run.ended(t), 40, "steps")
		r.bridge.Close()
		mu.Lock()
		defer mu.Unlock()
		return run.report.Hash, got[:80] // the run may end before the three messages of its last step are received
	}
	hash, got := run()
	again, same := run()
	if hash != again || !slices.Equal(got, same) {
		t.Errorf("states %x and %x; got\n%v\n%v", hash, again, got, same)
	}
}

// A publisher of another type on a command topic is reported, once even if all robots subscribe to the topic.
func TestMismatchedPublishersAreReported(t *testing.T) {
	r := newRig(t, nil)
	if n := len(r.sim.World().Robots); n < 2 {
		t.Fatalf("%d robots", n)
	}
	for _, topic := range []string{"/cyan1/nubotcontrol/velcmd", "/gazebo/set_model_state"} {
		advertise[msg.String](r, topic, "std_msgs/String")
		if e := <-r.mismatched; e.Topic != topic || e.Publisher != "/robot" || e.Type != "std_msgs/String" {
			t.Errorf("%+v", e)
		}
	}
	settle(r)
	must.Equal(t, len(r.mismatched), 0, "reports of the same again")
}

// While a run waits for a robot, it reports that there is a publisher of another type.
func TestWaitingTellsOfMismatchedPublishers(t *testing.T) {
	for _, c := range []struct {
		topic, typ string
		order      timesync.Order
	}{
		{"/cyan1/cmd_vel", "geometry_msgs/Twist", timesync.OrderAnswers},
		{"/cyan1/ack", "std_msgs/Header", timesync.OrderAll},
	} {
		r := newRig(t,
			func(w *worlds.World) { waitFor(w, "cyan1", func(wait *timesync.WaitFor) { wait.Order = c.order }) })
		advertise[msg.String](r, c.topic, "std_msgs/String")
		ctx, cancel := context.WithCancel(t.Context())
		run := r.lockstep(ctx, time.Second)
		want := c.topic + " (/robot publishes std_msgs/String, here it is " + c.typ + ")"
		must.Until(t, want, func() bool { return run.said(want) })
		cancel()
		run.ended(t)
	}
}

// While a run waits for a robot that acknowledges a topic that nothing publishes, it says so.
func TestWaitingTellsOfTopicsThatNothingPublishes(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		waitFor(w, "cyan1", func(wait *timesync.WaitFor) { wait.Order = timesync.OrderAll })
	})
	acks := advertise[msg.Header](r, "/cyan1/ack", "std_msgs/Header")
	ctx, cancel := context.WithCancel(t.Context())
	run := r.lockstep(ctx, time.Second)
	must.Until(t, "a subscriber", func() bool { return acks.NumSubscribers() > 0 })
	for _, topic := range []string{"/cyan1/nothing", ""} {
		acks.Publish(&msg.Header{FrameID: topic})
	}
	const want = "robot cyan1, which lacks a publisher of /cyan1/nothing: the robot's profiles and sensors give none"
	must.Until(t, want, func() bool { return run.said(want) })
	cancel()
	run.ended(t)
}
