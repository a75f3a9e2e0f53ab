package assess

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// TestFaultsOfVisions checks that errors of a vision are counted and described in a sentence, and that no figure
// becomes NaN or infinite.
func TestFaultsOfVisions(t *testing.T) {
	const sim = 3 * time.Second
	pose := func(l look, x float64) *msg.PoseStamped {
		return &msg.PoseStamped{Header: header(l, "map"), Pose: msg.Pose{Position: msg.Point{X: x},
			Orientation: msg.Quaternion{W: 1}}}
	}
	for _, c := range []struct {
		name   string
		answer func(p *peer, publish func(*msg.PoseStamped), l look)
		check  func(t *testing.T, r *Result)
	}{
		{"says nothing", func(*peer, func(*msg.PoseStamped), look) {}, func(t *testing.T, r *Result) {
			if got := r.Nothing(); got != "nothing arrived on /cyan1/vision/pose in 3 s of sim time: does the vision "+
				"run, and does it publish there?" {
				t.Error(got)
			}
		}},
		{"says NaN", func(p *peer, publish func(*msg.PoseStamped), l look) { publish(pose(l, math.NaN())) },
			func(t *testing.T, r *Result) {
				if n := r.Topics[0].NotNumbers; n < 80 || r.Nothing() != "/cyan1/vision/pose: the position of self is "+
					"not a number" {
					t.Errorf("%d, %s", n, r.Nothing())
				}
				if c := channel(t, r, "pose", Self); c.Missed < 80 || c.Missed != c.Expected {
					t.Errorf("%d of %d missed", c.Missed, c.Expected)
				}
			}},
		{"stamps the future", func(p *peer, publish func(*msg.PoseStamped),
			l look) {
			l.stamp += time.Hour
			publish(pose(l, 0))
		}, func(t *testing.T, r *Result) {
			if !strings.Contains(r.Nothing(), " is stamped 3600") || !strings.Contains(r.Nothing(),
				"which is later: stamps must be those of the images, in sim time") || r.Topics[0].Untimely < 80 {
				t.Error(r.Nothing())
			}
		}},
		{"stamps nothing", func(p *peer, publish func(*msg.PoseStamped), l look) {
			l.stamp = 0
			publish(pose(l, 0))
		}, func(t *testing.T, r *Result) {
			if !strings.Contains(r.Topics[0].Problem, "is stamped 0.000 s, which is more than 2 s before") {
				t.Error(r.Topics[0].Problem)
			}
		}},
		{"ends too soon", func(p *peer, publish func(*msg.PoseStamped), l look) {
			if l.stamp < time.Second {
				publish(pose(l, 0))
			}
		}, func(t *testing.T, r *Result) {
			if c := channel(t, r, "pose", Self); c.Position.N < 25 || c.Position.N > 35 {
				t.Errorf("%d reports", c.Position.N)
			}
			if r.Judged < 80 || r.Topics[0].Answered > 35 {
				t.Errorf("%d of %d frames answered", r.Topics[0].Answered, r.Judged)
			}
		}},
		{"answers each second frame", func(p *peer, publish func(*msg.PoseStamped), l look) {
			if l.frame%2 == 0 {
				publish(pose(l, l.truth.Robots[0].PoseWB.Pos[0]))
			}
		}, func(t *testing.T, r *Result) {
			within(t, "rate", float64(r.Topics[0].Rate()), 15, 0.5)
			within(t, "share of answered frames", float64(r.Topics[0].Answered)/float64(r.Judged), 0.5, 0.02)
		}},
		{"stamps a little later", func(p *peer, publish func(*msg.PoseStamped), l look) {
			m := pose(l, l.truth.Robots[0].PoseWB.Pos[0])
			m.Header.Stamp = msg.TimeFrom(l.stamp + 10*time.Millisecond)
			publish(m)
		}, func(t *testing.T, r *Result) {
			if r.Topics[0].Answered < r.Judged-1 {
				t.Errorf("%d of %d frames answered", r.Topics[0].Answered, r.Judged)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPeer(t, oracleWorld, Config{Robot: "cyan1", Topics: []Topic{{Name: "vision/pose"}}})
			publish := advertise[msg.PoseStamped](p, "/cyan1/vision/pose", "geometry_msgs/PoseStamped")
			r := p.run(sim, 50*time.Millisecond, func(l look) { c.answer(p, publish, l) })
			c.check(t, r)
			checkPage(t, r)
			checkFiles(t, r)
			var words strings.Builder
			if r.Words(&words); strings.Contains(words.String(), "NaN") {
				t.Error(words.String())
			}
		})
	}
}

// TestTakenForAnother checks how swapped names, teams and tracks are counted.
func TestTakenForAnother(t *testing.T) {
	p := newPeer(t, oracleWorld, Config{Robot: "cyan1", Topics: []Topic{{Name: "d"}}})
	a, to := p.a, p.a.topics[0]
	robot, box := &thing{name: "magenta1", team: "magenta"}, &thing{name: "box"}
	for i, c := range []struct {
		id   string
		of   *thing
		want bool
	}{
		{"", robot, false}, {"magenta", robot, false}, {"cyan", robot, true}, {"magenta", box, true},
		{"magenta1", robot, false}, {"box", robot, true},
		{"7", robot, false}, {"7", robot, false}, {"8", box, false}, {"7", box, true}, {"7", box, false},
		{"7", robot, true},
	} {
		if got := a.swapped(to, c.id, c.of); got != c.want {
			t.Errorf("%d: %q of %s: %v", i, c.id, c.of.name, got)
		}
	}
}
