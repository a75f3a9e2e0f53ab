package assess

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
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
	if err := p.a.Tour(kind); err != nil {
		t.Fatal(err)
	}
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

// TestTours checks that a vision which reports the truth has no errors in any scene, although objects jump. The scenes
// must cover the field, all bearings of the robot and many speeds. The same seed must give the same scenes, and another
// seed other scenes.
func TestTours(t *testing.T) {
	for _, kind := range []TourKind{DriveTour, PlaceTour} {
		r := perfect(t, touring, kind, 30*time.Second)
		if r.TourError != nil || r.Scenes < 20 {
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
