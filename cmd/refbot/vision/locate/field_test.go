package locate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

var small = Markings{Pitch: pitch.Pitch{Length: 18, Width: 12}, LineWidth: 0.125, CentreCircle: 2, CornerArc: 0.75}

// Every point of the simulator's markings lies on one of our lines, on every shipped field, and the
// vector to the line is 0 there.
func TestMarkingsAreThoseOfTheFields(t *testing.T) {
	for name, m := range shipped {
		w := must.Get(worlds.Parse("field.toml",
			[]byte("name = \"field\"\nfield = \""+name+"\"\n[[robot]]\nname = \"r\"\nmodel = \"nubot\"\n")))(t)
		f, n := NewField(m), 0
		for _, mark := range w.Field.Marks() {
			for s := 0.0; s <= 1; s += 0.02 {
				var x, y float64
				switch mark.Kind {
				case spatial.Segment:
					x, y = mark.A[0]+s*(mark.B[0]-mark.A[0]), mark.A[1]+s*(mark.B[1]-mark.A[1])
				case spatial.Arc:
					sin, cos := math.Sincos(mark.From + s*mark.Sweep)
					x, y = mark.A[0]+mark.Radius*cos, mark.A[1]+mark.Radius*sin
				default:
					x, y = mark.A[0], mark.A[1]
				}
				n++
				if dx, dy, ok := f.Way(x, y); !ok || !(math.Hypot(dx, dy) < 0.03) {
					t.Fatalf("%s: (%.2f, %.2f) is (%.3f, %.3f) from a line, %v", name, x, y, dx, dy, ok)
				}
			}
		}
		if n < 1000 {
			t.Errorf("%s: only %d places", name, n)
		}
		for name, at := range map[string]pitch.Vec{"open field": {0.4 * m.Length / 2, 0.5 * m.Width / 2},
			"beside the field": {-m.Length/2 - 1, 0.8 * m.Width / 2}} {
			want := math.Inf(1) // by the marks themselves
			for _, mark := range f.marks() {
				want = min(want, mark.way(at).Len())
			}
			if dx, dy, ok := f.Way(at[0], at[1]); !ok || !(math.Abs(math.Hypot(dx, dy)-want) < 0.02) {
				t.Errorf("%s: %.3f m to a line, want %.3f", name, math.Hypot(dx, dy), want)
			}
		}
		if _, _, ok := f.Way(100, 0); ok {
			t.Errorf("%s: has a way at 100 m", name)
		}
	}
}

// seen returns points of lines as a robot at a pose would see them, within 6 m.
func seen(f *Field, p Pose, n int, random *rand.Rand) (points []vision.LinePoint) {
	marks := f.marks()
	for len(points) < n {
		x, y := 12*(random.Float64()-0.5), 12*(random.Float64()-0.5)
		px, py := p.on(x, y)
		best := pitch.Vec{math.Inf(1), 0}
		for k := range marks {
			if w := marks[k].way(pitch.Vec{px, py}); w.Len() < best.Len() {
				best = w
			}
		}
		to := pitch.Turn(best, -p.Heading)
		points = append(points, vision.LinePoint{X: x + to[0], Y: y + to[1], Across: 0.02})
	}
	return points
}

// Points on the lines of a pose lead to it from 20 cm and 6° away, within millimetres, even with a third of wrong
// points.
func TestRefinedFindsThePose(t *testing.T) {
	f, random := NewField(small), rand.New(rand.NewPCG(3, 1))
	for range 20 {
		p := Pose{pitch.Vec{16 * (random.Float64() - 0.5), 10 * (random.Float64() - 0.5)}, 6 * (random.Float64() - 0.5)}
		points := seen(f, p, 200, random)
		for i := range 60 {
			points[i].X += 4 * (random.Float64() - 0.5)
			points[i].Y += 4 * (random.Float64() - 0.5)
		}
		way := pitch.Direction(6 * random.Float64()).Mul(0.2)
		from := Pose{p.Pos.Add(way), p.Heading + 0.1}
		b := f.refined(points, from, trackWithin, &belief{Pose: from, info: [9]float64{0: 1e-3, 4: 1e-3, 8: 1e-3}})
		if !(pitch.Distance(b.Pos, p.Pos) < 0.03 && math.Abs(pitch.Wrap(b.Heading-p.Heading)) < 0.01) {
			t.Errorf("at (%.2f, %.2f) %.2f: found (%.3f, %.3f) %.3f", p.Pos[0], p.Pos[1], p.Heading, b.Pos[0], b.Pos[1],
				b.Heading)
		}
	}
}

// One straight line determines the position across it only. Along it the prior and its uncertainty remain.
func TestALineTellsOneDirection(t *testing.T) {
	f := NewField(small)
	var points []vision.LinePoint
	for x := -1.0; x <= 1; x += 0.02 { // of the touch line, in the middle between other lines
		points = append(points, vision.LinePoint{X: x, Y: 1.5, Across: 0.01})
	}
	truth := Pose{pitch.Vec{4, 6 - 0.0625 - 1.5}, 0}
	from := Pose{pitch.Vec{4.1, truth.Pos[1] - 0.1}, 0.02}
	prior := belief{from, [9]float64{0: 100, 4: 100, 8: 400}} // ± 10 cm, ± 3°
	b := f.refined(points, from, trackWithin, &prior)
	covariance := b.info.Inv()
	if !(math.Abs(b.Pos[0]-4.1) < 0.01 && math.Abs(b.Pos[1]-truth.Pos[1]) < 0.02 && math.Abs(b.Heading) < 0.015) {
		t.Errorf("found (%.3f, %.3f) %.3f", b.Pos[0], b.Pos[1], b.Heading)
	}
	if along, across := math.Sqrt(covariance.At(0, 0)), math.Sqrt(covariance.At(1, 1)); !(along > 0.09 &&
		along < 0.11 && across < 0.05) {
		t.Errorf("± %.3f m along the line, ± %.3f m across it", along, across)
	}
}
