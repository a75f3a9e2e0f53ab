//go:build cgo

package pipeline_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/action"
)

var obstacleImages = flag.Int("obstacle.images", 25, "in how many images of each kind TestFalseObstaclesOfNuBot "+
	"looks for obstacles")

// blackness detects obstacles as team NuBot's omni-vision node does. It is written from the node's description
// (nubot_ws, omni_vision: obstacles.cpp, obstacles.h, scanpoints.cpp, and OmniVision.cfg for basic and length). Along
// 360 scan lines, a pixel is black if it is darker than
//
//	darkest + brightest·(basic + length·i/n)
//
// where darkest and brightest are the extremes of all scan lines, and i counts the line's n pixels outwards from the
// robot.
type blackness struct {
	calibration.Ground
	basic, length float64
	lines         [][]pixel
}

type pixel struct{ x, y int }

const (
	notDark   = 50   // an image without a pixel darker than this has no obstacles
	runs      = 1700 // least number of black pixels of an obstacle is this, divided by the index of the first one
	together  = 0.35 // metres: lines whose distances differ by less show the same obstacle
	obstacleR = 0.4  // metres: radius of an obstacle
	farthest  = 6.0  // metres: obstacles farther away are ignored
)

func newBlackness(g calibration.Ground, inner int, basic, length float64) *blackness {
	b := &blackness{Ground: g, basic: basic, length: length}
	cx, cy := int(math.Round(g.CenterColumn)), int(math.Round(g.CenterRow))
	outer := min(int(g.MaxRadius), cx, cy, g.Width-1-cx, g.Height-1-cy) - 3
	for deg := range 360 {
		sin, cos := math.Sincos(float64(deg) * math.Pi / 180)
		from, to := pixel{cx + int(float64(inner)*cos), cy + int(float64(inner)*sin)},
			pixel{cx + int(float64(outer)*cos), cy + int(float64(outer)*sin)}
		n := max(to.x-from.x, from.x-to.x, to.y-from.y, from.y-to.y)
		var line []pixel
		for i := range n - 3 {
			along := float64(i) / float64(n)
			line = append(line, pixel{from.x + int(math.Round(along*float64(to.x-from.x))),
				from.y + int(math.Round(along*float64(to.y-from.y)))})
		}
		b.lines = append(b.lines, line)
	}
	return b
}

// luminance returns the Y of OpenCV.
func luminance(im *render.Image, p pixel) int {
	i := 3 * (p.y*im.Width + p.x)
	return (4899*int(im.Pix[i]) + 9617*int(im.Pix[i+1]) + 1868*int(im.Pix[i+2]) + 1<<13) >> 14
}

// obstacle is an obstacle that the node reports, in the robot's frame.
type obstacle struct{ bearing, distance float64 }

// find returns the obstacles in an image whose right side is the robot's front, and the darkest luminance on the scan
// lines.
func (b *blackness) find(im *render.Image) (all []obstacle, darkest int) {
	darkest, brightest := 255, 0
	y := make([][]int, len(b.lines))
	for k, line := range b.lines {
		for _, p := range line {
			l := luminance(im, p)
			y[k] = append(y[k], l)
			if l != 0 {
				darkest, brightest = min(darkest, l), max(brightest, l)
			}
		}
	}
	if darkest > notDark {
		return nil, darkest
	}
	distance := make([]float64, len(b.lines))
	for k := range b.lines {
		distance[k] = b.nearest(b.lines[k], y[k], darkest, brightest)
	}
	return b.group(distance), darkest
}

// nearest returns the distance of the first obstacle on a line in metres, or +Inf.
func (b *blackness) nearest(line []pixel, y []int, darkest, brightest int) float64 {
	first, count := 0, 0
	for i := range line {
		sum, n := 0, 0
		for j := max(i-2, 0); j <= min(i+2, len(y)-1); j++ {
			sum, n = sum+y[j], n+1
		}
		smooth := sum / n
		if smooth != 0 && float64(smooth) < float64(darkest)+float64(brightest)*(b.basic+b.length*float64(i)/float64(
			len(line))) {
			if count == 0 {
				first = i
			}
			if count++; first != 0 && float64(count) > runs/float64(first) {
				break
			}
		} else if count > 0 {
			count--
		}
		if first != 0 && count > 0 && float64(i-first) > runs/float64(first) {
			break
		}
	}
	if count == 0 {
		return math.Inf(1)
	}
	p := line[first]
	return b.A * math.Tan(b.B*math.Hypot(float64(p.x)-b.CenterColumn, float64(p.y)-b.CenterRow))
}

// group combines neighbouring lines into obstacles, the nearest first. It sets the distances that it has used to +Inf.
func (b *blackness) group(distance []float64) (all []obstacle) {
	n := len(distance)
	step := 2 * math.Pi / float64(n)
	at := func(i int) *float64 { return &distance[((i%n)+n)%n] }
	for range n {
		nearest := 0
		for i := range distance {
			if distance[i] < distance[nearest] {
				nearest = i
			}
		}
		d := distance[nearest]
		if d > 10 {
			break
		}
		edge := func(direction int) int { // the third consecutive line with another distance
			others, i := 0, nearest
			for ; i != nearest+direction*n; i += direction {
				if math.Abs(*at(i)-d) < together {
					others = 0
				} else if others++; others == 3 {
					break
				}
			}
			return i
		}
		upper, lower := edge(1), edge(-1)
		width := float64(upper-lower-2) * step * d
		pieces := min(max(int(0.5+width/2/obstacleR*1.1), 1), 4)
		for i := range pieces {
			bearing := float64((upper+lower)/2) * step
			if pieces > 1 {
				from, to := float64(lower)*step+obstacleR/d, float64(upper)*step-obstacleR/d
				bearing = from + (to-from)*float64(i)/float64(pieces-1)
			}
			all = append(all, obstacle{bearing, d + obstacleR})
		}
		for i := lower; i < upper; i++ {
			*at(i) = math.Inf(1)
		}
	}
	return all
}

// falseObstacles counts reports on the field within 6 m at places without a robot or an obstacle.
type falseObstacles struct {
	frames, count [2]int // without and with a black object in view
	found, there  int
}

func (f *falseObstacles) perFrame() float64 {
	return float64(f.count[0]+f.count[1]) / float64(f.frames[0]+f.frames[1])
}

// black is a luminance between those of robots and of everything else, in images of the common hall.
const black = 32

// omniSim makes a Sim of a shipped world without its events. The omni camera of its first robot has the exposure.
func omniSim(t *testing.T, world string, exposure float64) simtest.Sim {
	t.Helper()
	w := simtest.World(t, world)
	w.Events = nil
	simtest.Sensor(t, w, w.Robots[0].Name, "omni").Imager.Exposure = exposure
	return simtest.New(t, w, omnipitch.Options{})
}

// countFalse runs the node on images of the first robot's omni camera, each with all bodies at new random places.
func countFalse(t *testing.T, world string, exposure float64, level abstraction.Level, basic,
	length float64) (f falseObstacles) {
	t.Helper()
	sim := omniSim(t, world, exposure)
	w := sim.World()
	robot := w.Robots[0].Name
	camera := sim.Camera(robot, "omni")
	ground := must.Get(calibration.FitGround(calibration.Sample(camera.Model(), 80), camera.PoseBC(), 9))(t)
	const inner = 84 // pixels: radius within which the robot sees itself
	node := newBlackness(ground, inner, basic, length)
	random := rand.New(rand.NewPCG(1, 2))
	var names []string
	for i := range w.Robots {
		names = append(names, w.Robots[i].Name)
	}
	for i := range w.Obstacles {
		names = append(names, w.Obstacles[i].Name)
	}
	for range *obstacleImages {
		var own action.Place
		var others []action.Place
		for _, name := range names {
			p := action.Place{Name: name}
			for free := false; !free; {
				p.X, p.Y, p.Heading = (random.Float64()-0.5)*w.Field.Length, (random.Float64()-0.5)*w.Field.Width,
					random.Float64()*2*math.Pi
				free = true
				for _, o := range append(others, own) {
					free = free && (o.Name == "" || math.Hypot(p.X-o.X, p.Y-o.Y) > 0.8)
				}
			}
			sim.Must(&p)
			if name == robot {
				own = p
			} else {
				others = append(others, p)
			}
		}
		sim.Steps(7) // to the next frame, which has other noise
		o := sim.Capture(robot, "omni", level)
		found, darkest := node.find(o.Color)
		o.Release()
		k := 0
		if darkest < black {
			k = 1
		}
		f.frames[k]++
		for _, seen := range found {
			sin, cos := math.Sincos(own.Heading + seen.bearing)
			x, y := own.X+seen.distance*cos, own.Y+seen.distance*sin
			if seen.distance > farthest || math.Abs(x) > w.Field.Length/2 || math.Abs(y) > w.Field.Width/2 {
				continue
			}
			nearest := math.Inf(1)
			for _, p := range others {
				nearest = math.Min(nearest, math.Hypot(x-p.X, y-p.Y))
			}
			if nearest > 0.75 { // the radii of two robots, and the size of a pixel at this distance
				f.count[k]++
			} else {
				f.found++
			}
		}
		for _, p := range others {
			if math.Hypot(p.X-own.X, p.Y-own.Y) < farthest-0.5 {
				f.there++
			}
		}
	}
	return f
}

// The node reports few false obstacles, with the thresholds of nubot_ws and those of team hawking's fork. Without a
// robot in view, the thresholds depend on the darkest other thing. In plain light this is the shaded boards, and the
// carpet is not much brighter unless the exposure is longer.
func TestFalseObstaclesOfNuBot(t *testing.T) {
	const nubot, hawking = 0.17, 0.3
	for _, c := range []struct {
		world       string
		exposure    float64
		level       abstraction.Level
		length      float64
		inView, all float64 // most false obstacles per frame: in frames with a black object in view, and in all
		long        bool    // only with -long
	}{
		{"ten-robots", 1, abstraction.Raw, nubot, 0.3, 0.3, false},
		{"nubot-attack", 1, abstraction.Ideal, nubot, 0.1, 0.2, true},
		{"nubot-attack", 1, abstraction.Raw, nubot, 0.1, 0.2, false},
		{"nubot-attack", 1.5, abstraction.Raw, nubot, 0.1, 0.2, true},
		{"plain-light", 1, abstraction.Raw, nubot, 0.1, 3, false},
		{"plain-light", 1.5, abstraction.Raw, nubot, 0.1, 0.2, true},
		{"omni-vision", 1, abstraction.Raw, nubot, 0.2, 0.2, false},
		{"ten-robots", 1, abstraction.Raw, hawking, 0.6, 0.6, true},
		{"ten-robots", 2, abstraction.Raw, hawking, 0.6, 0.5, false},
	} {
		if c.long && !*long {
			continue
		}
		f := countFalse(t, c.world, c.exposure, c.level, 0.05, c.length)
		t.Logf("%-12s exposure %v %-5s length %.2f: %5.2f a frame; with black in view %d in %d frames, else %d in %d; "+
			"found %d, there are %d",
			c.world, c.exposure, c.level, c.length, f.perFrame(), f.count[1], f.frames[1], f.count[0], f.frames[0],
			f.found, f.there)
		if !(float64(f.count[1]) <= c.inView*float64(f.frames[1])) {
			t.Errorf("%s, exposure %v at %s: %d false obstacles in %d frames with something black in view, at most %v a frame",
				c.world, c.exposure, c.level, f.count[1], f.frames[1], c.inView)
		}
		if !(f.perFrame() <= c.all) {
			t.Errorf("%s, exposure %v at %s: %.2f false obstacles a frame, at most %v", c.world, c.exposure, c.level,
				f.perFrame(), c.all)
		}
		if 10*f.found < 9*f.there-30 { // obstacles hide each other; small samples may miss three more
			t.Errorf("%s, exposure %v at %s: %d obstacles found of %d", c.world, c.exposure, c.level, f.found, f.there)
		}
	}
}

// Teams set a camera's exposure to maximise the entropy of the image (Lu et al., "A robust omnidirectional vision
// sensor for soccer robots", Mechatronics 2011: team NuBot), or so that the mean sample value of its histogram in five
// regions is 2.5 (libcaer, autoexposure.c).
func TestExposureThatTeamsWouldSet(t *testing.T) {
	entropy, mean := map[float64]float64{}, map[float64]float64{}
	for _, exposure := range []float64{0.5, 1, 2, 3, 4} {
		sim := omniSim(t, "nubot-attack", exposure)
		o, camera := sim.Capture("cyan1", "omni", abstraction.Raw), sim.Camera("cyan1", "omni")
		var counts [3][256]float64
		n, regions := 0.0, 0.0
		for i := range o.Color.Width * o.Color.Height {
			p := pixel{i % o.Color.Width, i / o.Color.Width}
			if _, ok := camera.Model().Unproject(float64(p.x), float64(p.y)); ok {
				n++
				regions += float64(5*luminance(o.Color, p)/256 + 1)
				for c := range counts {
					counts[c][o.Color.Pix[3*i+c]]++
				}
			}
		}
		mean[exposure] = regions / n
		for c := range counts {
			for _, k := range counts[c] {
				if k > 0 {
					entropy[exposure] -= k / n * math.Log2(k/n)
				}
			}
		}
		t.Logf("exposure %v: entropy %.2f bits of red, green and blue, mean sample value %.2f", exposure,
			entropy[exposure], mean[exposure])
	}
	if !(entropy[0.5] < entropy[1] && entropy[1] < entropy[2] && entropy[2] > entropy[3] && entropy[3] > entropy[4]) {
		t.Errorf("entropies %v: want the most at exposure 2", entropy)
	}
	if !(mean[0.5] <= 2.5 && mean[1] >= 2.5) {
		t.Errorf("mean sample values %v: want 2.5 between exposures 0.5 and 1", mean)
	}
}
