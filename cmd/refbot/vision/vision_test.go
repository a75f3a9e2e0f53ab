package vision_test

import (
	"flag"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
)

// Flags that `make verify-vision` raises.
var (
	scenesOf = flag.Int("vision.scenes", 12, "how many scenes of each hall are looked at")
	halls    = flag.String("vision.halls", "natural", "which halls: of plain, natural, worn, busy, yellow, dim, "+
		"warm, and for lobs glide and v1, with commas between")
	tableOf = flag.String("vision.tables", "samples", "where colour tables are from: samples of 12 images, or files "+
		"as omnipitch calibration writes them")
)

// seed selects the scenes for published figures. Parameters were tuned with seed 11.
var seed = flag.Uint64("vision.seed", 2026, "draws the scenes")

// each calls f for each selected hall.
func each(t *testing.T, f func(t *testing.T, h hall)) {
	for name := range strings.SplitSeq(*halls, ",") {
		i := slices.IndexFunc(allHalls, func(h hall) bool { return h.name == name })
		if i < 0 {
			t.Fatalf("-vision.halls: %q: there is no such hall", name)
		}
		t.Run(name, func(t *testing.T) { f(t, allHalls[i]) })
	}
}

// errors are the errors of detections in a distance band, m, and their number.
type errors struct {
	found []float64
	there int
}

func (e *errors) median() float64 {
	if len(e.found) == 0 {
		return math.NaN()
	}
	slices.Sort(e.found)
	return e.found[len(e.found)/2]
}

func (e *errors) share() float64 { return float64(len(e.found)) / math.Max(1, float64(e.there)) }

func (e *errors) tell(t *testing.T, what string) {
	if e.there > 0 {
		m := e.median()
		t.Logf("%-22s %3d of %3d found, median %4.1f cm, 90 %% within %4.1f cm", what, len(e.found), e.there, 100*m,
			100*e.found[len(e.found)*9/10])
	}
}

// lost is the error beyond which a detection is another ball or obstacle, m.
const (
	otherBall     = 0.5
	otherObstacle = 0.6
)

// A ball that is at least half visible is found: by omni cameras within 10 cm up to 4 m away, by front cameras within 3
// cm up to 1.5 m, in the median, without false positives.
func TestBallIsFound(t *testing.T) {
	each(t, func(t *testing.T, h hall) {
		for _, sensor := range []string{"omni", "front"} {
			cams := calibrated()
			view, where, bands, aim := cams.omni, around{nearest: 0.6, farthest: 5, side: math.Pi}, []float64{2, 4, 5},
				0.1
			if sensor == "front" {
				view, where, bands, aim = cams.front, around{nearest: 0.6, farthest: 3, side: 0.5}, []float64{1.5, 3},
					0.03
			}
			eyes := node.NewEyes(cams.floor, field)
			if sensor == "omni" {
				eyes.UseColors(h.colors(t, sensor), view, cams.floor)
			} else {
				eyes.UseFront(h.colors(t, sensor), view)
			}
			all, wrong := make([]errors, len(bands)), 0
			scenes(t, h.world(t, 1, false, ""), sensor, *seed, *scenesOf, where, func(i int, s *scene) {
				var seen node.Seen
				if sensor == "omni" {
					eyes.Tracker = s.tracker()
					seen = eyes.Omni(time.Second, s.image.Color.Pix)
				} else {
					seen.Pose = locate.Estimate{Pose: s.self, Known: true}
					seen.Ball, seen.HasBall = eyes.Front(s.image.Color.Pix, &seen.Pose)
				}
				distance, err := math.Hypot(s.ball[0], s.ball[1]), seen.Ball.Pos.Sub(s.ball).Len()
				right := seen.HasBall && err <= otherBall
				if seen.HasBall && !right {
					wrong++
					t.Logf("scene %d: took for the ball %.2f, where it is at %.2f", i, seen.Ball.Pos, s.ball)
				}
				k, _ := slices.BinarySearch(bands, distance)
				if k < len(bands) && s.visible(view) >= 0.5 {
					if all[k].there++; right {
						all[k].found = append(all[k].found, err)
					}
				}
			})
			for k := range all {
				all[k].tell(t, sensor+" to "+strconv.FormatFloat(bands[k], 'g', -1, 64)+" m")
			}
			near := &all[0]
			if sensor == "omni" {
				near = &errors{append(slices.Clone(all[0].found), all[1].found...), all[0].there + all[1].there}
			}
			near.tell(t, sensor+", all that has an aim")
			t.Logf("%d of %d images show something else", wrong, *scenesOf)
			if !(near.median() <= aim) || wrong*50 > *scenesOf+49 || near.share() < h.least {
				t.Errorf("%s: median %.1f cm, %.2f found, %d wrong; want %.0f cm, %.2f, and one wrong in 50", sensor,
					100*near.median(), near.share(), wrong, 100*aim, h.least)
			}
		}
	})
}

// Robots and boxes in plain view on the field are found up to 4 m away, with almost no false positives.
func TestObstaclesAreFound(t *testing.T) {
	each(t, func(t *testing.T, h hall) {
		cams := calibrated()
		eyes := node.NewEyes(cams.floor, field)
		eyes.UseColors(h.colors(t, "omni"), cams.omni, cams.floor)
		var robots, boxes, people errors
		wrong, told := 0, 0
		scenes(t, h.world(t, 1, false, ""), "omni", *seed, 6+*scenesOf, around{nearest: 0.6, farthest: 5,
			side: math.Pi}, func(i int, s *scene) {
			eyes.Tracker = s.tracker()
			seen := eyes.Omni(time.Second, s.image.Color.Pix).Obstacles
			if i < 6 {
				return // the finder learns the robot's own part of the image and the light
			}
			used := make([]bool, len(seen))
			for k, b := range s.bodies {
				best, err := -1, otherObstacle
				for m, o := range seen {
					if e := math.Hypot(o.X-b.x, o.Y-b.y); e < err && !used[m] {
						best, err = m, e
					}
				}
				if best >= 0 {
					used[best] = true
				}
				if math.Hypot(b.x, b.y) > 4 || s.hidden(k) || !s.onField(b.x, b.y) {
					continue
				}
				kind := &robots
				switch {
				case strings.HasPrefix(b.name, "obstacle"):
					kind = &boxes
				case b.name == "referee":
					kind = &people
				}
				if kind.there++; best >= 0 {
					kind.found = append(kind.found, err)
				}
			}
			for m, o := range seen {
				if math.Hypot(o.X, o.Y) < 4 {
					if told++; !used[m] {
						wrong++
					}
				}
			}
		})
		robots.tell(t, "robots to 4 m")
		boxes.tell(t, "boxes to 4 m")
		if people.there > 0 && len(people.found) > 0 {
			people.tell(t, "referee to 4 m")
		}
		t.Logf("%d of %d obstacles told within 4 m are none", wrong, told)
		if !(robots.median() <= 0.15 && boxes.median() <= 0.3) || !(robots.share() >= h.least-0.1) ||
			!(float64(wrong) <= h.loose*float64(told)+1) {
			t.Errorf("robots: median %.2f m, %.2f found; boxes: median %.2f m; %d of %d wrong", robots.median(),
				robots.share(), boxes.median(), wrong, told)
		}
	})
}

// onField reports whether a place in the robot's frame is on the field.
func (s *scene) onField(x, y float64) bool {
	at := s.self.Pos.Add(pitch.Turn(pitch.Vec{x, y}, s.self.Heading))
	return math.Abs(at[0]) < field.Length/2 && math.Abs(at[1]) < field.Width/2
}

// hidden reports whether a closer body occludes the centre of a body.
func (s *scene) hidden(k int) bool {
	b := &s.bodies[k]
	d, bearing := math.Hypot(b.x, b.y), math.Atan2(b.y, b.x)
	for i := range s.bodies {
		o := &s.bodies[i]
		if e := math.Hypot(o.x, o.y); i != k && e < d {
			if math.Abs(math.Remainder(math.Atan2(o.y, o.x)-bearing, 2*math.Pi)) < math.Asin(min(1,
				(o.radius+0.5*b.radius)/e)) {
				return true
			}
		}
	}
	return false
}

// looking returns eyes, and the images of both cameras of a scene with a visible ball.
func looking(t testing.TB) (eyes *node.Eyes, omni, front []byte) {
	cams := calibrated()
	eyes = node.NewEyes(cams.floor, field)
	for _, sensor := range []string{"omni", "front"} {
		scenes(t, natural.world(t, 1, false, ""), sensor, *seed, 1, around{nearest: 1, farthest: 2, side: 0.3},
			func(_ int, s *scene) {
				pix := slices.Clone(s.image.Color.Pix)
				if sensor == "omni" {
					eyes.Tracker, omni = s.tracker(), pix
				} else {
					front = pix
				}
			})
	}
	eyes.UseColors(natural.colors(t, "omni"), cams.omni, cams.floor)
	eyes.UseFront(natural.colors(t, "front"), cams.front)
	return eyes, omni, front
}

// allocations returns the number of allocations of f: the least of three counts, because goroutines of ended
// simulations also allocate.
func allocations(f func()) float64 {
	least := math.Inf(1)
	for range 3 {
		least = min(least, testing.AllocsPerRun(5, f))
	}
	return least
}

// Processing an image allocates nothing.
func TestEyesAllocateNothing(t *testing.T) {
	eyes, omni, front := looking(t)
	stamp := time.Second
	pose := eyes.Omni(stamp, omni).Pose
	if n := allocations(func() {
		stamp += 33 * time.Millisecond
		eyes.Tracker.Odometry(stamp, locate.Pose{})
		eyes.Omni(stamp, omni)
	}); n != 0 {
		t.Errorf("an omni image allocates %v times", n)
	}
	if n := allocations(func() { eyes.Front(front, &pose) }); n != 0 {
		t.Errorf("a front image allocates %v times", n)
	}
}

func BenchmarkEyes(b *testing.B) {
	eyes, omni, front := looking(b)
	stamp := time.Second
	pose := eyes.Omni(stamp, omni).Pose
	b.Run("omni", func(b *testing.B) {
		for b.Loop() {
			stamp += 33 * time.Millisecond
			eyes.Tracker.Odometry(stamp, locate.Pose{})
			eyes.Omni(stamp, omni)
		}
	})
	b.Run("front", func(b *testing.B) {
		for b.Loop() {
			eyes.Front(front, &pose)
		}
	})
}
