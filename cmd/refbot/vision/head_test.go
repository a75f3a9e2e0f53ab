package vision_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// walkFor is raised by `make verify-vision`.
var walkFor = flag.Duration("vision.walk", 8*time.Second, "how long a humanoid walks and looks, by the camera in its head")

// walkingWorld is a field on which a humanoid walks among others.
const walkingWorld = `
name = "head"
seed = %d
look = "natural"
field = "hsl-9x6"
[physics]
engine = "planar"
[ball]
radius_m = 0.07
[[robot]]
name = "walker"
model = "humanoid-kid"
drive = { level = "walk" }
pose = { x_m = -4, y_m = -1.2, heading_deg = 10 }
sensor = [{ name = "camera", level = "raw", ground_truth = true, latency_ms = 150 }]
[[robot]]
for_each = [{ n = 1, x = 2.2, y = 1, heading = 180 }, { n = 2, x = -1, y = 1.5, heading = 200 }, { n = 3, x = 3.5, y = -2, heading = 90 }]
name = "other{n}"
model = "humanoid-kid"
pose = { x_m = "{x}", y_m = "{y}", heading_deg = "{heading}" }
sensor = [{ name = "camera", level = "truth" }]
`

// headImage is an image of a camera in a head, with the truth at its stamp.
type headImage struct {
	stamp  time.Duration
	pix    []byte
	poseWB spatial.Pose
	poseBC spatial.Pose // of the optical frame
	ball   mgl64.Vec3   // in the world, m
	labels []uint16
	label  uint16 // of the ball
	others []mgl64.Vec3
}

// onFloor returns the pose of the robot's frame on the floor.
func (s *headImage) onFloor() spatial.Pose {
	return spatial.Planar(s.poseWB.Pos[0], s.poseWB.Pos[1], s.poseWB.Heading())
}

// walking returns a simulation of walkingWorld.
func walking(t testing.TB, seed int) *omnipitch.Sim {
	w := must.Get(worlds.Parse("head.toml", fmt.Appendf(nil, walkingWorld, seed)))(t)
	w.Time.Speed = timesync.Max
	return must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
}

// lensOf returns the lens of the walker's camera.
func lensOf(t testing.TB, sim *omnipitch.Sim) *vision.Pinhole {
	cam, _ := sim.Sensors().Camera("walker", "camera")
	m, name, d := optics.Lens(cam.Model())
	width, height := cam.Model().Size()
	return must.Get(vision.NewPinhole(width, height, [9]float64{m.FX, 0, m.CX, 0, m.FY, m.CY, 0, 0, 1}, name, d))(t)
}

func planarPose(p spatial.Pose) locate.Pose {
	return locate.Pose{Pos: pitch.Vec{p.Pos[0], p.Pos[1]}, Heading: p.Heading()}
}

// aimAfter returns where the head is told to look after the image with a stamp, in degrees.
func aimAfter(stamp time.Duration) (pan, tilt float64) {
	at := 2 * math.Pi * stamp.Seconds()
	return 50 * math.Sin(at/5), 22 + 16*math.Sin(at/3.1)
}

// walk lets the robot walk ahead and turn its head, and calls f with each image. In each image, the ball lies at
// another place before the robot.
func walk(t testing.TB, sim *omnipitch.Sim, span time.Duration, seed uint64, f func(*headImage)) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	truths := map[time.Duration]*physics.Snapshot{}
	note := func(s *physics.Snapshot) {
		c := *s
		c.Robots = slices.Clone(s.Robots)
		truths[s.Time] = &c
	}
	note(sim.Truth())
	sim.OnStep(note)
	label := uint16(int(render.LabelBody) + sim.Sensors().Scenery().Ball())
	observe := func(o *sensors.Observation) {
		s := truths[o.Stamp]
		image := &headImage{stamp: o.Stamp, pix: o.Color.Pix, poseWB: s.Robots[0].PoseWB, poseBC: o.PoseBC,
			ball: s.Ball.PosW, labels: o.Truth.Labels, label: label}
		for i := range s.Robots[1:] {
			image.others = append(image.others, s.Robots[1+i].PoseWB.Pos)
		}
		f(image)
		// Where the ball may be seen in the next image.
		pan, tilt := aimAfter(o.Stamp)
		distance := math.Exp(math.Log(0.35) + random.Float64()*math.Log(4.2/0.35))
		bearing := (pan + 60*(random.Float64()-0.5)) * spatial.Degree
		must.Do(t, sim.Do(&action.AimHead{Robot: "walker", Sensor: "camera", Pan: pan * spatial.Degree,
			Tilt: tilt * spatial.Degree}, &action.Place{Name: "ball", RelativeTo: "walker",
			X: distance * math.Cos(bearing), Y: distance * math.Sin(bearing), Z: 0.07}))
	}
	must.Get(sim.Listen("walker", "camera", omnipitch.Listener{
		Wants: func(abstraction.Level) bool { return true }, Observe: observe}))(t)
	must.Do(t, sim.Do(&action.Drive{Robot: "walker", VX: 0.2}))
	must.Get(sim.Run(context.Background(), omnipitch.Pace{For: span, Speed: timesync.Max}))(t)
}

// headColors returns the colour table of the camera, from labelled pixels of other images.
func headColors(t testing.TB) *vision.ColorTable {
	sim := walking(t, 2)
	defer sim.Close()
	samples := new(calibration.ColorHistogram)
	walk(t, sim, 2*time.Second, 7, func(s *headImage) {
		for i, label := range s.labels {
			p := s.pix[3*i:]
			samples.Add(p[0], p[1], p[2], int(classOf(label, s.label, p)))
		}
	})
	return vision.TableOf(t, samples)
}

// shows reports whether the ball is wholly in the image, and nothing hides it.
func (s *headImage) shows(v *vision.View) bool {
	pose := s.poseWB.Mul(s.poseBC)
	v.Aim(pose.Pos, pose.Rot.Mat4().Mat3())
	c := s.ball.Sub(v.Pos)
	toward, cos := c.Normalize(), math.Cos(math.Asin(0.07/c.Len()))
	seen, all, cut := 0.0, 0.0, false
	for i, label := range s.labels {
		if label == s.label {
			seen++
		}
		if v.Index(i).Dot(toward) >= cos {
			u, row := i%v.Width, i/v.Width
			all, cut = all+1, cut || u == 0 || row == 0 || u == v.Width-1 || row == v.Height-1
		}
	}
	return all > 0 && !cut && seen > 0.97*all
}

// stands reports whether the image shows the floor below the other robot with an index, up to 4 m away, and no robot
// stands before it.
func (s *headImage) stands(lens *vision.Pinhole, i int) bool {
	at := s.others[i].Sub(s.poseWB.Pos)
	for k, other := range s.others {
		d := other.Sub(s.poseWB.Pos)
		if k != i && d.Len() < at.Len() && d.Normalize().Cross(at).Len() < 0.5 {
			return false
		}
	}
	c := s.poseWB.Mul(s.poseBC).Inverse().Apply(s.others[i])
	u, v := lens.CX+lens.FX*c[0]/c[2], lens.CY+lens.FY*c[1]/c[2]
	side := lens.FX * 0.15 / c[2]
	return at.Len() < 4 && c[2] > 0 && u > side && v > 0 && u < float64(lens.Width)-side &&
		v < float64(lens.Height)-side
}

// A humanoid that walks and turns its head knows where it is, and sees the ball and other robots, by the camera in its
// head. The errors of its encoders, of its inertial unit and of its counted steps are those of the shipped model. At
// first, it is 0.3 m and 8° from where it believes to be. Images arrive 0.15 s late.
func TestHeadOfAWalker(t *testing.T) {
	sim := walking(t, 1)
	defer sim.Close()
	sight := must.Get(seat.NewHeadSight(sim, 0, headColors(t)))(t)
	// The odometry seems to jump ahead from here.
	sight.Odometry(0, locate.Pose{Pos: pitch.Vec{-0.25, -0.17}, Heading: -8 * spatial.Degree}, pitch.Vec{}, 0)
	lens := lensOf(t, sim)
	view := vision.NewLensView(lens)
	bands := []float64{0.75, 1.5, 3, 4.5}
	var balls [4]errors
	var places, headings, others errors
	images, near, within, falseBalls, reported, falseOthers := 0, 0, 0, 0, 0, 0
	walk(t, sim, *walkFor, *seed, func(s *headImage) {
		if s.stamp == 0 { // before the jump
			return
		}
		seen := sight.Image(s.stamp, s.pix)
		images++
		inverse := s.onFloor().Inverse()
		ball := inverse.Apply(s.ball)
		distance := math.Hypot(ball[0], ball[1])
		off := math.Hypot(seen.Ball.Pos[0]-ball[0], seen.Ball.Pos[1]-ball[1])
		if i := slices.IndexFunc(bands, func(b float64) bool { return distance < b }); i >= 0 && s.shows(view) {
			found := seen.HasBall && off < 0.1*distance
			balls[i].there++
			if found {
				balls[i].found = append(balls[i].found, off)
			}
			if distance < 3 {
				if near++; found {
					within++
				}
			}
		}
		if seen.HasBall && !(off < 0.5*distance) {
			falseBalls++
		}
		places.there, headings.there = places.there+1, headings.there+1
		if truth := planarPose(s.poseWB); seen.Pose.Known {
			places.found = append(places.found, pitch.Distance(seen.Pose.Pos, truth.Pos))
			headings.found = append(headings.found, math.Abs(pitch.Wrap(seen.Pose.Heading-truth.Heading)))
		}
		for _, o := range seen.Obstacles {
			nearest := math.Inf(1)
			for _, at := range s.others {
				at = inverse.Apply(at)
				nearest = min(nearest, math.Hypot(at[0]-o.X, at[1]-o.Y))
			}
			if reported++; !(nearest < otherObstacle) {
				falseOthers++
			}
		}
		for i := range s.others {
			if !s.stands(lens, i) {
				continue
			}
			others.there++
			at, nearest := inverse.Apply(s.others[i]), otherObstacle
			for _, o := range seen.Obstacles {
				nearest = min(nearest, math.Hypot(at[0]-o.X, at[1]-o.Y))
			}
			if nearest < otherObstacle {
				others.found = append(others.found, nearest)
			}
		}
	})
	for i := range bands {
		balls[i].tell(t, fmt.Sprintf("ball up to %.2f m", bands[i]))
	}
	places.tell(t, "position")
	others.tell(t, "robot up to 4 m")
	t.Logf("heading: median %.1f°; %d images, %d false balls, %d of %d obstacles false", headings.median()/spatial.Degree,
		images, falseBalls, falseOthers, reported)
	share := func(part, all int) float64 { return float64(part) / float64(all) }
	if got := share(within, near); !(got >= 0.95) {
		t.Errorf("%.3f of the balls within 3 m are found within 10 %% of their distance, want 0.95", got)
	}
	if got := share(falseBalls, images); !(got <= 0.01) {
		t.Errorf("%.3f of the images have a false ball, want 0.01 at most", got)
	}
	if p, h := places.median(), headings.median(); !(p < 0.15) || !(h < 4*spatial.Degree) || !(places.share() > 0.99) {
		t.Errorf("pose: median error %.2f m, %.3f rad, known in %.2f of the images", p, h, places.share())
	}
	if got := share(falseOthers, reported); !(others.share() > 0.65) || !(got < 0.1) {
		t.Errorf("%.2f of the robots found, want 0.65; %.2f of the obstacles are none, want 0.1 at most",
			others.share(), got)
	}
}

// headLooking returns a robot's vision, and an image in which it sees the ball and another robot.
func headLooking(t testing.TB) (sim *omnipitch.Sim, sight *node.HeadSight, stamp time.Duration, pix []byte) {
	sim = walking(t, 1)
	sight = must.Get(seat.NewHeadSight(sim, 0, headColors(t)))(t)
	walk(t, sim, 1200*time.Millisecond, 3, func(s *headImage) {
		if seen := sight.Image(s.stamp, s.pix); seen.HasBall && len(seen.Obstacles) > 0 {
			stamp, pix = s.stamp, slices.Clone(s.pix)
		}
	})
	if pix == nil {
		t.Fatal("no image shows the ball and a robot")
	}
	return sim, sight, stamp, pix
}

// A robot that lies sees nothing, nor does one that does not know how its head is turned.
func TestHeadThatLies(t *testing.T) {
	sim, sight, stamp, pix := headLooking(t)
	defer sim.Close()
	pan, tilt := aimAfter(stamp - time.Second/15) // as in the image
	// In the second image, its head makes up for most of the lean.
	for i, lean := range []float64{0, 0.4, math.Pi / 2, 0} {
		force := mgl64.Vec3{-math.Sin(lean), 0, math.Cos(lean)}.Mul(9.81)
		later := time.Duration(3+i) * time.Second
		sight.IMU(later, force, mgl64.Vec3{})
		if i < 3 {
			sight.Joints(later, pan*spatial.Degree, tilt*spatial.Degree-lean)
		}
		seen := sight.Image(later, pix)
		if stands := i == 0; seen.HasBall != stands || (len(seen.Obstacles) > 0) != stands {
			t.Errorf("%d: leans by %.1f, sees a ball: %v, and %d robots", i, lean, seen.HasBall, len(seen.Obstacles))
		}
	}
}

// Processing an image of a camera in a head allocates nothing.
func TestHeadAllocatesNothing(t *testing.T) {
	sim, sight, stamp, pix := headLooking(t)
	defer sim.Close()
	if n := allocations(func() { sight.Perception(stamp, pix) }); n != 0 {
		t.Errorf("an image allocates %v times", n)
	}
}

func BenchmarkHead(b *testing.B) {
	sim, sight, stamp, pix := headLooking(b)
	defer sim.Close()
	for b.Loop() {
		sight.Image(stamp, pix)
	}
}
