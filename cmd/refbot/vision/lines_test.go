package vision

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// plainFloor is a camera that looks straight down from 1 m, 100 pixels a metre: what it sees is drawn by hand.
func plainFloor(t testing.TB) *Floor {
	t.Helper()
	m := must.Get(ReadOmniModel(strings.NewReader("1 -100\n1 0\n200 200\n1 0 0\n401 401\n")))(t)
	return NewFloor(m, OmniMount{Height: 1}, 1.9)
}

// paintFloor returns an image in which each pixel shows what color says of a place: its coverage by white of the
// carpet, or another colour.
func paintFloor(f *Floor, light float64, carpet [3]float64, color func(x, y float64) (c [3]float64,
	white float64)) []byte {
	pix := make([]byte, 3*f.Width*f.Height)
	for i := range f.Width * f.Height {
		x, y, ok := f.Index(i)
		if !ok {
			continue
		}
		c, white := color(x, y)
		if c == ([3]float64{}) {
			c = carpet
		}
		for k := range 3 {
			linear := math.Min(1, light*(c[k]*(1-white)+0.8*white))
			pix[3*i+k] = byte(math.Round(255 * math.Max(12.92*linear*boolean(linear < 0.0031308),
				(1.055*math.Pow(linear, 1/2.4)-0.055)*boolean(linear >= 0.0031308))))
		}
	}
	return pix
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var green = [3]float64{0.03, 0.2, 0.06}

// stripe returns how much of a pixel of 1 cm a line across x covers.
func stripe(x, middle, wide float64) float64 {
	return math.Max(0, math.Min(1, 0.5+(wide/2-math.Abs(x-middle))/0.01))
}

// The centres of a line are found within a fraction of a pixel, on carpets of any colour and in any light.
func TestMiddlesOfALine(t *testing.T) {
	floor := plainFloor(t)
	f := NewLineFinder(floor, 180, 0.125)
	for name, carpet := range map[string][3]float64{"green": green, "blue": {0.04, 0.08, 0.3}} {
		for _, light := range []float64{0.2, 1, 1.25} {
			points := f.Find(paintFloor(floor, light, carpet, func(x, _ float64) ([3]float64, float64) {
				return [3]float64{},
					stripe(x, 0.833, 0.125)
			}))
			if len(points) < 55 {
				t.Errorf("%s, light %g: %d points", name, light, len(points))
			}
			for _, p := range points {
				if !(math.Abs(p.X-0.833) < 0.004) || !(p.Across > 0.004 && p.Across < 0.016) {
					t.Fatalf("%s, light %g: (%.3f, %.3f), across %.3f: must lie at x = 0.833", name, light, p.X, p.Y,
						p.Across)
				}
			}
		}
	}
}

// A camera that looks down steeply finds no lines nearer than the robot sees itself: its feet may be white.
func TestNoLineAtTheFeet(t *testing.T) {
	view := NewLensView(must.Get(NewPinhole(640, 480, [9]float64{457, 0, 320, 0, 457, 240, 0, 0, 1}, "", nil))(t))
	neck := Neck{Axes: mgl64.Vec3{0, 0, 0.7}, Camera: mgl64.Vec3{0.064, 0, 0.035}}
	neck.Aim(view, Posture{Tilt: 1})
	floor := &Floor{Width: view.Width, Height: view.Height, points: make([][2]float32, view.Width*view.Height)}
	for i := range floor.points {
		x, y, _ := view.Floor(i)
		floor.points[i] = [2]float32{float32(x), float32(y)}
	}
	f := NewLensLineFinder(view, 6, 0.05)
	points := f.Find(paintFloor(floor, 1, green, func(_, y float64) (c [3]float64, white float64) {
		return c, stripe(math.Mod(y+9, 0.2), 0.1, 0.05)
	}))
	if len(points) < 50 {
		t.Errorf("%d points", len(points))
	}
	for _, p := range points {
		if d := math.Hypot(p.X-view.Pos[0], p.Y-view.Pos[1]); !(d > lineNearest-0.02) {
			t.Errorf("(%.2f, %.2f): %.2f m from the camera", p.X, p.Y, d)
		}
	}
}

// Anything that is not white, as narrow as a net's string, as wide as a board, or next to something dark, is no line.
func TestWhatIsNoLine(t *testing.T) {
	floor := plainFloor(t)
	f := NewLineFinder(floor, 180, 0.125)
	within := func(x, from, to float64) bool { return x > from && x < to }
	for name, color := range map[string]func(x, y float64) ([3]float64, float64){
		"yellow": func(x, _ float64) (c [3]float64, w float64) {
			return [3]float64{0.8 * boolean(within(x, 0.7, 0.9)), 0.6 * boolean(within(x, 0.7, 0.9)), 0}, 0
		},
		"string": func(x, y float64) (c [3]float64, w float64) {
			return c, stripe(x, 0.8, 0.03) * boolean(math.Abs(y) < 0.6)
		},
		"board": func(x, _ float64) (c [3]float64, w float64) { return c, stripe(x, 0.9, 0.9) },
		"beside dark": func(x, _ float64) (c [3]float64, w float64) {
			return [3]float64{0.01 * boolean(within(x, 0.5, 0.76)), 0.01 * boolean(within(x, 0.5, 0.76)),
				0.01 * boolean(within(x, 0.5, 0.76))}, stripe(x, 0.833, 0.125)
		},
		"only carpet": func(x, _ float64) (c [3]float64, w float64) { return c, 0 },
	} {
		if points := f.Find(paintFloor(floor, 1, green, color)); len(points) > 0 {
			t.Errorf("%s: %d points, first %+v", name, len(points), points[0])
		}
	}
	if points := f.Find(make([]byte, 7)); len(points) > 0 {
		t.Errorf("an image of another size has %d points", len(points))
	}
}

// At any time the quantile is that of all numbers so far, sorted.
func TestQuantileIsThatOfTheSortedNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share, most := rapid.Float64Range(0, 0.9).Draw(t, "share"), rapid.IntRange(1, 30).Draw(t, "most")
		q := newQuantile(share, most)
		if q.at != most {
			t.Fatalf("of no numbers: %d, want %d", q.at, most)
		}
		var all []int
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, most), 1, 60).Draw(t, "numbers") {
			q.add(n)
			all = append(all, n)
			slices.Sort(all)
			if want := all[int(share*float64(len(all)))]; q.at != want {
				t.Fatalf("share %v of %v: %d, want %d", share, all, q.at, want)
			}
		}
	})
}
