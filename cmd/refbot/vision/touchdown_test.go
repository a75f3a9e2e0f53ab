package vision_test

import (
	"flag"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/track"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

var lobsOf = flag.Int("vision.lobs", 2, "how many lobs a goalkeeper with Kinects sees in each hall")

// ahead is how long before a touchdown it must be predicted, and aimed how accurately, m.
const (
	ahead = 300 * time.Millisecond
	aimed = 0.15
)

// onFloor converts a pose to one of the robot's odometry.
func onFloor(p spatial.Pose) locate.Pose {
	return locate.Pose{Pos: pitch.Vec{p.Pos[0], p.Pos[1]}, Heading: p.Heading()}
}

// catcher is a goalkeeper's vision and its score.
type catcher struct {
	name   string
	colors bool
	off    float64 // error of its Kinects' mounts, rad
	reach  float64 // of its Kinects, m
	eyes   *node.DepthEyes
	pose   locate.Pose // newest odometry pose

	known bool // in this lob
	down  mgl64.Vec3
	late  time.Duration
	first time.Duration // before the touchdown
	standing, driving,
	firsts errors // errors of the landing position
	balls        [8]errors // by distance, m
	wrong        int
	images       int
	falselyFalls int
}

// look processes an image.
func (c *catcher) look(t *testing.T, l *lob, now time.Duration, g glimpse, mm []byte, pinhole *vision.Pinhole) {
	var classes []vision.Class
	if c.colors {
		classes = c.eyes.Segment(g.kinect, g.Color.Pix)
	}
	s := c.eyes.Look(g.kinect, g.Stamp, mm, classes)
	c.images++
	mount := kinects[g.kinect].mount
	off := g.ball.Sub(mgl64.Vec3{mount.X, mount.Y, mount.Height})
	n := 0
	for _, label := range g.Truth.Labels {
		if label == l.label {
			n++
		}
	}
	// At least half of the ball is visible, within the range of a Kinect: 0.5 m to 8 m along its axis, or to 5 m for a
	// Kinect v1.
	sinP, cosP := math.Sincos(mount.Pitch)
	z := off.Dot(mgl64.Vec3{cosP * math.Cos(mount.Yaw), cosP * math.Sin(mount.Yaw), -sinP})
	right := s.HasBall && s.Ball.Pos.Sub(g.ball).Len() < otherBall
	if s.HasBall && !right {
		c.wrong++
		t.Logf("%s: lob %d at %v: took for the ball %.2f (%.2f sure), where it is at %.2f", c.name, l.number, g.Stamp,
			s.Ball.Pos, s.Ball.Confidence, g.ball)
	}
	if k := int(off.Len()); k < len(c.balls) && z > 0.65 && z < c.reach-0.2 &&
		float64(n) > 0.5*math.Pi*math.Pow(0.11*pinhole.FX/off.Len(), 2) {
		if c.balls[k].there++; right {
			c.balls[k].found = append(c.balls[k].found, s.Ball.Pos.Sub(g.ball).Len())
		} else {
			t.Logf("%s: lob %d at %v: the ball is not found at %.2f", c.name, l.number, g.Stamp, g.ball)
		}
	}
	switch {
	case s.Falls && g.Stamp < l.at-2*time.Second:
		c.falselyFalls++ // the ball lies on the floor
		t.Logf("%s: lob %d at %v: the ball comes down at %.2f in %v, but it lies at %.2f", c.name, l.number, g.Stamp,
			s.Down.Pos, s.Down.Stamp-g.Stamp, g.ball)
	case s.Falls && now <= l.at:
		down := c.world(&s.Down, g)
		if !c.known {
			c.first = l.at - now
			c.firsts.found, c.firsts.there = append(c.firsts.found, over(down.Sub(l.down))), c.firsts.there+1
		}
		if now <= l.at-ahead {
			c.known, c.down, c.late = true, down, s.Down.Stamp-l.at
		}
	}
}

func over(v mgl64.Vec3) float64 { return math.Hypot(v[0], v[1]) }

// world returns a touchdown in the world, for a robot with a known pose at its newest image.
func (c *catcher) world(d *track.Touchdown, g glimpse) mgl64.Vec3 {
	rel := pitch.Turn(pitch.Vec{d.Pos[0] - c.pose.Pos[0], d.Pos[1] - c.pose.Pos[1]}, -c.pose.Heading)
	return g.robot.Apply(mgl64.Vec3{rel[0], rel[1], 0.11})
}

// end scores a lob.
func (c *catcher) end(t *testing.T, l *lob) {
	e := math.Inf(1)
	if c.known {
		e = over(c.down.Sub(l.down))
		t.Logf("%s: lob %d, %.1f m/s, %.0f°, drives %v: down %.3f m off, %v late, known %v before", c.name, l.number,
			l.speed, l.rise*180/math.Pi, l.moves, e, c.late, c.first)
	} else {
		t.Logf("%s: lob %d, %.1f m/s, %.0f°, drives %v: not known", c.name, l.number, l.speed, l.rise*180/math.Pi,
			l.moves)
	}
	all := &c.standing
	if l.moves {
		all = &c.driving
	}
	all.found, all.there = append(all.found, e), all.there+1
	c.known = false
}

// Lobs from 6 m land where a goalkeeper with two Kinects predicts 0.3 s before, standing or driving, in any light, with
// the ball's colours or by depth alone.
func TestTouchdownIsForeseen(t *testing.T) {
	each(t, func(t *testing.T, h hall) {
		w := h.keeper(t, 1)
		lens, table := pinholes(t, w), h.kinectColors(t)
		all := []*catcher{{name: "colours and depth", colors: true}, {name: "depth alone"}, {name: "mounts off by 0.5°",
			colors: true, off: 0.5 * math.Pi / 180}}
		begin := func() { // each lob has its own light, which new eyes do not know
			for _, c := range all {
				c.eyes, c.reach = node.NewDepthEyes(len(kinects)), h.reach()
				for k := range kinects {
					used, mount := table, kinects[k].mount
					if !c.colors {
						used = nil
					}
					mount.Pitch += c.off
					mount.Yaw += c.off
					c.eyes.Use(k, lens[k], mount, h.noise(), used)
				}
			}
		}
		begun := -1
		var mm, pix []byte // of the last image
		poses := map[time.Duration]locate.Pose{}
		lobs(t, w, *seed, *lobsOf, func(stamp time.Duration, o *sensors.OdometryReading) {
			poses[stamp] = onFloor(o.PoseOB)
			for _, c := range all {
				if c.eyes != nil {
					c.eyes.Odometry(stamp, poses[stamp])
				}
			}
		}, func(l *lob, now time.Duration, g glimpse) {
			if l.number != begun {
				begun = l.number
				begin()
				for at := g.Stamp - 100*time.Millisecond; at <= now; at += 5 * time.Millisecond {
					for _, c := range all {
						if p, ok := poses[at]; ok {
							c.eyes.Odometry(at, p)
						}
					}
				}
			}
			if g.Observation != nil {
				mm, pix = millimetres(g.Depth, mm[:0]), append(pix[:0], g.Color.Pix...)
			}
			for _, c := range all {
				if g.Observation == nil {
					c.end(t, l)
					continue
				}
				const half = 5 * time.Millisecond // between two readings
				a, b := poses[g.Stamp-half], poses[g.Stamp+half]
				if p, ok := poses[g.Stamp]; ok {
					a, b = p, p
				}
				c.pose = locate.Pose{Pos: a.Pos.Add(b.Pos).Mul(0.5), Heading: a.Heading +
					pitch.Wrap(b.Heading-a.Heading)/2}
				c.look(t, l, now, g, mm, lens[g.kinect])
			}
		})
		for _, c := range all {
			c.tell(t, h.least)
		}
		stamp := time.Hour
		if n := allocations(func() {
			for _, c := range all {
				stamp += 33 * time.Millisecond
				c.eyes.Odometry(stamp, locate.Pose{})
				c.eyes.Look(0, stamp, mm, c.eyes.Segment(0, pix))
			}
		}); n != 0 {
			t.Errorf("an image allocates %v times", n)
		}
	})
}

// tell reports the score and compares it with the requirements. least is the fraction of balls that must be found with
// colours.
func (c *catcher) tell(t *testing.T, least float64) {
	t.Helper()
	for k := range c.balls {
		b := &c.balls[k]
		if b.there == 0 {
			continue
		}
		if slices.Sort(b.found); len(b.found) == 0 {
			t.Logf("%s: ball %d to %d m away: none of %d found", c.name, k, k+1, b.there)
			continue
		}
		t.Logf("%s: ball %d to %d m away: %d of %d found, median %.1f mm, 95 %% within %.1f mm", c.name, k, k+1,
			len(b.found), b.there, 1000*b.median(), 1000*b.found[len(b.found)*95/100])
	}
	t.Logf("%s: %d of %d images show something else", c.name, c.wrong, c.images)
	lobs := errors{append(slices.Clone(c.standing.found), c.driving.found...), c.standing.there + c.driving.there}
	for _, e := range []struct {
		what string
		*errors
	}{{"standing", &c.standing}, {"driving", &c.driving}, {"all", &lobs}, {"first told", &c.firsts}} {
		if m := e.median(); e.there > 0 {
			t.Logf("%s: touchdown, %s: of %d, median %.1f cm, 95 %% within %.1f cm", c.name, e.what, e.there, 100*m,
				100*e.found[len(e.found)*95/100])
		}
	}
	there, found := 0, 0
	for k := range c.balls {
		there, found = there+c.balls[k].there, found+len(c.balls[k].found)
	}
	if m := lobs.median(); !(m <= aimed) || lobs.there == 0 {
		t.Errorf("%s: median %.3f m of %d lobs, want %v", c.name, m, lobs.there, aimed)
	}
	if c.falselyFalls > 0 {
		t.Errorf("%s: a ball that lies comes down in %d images", c.name, c.falselyFalls)
	}
	if share := float64(found) / float64(max(1, there)); c.colors && c.off == 0 &&
		(!(share >= least) || c.wrong*50 > c.images) {
		t.Errorf("%s: %.2f of %d balls found, %d of %d images show something else; want %.2f and one of 50", c.name,
			share, there, c.wrong, c.images, least)
	}
}

// taken takes the images of a lob, and returns a function that makes eyes process them one by one, repeatedly.
func taken(t testing.TB) (again func()) {
	w := plain.keeper(t, 1)
	lens, table := pinholes(t, w), plain.kinectColors(t)
	eyes := node.NewDepthEyes(len(kinects))
	for k := range kinects {
		eyes.Use(k, lens[k], kinects[k].mount, vision.KinectV2, table)
	}
	type image struct {
		kinect  int
		stamp   time.Duration
		pix, mm []byte
	}
	var all []image
	lobs(t, w, *seed, 1, func(time.Duration, *sensors.OdometryReading) {}, func(l *lob, now time.Duration, g glimpse) {
		if g.Observation != nil && now <= l.at && g.Stamp > l.at-1200*time.Millisecond {
			all = append(all, image{g.kinect, g.Stamp, slices.Clone(g.Color.Pix), millimetres(g.Depth, nil)})
		}
	})
	n, falls, begun := 0, 0, time.Duration(0)
	again = func() { // processes the next image
		if n%len(all) == 0 {
			if n > 0 && falls < 10 {
				t.Fatalf("the ball falls in %d of %d images", falls, len(all))
			}
			falls, begun = 0, begun+10*time.Second
		}
		i := &all[n%len(all)]
		n++
		if eyes.Look(i.kinect, begun+i.stamp, i.mm, eyes.Segment(i.kinect, i.pix)).Falls {
			falls++
		}
	}
	for range all {
		again()
	}
	return again
}

// A colour and a depth image of a Kinect: classes, candidates, spheres, path, touchdown.
func BenchmarkDepthEyes(b *testing.B) {
	again := taken(b)
	b.ReportAllocs()
	for b.Loop() {
		again()
	}
}
