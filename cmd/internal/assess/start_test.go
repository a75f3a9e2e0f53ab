package assess

import (
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// TestStartOfANodeIsNoMiss runs two nodes that start late. The one for the ball needs a second to process its first
// image. The frames until then must not be missed, and the limit on its topic must count from its first message.
func TestStartOfANodeIsNoMiss(t *testing.T) {
	const sim, poseStart, ballStart, warmUp = 6 * time.Second, time.Second, 3 * time.Second, time.Second
	p := newPeer(t, touring+`
[[expect]]
name = "sees-the-ball"
always = { topic_error = { topic = "/cyan1/vision/ball", of = "ball", frame = "base_link", robot = "cyan1", under_m = 0.01 } }
from_s = 0.5
`, Config{Robot: "cyan1", Topics: []Topic{{Name: "vision/pose"}, {Name: "vision/ball"}}})
	poses := advertise[msg.PoseStamped](p, "/cyan1/vision/pose", "geometry_msgs/PoseStamped")
	balls := advertise[pointStamped](p, "/cyan1/vision/ball", "geometry_msgs/PointStamped")
	stopped := time.Duration(0)
	p.a.Limit(time.Second, 10*time.Second, func() {
		if stopped == 0 {
			stopped = p.sim.Truth().Time
		}
	})
	var first *look
	r := p.run(sim, 0, func(l look) {
		me := l.truth.Robots[0].PoseWB
		if l.stamp >= poseStart {
			poses(&msg.PoseStamped{Header: header(l, "map"), Pose: msg.Pose{Position: msg.Point{X: me.Pos[0],
				Y: me.Pos[1]}, Orientation: msg.Quaternion{W: 1}}})
		}
		switch {
		case l.stamp < ballStart:
			return
		case first == nil: // busy with this image
			first = &l
			return
		case l.stamp < first.stamp+warmUp:
			return
		}
		b := me.Inverse().Apply(l.truth.Ball.PosW)
		balls(&pointStamped{header(l, "base_link"), msg.Point{X: b[0], Y: b[1]}})
	})
	r.Verdicts = []expectation.Verdict{p.sim.Match().Expectations()[0].Verdict}
	ball := channel(t, r, "ball", Ball)
	if ball.Missed > 0 || ball.Expected < 40 || ball.Expected > 60 {
		t.Errorf("%d of %d balls missed, want none of about 60", ball.Missed, ball.Expected)
	}
	if v := r.Verdicts[0]; v.Outcome != expectation.Passed || r.Verdict() != "passed" {
		t.Errorf("got %s, %v, want passed", r.Verdict(), v)
	}
	if want := ballStart + warmUp + time.Second; stopped < want || stopped > want+100*time.Millisecond {
		t.Errorf("a limit of 1 s stopped the run at %v, want %v", stopped, want)
	}
}

// TestNeverStarted checks when a run ends, and what is said, if one vision of two never answers, or both.
func TestNeverStarted(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers bool
		stopped time.Duration
		verdict string
		text    string
	}{
		{"both", false, 2 * time.Second, "never started",
			"never started: nothing arrived on /cyan1/vision/pose, /cyan1/vision/ball in 4 s of sim time"},
		{"one", true, 3 * time.Second, "never started",
			"never started: nothing arrived on /cyan1/vision/ball in 4 s of sim time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPeer(t, touring, Config{Robot: "cyan1",
				Topics: []Topic{{Name: "vision/pose"}, {Name: "vision/ball"}}})
			poses := advertise[msg.PoseStamped](p, "/cyan1/vision/pose", "geometry_msgs/PoseStamped")
			stopped := time.Duration(0)
			p.a.Limit(time.Second, 2*time.Second, func() {
				if stopped == 0 {
					stopped = p.sim.Truth().Time
				}
			})
			r := p.run(4*time.Second, 0, func(l look) {
				if c.answers {
					poses(&msg.PoseStamped{Header: header(l, "map"), Pose: msg.Pose{Orientation: msg.Quaternion{W: 1}}})
				}
			})
			must.Equal(t, stopped, c.stopped, "stopped at")
			if got := r.NeverStarted(); r.Verdict() != c.verdict || !strings.HasPrefix(got, c.text) {
				t.Errorf("got %s: %s, want %s: %s", r.Verdict(), got, c.verdict, c.text)
			}
			checkPage(t, r)
		})
	}
}
