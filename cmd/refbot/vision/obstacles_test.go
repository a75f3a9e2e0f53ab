package vision

import (
	"math"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// plainObstacleFloor is a camera that looks straight down from 1 m, 100 pixels a metre.
func plainObstacleFloor(t testing.TB) *Floor {
	t.Helper()
	m := must.Get(ReadOmniModel(strings.NewReader("1 -100\n1 0\n400 400\n1 0 0\n801 801\n")))(t)
	return NewFloor(m, OmniMount{Height: 1}, 3.9)
}

// drawnClasses returns the classes of an image: what is shown at a distance and a bearing of the floor.
func drawnClasses(f *Floor, show func(d, bearing, x, y float64) Class) []Class {
	all := make([]Class, f.Width*f.Height)
	for i := range all {
		all[i] = ClassUnknown
		if x, y, ok := f.Index(i); ok {
			if all[i] = show(math.Hypot(x, y), math.Atan2(y, x), x, y); math.Hypot(x, y) < 0.3 {
				all[i] = ClassBlack // the robot itself
			}
		}
	}
	return all
}

// stands reports whether a robot of a radius whose middle is at (x, y) hides a place of the floor: from its chassis on,
// and as wide as it is.
func stands(d, bearing, x, y, radius float64) bool {
	distance := math.Hypot(x, y)
	foot := (distance - hullSetback) / (1 - hullClearance)
	return d > foot && d < foot/(1-0.8) && math.Abs(math.Remainder(bearing-math.Atan2(y, x), 2*math.Pi)) < math.Asin(
		radius/distance)
}

func anywhere(x, y float64) bool { return true }

func TestRobotsAreWhereTheyWereDrawn(t *testing.T) {
	floor := plainObstacleFloor(t)
	f := NewObstacleFinder(floor, 360)
	empty := drawnClasses(floor, func(_, _, _, _ float64) Class { return ClassGreen })
	if all := f.Find(empty, anywhere); len(all) > 0 {
		t.Errorf("on an empty floor: %v", all)
	}
	want := []Obstacle{{1.2, 0.3, 0.25}, {-1.5, 0.05, 0.25}, {0.4, -2.2, 0.25}}
	classes := drawnClasses(floor, func(d, bearing, x, y float64) Class {
		for _, w := range want {
			if stands(d, bearing, w.X, w.Y, w.Radius) {
				return ClassBlack
			}
		}
		return ClassGreen
	})
	got := f.Find(classes, anywhere)
	for _, w := range want {
		near := math.Inf(1)
		for _, g := range got {
			if e := math.Hypot(g.X-w.X, g.Y-w.Y); e < near && math.Abs(g.Radius-w.Radius) < 0.05 {
				near = e
			}
		}
		if !(near < 0.03) || len(got) != len(want) {
			t.Errorf("%v: want one at %v", got, w)
		}
	}
	if got = f.Find(classes, func(x, _ float64) bool { return x > 0 }); len(got) != 2 {
		t.Errorf("%v: want the two that are ahead", got)
	}
	if n := testing.AllocsPerRun(5, func() { f.Find(classes, anywhere) }); n != 0 {
		t.Errorf("an image allocates %v times", n)
	}
	if f.Find(classes[:9], anywhere); len(f.found) != 0 {
		t.Error("an image of another size has obstacles")
	}
}

// A few images with wrong colours, all carpet, do not blind it.
func TestWrongColoursDoNotLast(t *testing.T) {
	floor := plainObstacleFloor(t)
	f := NewObstacleFinder(floor, 360)
	robot := Obstacle{1.2, 0.3, 0.25}
	classes := drawnClasses(floor, func(d, bearing, _, _ float64) Class {
		if stands(d, bearing, robot.X, robot.Y, robot.Radius) {
			return ClassBlack
		}
		return ClassGreen
	})
	wrong := make([]Class, len(classes))
	for i := range wrong {
		wrong[i] = ClassGreen // the robot itself too
	}
	f.Find(classes, anywhere) // here it learns where rods are
	if got := f.Find(classes, anywhere); len(got) != 1 {
		t.Fatalf("%v: want the robot at %v", got, robot)
	}
	for range 3 {
		f.Find(wrong, anywhere)
	}
	for range 30 {
		f.Find(classes, anywhere)
	}
	if got := f.Find(classes, anywhere); len(got) != 1 || !(math.Hypot(got[0].X-robot.X, got[0].Y-robot.Y) < 0.03) {
		t.Errorf("after wrong colours: %v, want the robot at %v", got, robot)
	}
}

// Lines, a ball, a rod of the mirror and boards are no obstacles; a robot behind a rod is one.
func TestWhatIsNoObstacle(t *testing.T) {
	floor := plainObstacleFloor(t)
	f := NewObstacleFinder(floor, 360)
	rod := func(bearing float64) bool { return math.Abs(bearing-2) < 0.03 }
	for _, c := range []struct {
		name string
		show func(d, bearing, x, y float64) Class
		want int
	}{
		// here it learns where the rod is
		{"nothing", func(_, _, _, _ float64) Class { return ClassGreen }, 0},
		{"lines", func(_, _, x, y float64) Class {
			if math.Abs(x-1) < 0.06 || math.Abs(y) < 0.06 {
				return ClassUnknown
			}
			return ClassGreen
		}, 0},
		{"ball", func(d, bearing, _, _ float64) Class {
			if d > 1.4 && d < 1.9 && math.Abs(bearing) < 0.08 {
				return ClassBall
			}
			return ClassGreen
		}, 0},
		{"boards", func(d, _, _, _ float64) Class {
			if d > 2.5 {
				return ClassBlack
			}
			return ClassGreen
		}, 0},
		{"behind a rod", func(d, bearing, _, _ float64) Class {
			if stands(d, bearing, 1.5*math.Cos(2), 1.5*math.Sin(2), 0.25) {
				return ClassBlack
			}
			return ClassGreen
		}, 1},
	} {
		got := f.Find(drawnClasses(floor, func(d, bearing, x, y float64) Class {
			if rod(bearing) {
				return ClassUnknown
			}
			return c.show(d, bearing, x, y)
		}), anywhere)
		if len(got) != c.want {
			t.Errorf("%s: %v, want %d", c.name, got, c.want)
		}
	}
}
