package assess

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// touring is oracleWorld without bodies that move by themselves.
var touring = strings.Replace(strings.Replace(oracleWorld,
	`player = { patrol = { way_points = [{ x_m = 2, y_m = 3 }, { x_m = -2, y_m = -3 }] } }`, "", 1), "vx_m_s = 0.5\n",
	"", 1)

// perfect runs a tour on which a vision reports the truth.
func perfect(t *testing.T, world string, kind TourKind, d time.Duration) *Result {
	t.Helper()
	p := newPeer(t, world, Config{Robot: "cyan1", Range: 6, Topics: []Topic{{Name: "vision/pose"},
		{Name: "vision/objects", Kind: Obstacles}, {Name: "vision/ball"}}})
	must.Do(t, p.a.Tour(kind))
	poses := advertise[msg.PoseStamped](p, "/cyan1/vision/pose", "geometry_msgs/PoseStamped")
	balls := advertise[pointStamped](p, "/cyan1/vision/ball", "geometry_msgs/PointStamped")
	obstacles := advertise[poseArray](p, "/cyan1/vision/objects", "geometry_msgs/PoseArray")
	return p.run(d, 40*time.Millisecond, func(l look) {
		me := l.truth.Robots[0].PoseWB
		inB := func(pos mgl64.Vec3) msg.Point {
			p := me.Inverse().Apply(pos)
			return msg.Point{X: p[0], Y: p[1]}
		}
		sin, cos := math.Sincos(me.Heading() / 2)
		poses(&msg.PoseStamped{Header: header(l, "map"), Pose: msg.Pose{Position: msg.Point{X: me.Pos[0], Y: me.Pos[1]},
			Orientation: msg.Quaternion{Z: sin, W: cos}}})
		balls(&pointStamped{header(l, ""), inB(l.truth.Ball.PosW)})
		obstacles(&poseArray{header(l, "base_link"), []msg.Pose{{Position: inB(l.truth.Robots[1].PoseWB.Pos)},
			{Position: inB(l.truth.Obstacles[0].PoseWO.Pos)}}})
	})
}

// narrow has a robot whose cameras see only a part of the floor.
var narrow = strings.Replace(touring, `sensor = [{ name = "omni", level = "truth" }]`,
	`sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }, { name = "kinect",
  kind = "kinect", level = "truth", mount = { x_m = 0.26, y_m = 0.12, z_m = 0.7, yaw_deg = 28, pitch_deg = 12 } }]`, 1)

// TestToursSuitTheCamera checks that the camera sees what is assessed in at least 80 % of all frames of a tour.
func TestToursSuitTheCamera(t *testing.T) {
	const sim, least = 60 * time.Second, 0.8
	for _, sensor := range []string{"omni", "front", "kinect"} {
		for _, kind := range []TourKind{DriveTour, PlaceTour} {
			for _, topics := range [][]Topic{{{"ball", ""}}, {{"things", Obstacles}},
				{{"ball", ""}, {"things", Obstacles}}, {{"pose", ""}}} {
				if sensor == "omni" && len(topics) < 2 {
					continue
				}
				share := shares(t, Config{Robot: "cyan1", Sensor: sensor, Topics: topics}, kind, sim)
				for _, topic := range topics {
					k := (&part{kind: Self, byName: true}).kindOn(&topic)
					if !(share[k] >= least) {
						t.Errorf("%s, %s, %d topics: %s counts in %.2f of the frames, want %v", sensor, kind, len(topics),
							k, share[k], least)
					}
				}
			}
		}
	}
}

// shares returns, for each kind, the fraction of a tour's frames in which a vision must report something of that kind.
func shares(t *testing.T, cfg Config, kind TourKind, d time.Duration) map[Kind]float64 {
	t.Helper()
	p := newPeer(t, narrow, cfg)
	must.Do(t, p.a.Tour(kind))
	frames, seen := 0, map[Kind]float64{}
	p.run(d, 0, func(l look) {
		if frames++; !p.a.counts(l.stamp) {
			return
		}
		f := frame{poseBC: p.a.eye.camera.PoseBC(), amplification: 1, brightness: p.sim.Sensors().Brightness()}
		kinds := map[Kind]bool{Self: true}
		for _, x := range p.a.eye.look(l.truth, &f, nil) {
			if p.a.expects(&x) {
				kinds[x.kind] = true
			}
		}
		for k := range kinds {
			seen[k]++
		}
	})
	for k := range seen {
		seen[k] /= float64(frames)
	}
	return seen
}

// TestTours checks that a vision which reports the truth has no errors in any scene, although objects jump. The scenes
// must cover the field, all bearings of the robot and many speeds. The same seed must give the same scenes, and another
// seed other scenes.
func TestTours(t *testing.T) {
	for _, kind := range []TourKind{DriveTour, PlaceTour} {
		span := map[TourKind]time.Duration{DriveTour: 40 * time.Second, PlaceTour: 80 * time.Second}[kind]
		r := perfect(t, touring, kind, span)
		if r.TourError != nil || r.Scenes < 18 {
			t.Errorf("%s: %d scenes, %v", kind, r.Scenes, r.TourError)
		}
		for i := range r.Channels {
			c := &r.Channels[i]
			if !(c.Position.Max < 1e-6) || c.Missed > 0 || c.False > 0 || c.Position.N < 400 || c.Kind == Self &&
				!(c.Bearing.Max < 1e-6) {
				t.Errorf("%s: %s of a perfect vision: off by %v m, %v rad, %d missed, %d false, of %d", kind, c.Kind,
					c.Position.Max, c.Bearing.Max, c.Missed, c.False, c.Position.N)
			}
			for _, x := range c.Axes {
				at := slices.IndexFunc([]string{"distance", "bearing", "speed of the robot", "speed of the thing"},
					func(n string) bool { return n == x.Name })
				if at < 0 || x.Name == "speed of the thing" && c.Kind != Ball {
					continue
				}
				if least := []int{5, 11, 4, 2}[at]; len(x.Bins) < least {
					t.Errorf("%s: %s over %s: %d bins, want %d", kind, c.Kind, x.Name, len(x.Bins), least)
				}
			}
		}
		cells := len(r.cells("/cyan1/vision/pose"))
		if cells < 17 {
			t.Errorf("%s: was in %d square metres", kind, cells)
		}
		for i := range r.Samples {
			if s := &r.Samples[i]; !(math.Abs(s.RobotX) <= 9.5 && math.Abs(s.RobotY) <= 6.5) {
				t.Fatalf("%s: was at (%.1f, %.1f) m", kind, s.RobotX, s.RobotY)
			}
		}
		if kind == PlaceTour {
			continue // both kinds of tour use the same draws
		}
		short := func(world string) []Sample { return perfect(t, world, kind, 4*time.Second).Samples }
		a, b, c := short(touring), short(touring), short(strings.Replace(touring, "[physics]", "seed = 2\n[physics]",
			1))
		same := func(a, b Sample) bool { return a.TrueX == b.TrueX && a.TrueY == b.TrueY && a.Stamp == b.Stamp }
		if !slices.EqualFunc(a, b, same) {
			t.Errorf("%s: the same seed gives other scenes", kind)
		}
		if slices.EqualFunc(a, c, same) {
			t.Errorf("%s: another seed gives the same scenes", kind)
		}
	}
}

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
			if got := r.Nothing(); got != "never started: nothing arrived on /cyan1/vision/pose in 3 s of sim time: does the vision "+
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
