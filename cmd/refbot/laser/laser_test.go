package laser

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// room is a room with three boxes. Its map lacks the crate.
var (
	room  = []string{"0,0,12,9", "-3,1,0.3,3", "2,-2,2,0.5,30", "3,2.5,1,1,20"}
	crate = Box{At: locate.Pose{Pos: pitch.Vec{0.5, 1}}, Length: 0.5, Width: 0.5}
)

var mount = locate.Pose{Pos: pitch.Vec{-0.131, 0}}

// place is what a scanner can see.
type place struct {
	walls  []locate.Wall
	random *rand.Rand
}

func newPlace(t *testing.T) (p place, m *locate.Field) {
	t.Helper()
	var boxes []Box
	for _, text := range room {
		boxes = append(boxes, must.Get(ReadBox(text))(t))
	}
	for _, b := range append(boxes, crate) {
		p.walls = append(p.walls, b.walls()...)
	}
	p.random = rand.New(rand.NewPCG(4, 1))
	return p, must.Get(NewMap(boxes))(t)
}

// scan returns what a scanner with the errors of a SICK LD sees from a robot's pose: 2 cm at random, 1.5 cm always.
func (p *place) scan(at locate.Pose) *Scan {
	s := &Scan{First: -math.Pi, Step: math.Pi / 180}
	from := at.Pos.Add(pitch.Turn(mount.Pos, at.Heading))
	for i := range 360 {
		along := pitch.Direction(at.Heading + s.First + float64(i)*s.Step)
		r := math.Inf(1)
		for _, w := range p.walls {
			// from + r·along = w.From + q·side
			side, to := w.To.Sub(w.From), w.From.Sub(from)
			d := along[0]*side[1] - along[1]*side[0]
			if q := (to[0]*along[1] - to[1]*along[0]) / d; q >= 0 && q <= 1 {
				if hit := (to[0]*side[1] - to[1]*side[0]) / d; hit > 0 {
					r = min(r, hit)
				}
			}
		}
		s.Ranges = append(s.Ranges, r+0.015+0.02*p.random.NormFloat64())
	}
	return s
}

// A scan alone gives the pose, anywhere in the room and with any heading.
func TestScansAreLocatedWithoutStart(t *testing.T) {
	p, m := newPlace(t)
	for i := range 4 {
		at := locate.Pose{Pos: pitch.Vec{-5 + 2.6*float64(i), -3.2}, Heading: p.random.Float64()*2*math.Pi - math.Pi}
		n := NewNavigator(Config{Map: m, Mount: mount})
		n.Odometry(0, locate.Pose{})
		n.Scan(0, p.scan(at))
		n.Scan(50*time.Millisecond, p.scan(at))
		got, ok := n.At(50 * time.Millisecond)
		if d, turn := pitch.Distance(got.Pos, at.Pos), pitch.Wrap(got.Heading-at.Heading); !ok || !(d < 0.05) ||
			!(math.Abs(turn) < 0.02) {
			t.Errorf("at %.2f: got %.3f, %v, want it within 5 cm and 0.02 rad", at, got, ok)
		}
	}
}

// A robot with exact wheels reaches its goals, touches nothing, and knows its pose. It drives by its scans, by
// poses that it is given, or by poses for some time and scans afterwards.
func TestRobotReachesGoals(t *testing.T) {
	goals := []pitch.Vec{{-1, 2.5}, {4.5, -2}, {-4.5, 3}}
	for _, c := range []struct {
		name  string
		given time.Duration // how long poses are given
	}{{"scans", 0}, {"poses", time.Hour}, {"both", 10 * time.Second}} {
		t.Run(c.name, func(t *testing.T) {
			p, m := newPlace(t)
			n := NewNavigator(Config{Map: m, Mount: mount, Goals: goals, Speed: 0.8})
			at, wheels := locate.Pose{Pos: pitch.Vec{-5, -3}, Heading: 2}, locate.Pose{}
			const step = 50 * time.Millisecond
			stamp := time.Duration(0)
			for ; n.Reached() < len(goals) && stamp < 90*time.Second; stamp += step {
				n.Odometry(stamp, wheels)
				command := n.Scan(stamp, p.scan(at))
				if stamp < c.given {
					n.Pose(stamp, at)
				}
				if got, ok := n.At(stamp); stamp > time.Second && (!ok || !(pitch.Distance(got.Pos, at.Pos) < 0.1)) {
					t.Fatalf("at %v: got %.3f, %v, want %.3f", stamp, got, ok, at)
				}
				for _, pose := range []*locate.Pose{&at, &wheels} {
					pose.Pos = pose.Pos.Add(pitch.Direction(pose.Heading).Mul(command.V * step.Seconds()))
					pose.Heading += command.Omega * step.Seconds()
				}
				for _, w := range p.walls {
					if d, _ := pitch.FromSegment(at.Pos, w.From, w.To); !(d > bodyRadius) {
						t.Fatalf("at %v: %.2f m from a wall at %.2f", stamp, d, at)
					}
				}
			}
			if n.Reached() != len(goals) || !(pitch.Distance(at.Pos, goals[2]) < 0.3) {
				t.Errorf("reached %d goals, is at %.2f", n.Reached(), at)
			}
		})
	}
}

func TestSteer(t *testing.T) {
	wall := func(x float64) (all []pitch.Vec) { // across the way, 3 m wide
		for y := -1.5; y <= 1.5; y += 0.05 {
			all = append(all, pitch.Vec{x, y})
		}
		return all
	}
	for _, c := range []struct {
		name                           string
		points                         []pitch.Vec
		goal                           pitch.Vec
		least, most, turnFrom, turnMax float64
	}{
		{"free way", nil, pitch.Vec{4, 0}, 0.8, 0.8, 0, 0},
		{"goal behind", nil, pitch.Vec{-4, 0.1}, 0, 0, turnMost, turnMost},
		{"goal near", nil, pitch.Vec{0.02, 0}, 0.05, 0.25, 0, 0},
		{"before a wall", wall(0.32), pitch.Vec{4, 1}, 0, 0.1, 0.5, turnMost},
		{"wall is far", wall(3), pitch.Vec{4, 0}, 0.8, 0.8, 0, 0},
		{"narrow body to the right", []pitch.Vec{{1, -0.2}}, pitch.Vec{4, 0}, 0.5, 0.8, 0.1, 2},
	} {
		v, omega, _ := steer(c.points, c.goal, 0, 0.8)
		if !(v >= c.least && v <= c.most) || !(omega >= c.turnFrom && omega <= c.turnMax) {
			t.Errorf("%s: got %.3f m/s, %.3f rad/s; want %g to %g m/s, %g to %g rad/s", c.name, v, omega, c.least, c.most,
				c.turnFrom, c.turnMax)
		}
	}
}

func TestMapsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"1,2,3":      "must be X,Y,LENGTH,WIDTH",
		"1,2,0,3":    "must be larger than 0",
		"1,2,x,3":    `"x": must be a number`,
		"1,NaN,1,3":  `"NaN": must be a number`,
		"1,2,3,4,5,": `"": must be a number`,
	} {
		if _, err := ReadBox(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := ReadPlace("1,2,3"); err == nil || !strings.Contains(err.Error(), "must be X,Y") {
		t.Errorf("a place with three numbers: got %v", err)
	}
	if _, err := NewMap([]Box{{Length: 300, Width: 1}}); err == nil || !strings.Contains(err.Error(), "within 25 m") {
		t.Errorf("a large map: got %v", err)
	}
	if _, err := NewMap(nil); err == nil {
		t.Error("a map without boxes: got no error")
	}
}
