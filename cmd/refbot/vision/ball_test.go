package vision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// frontBallView is a camera with a lens, half a metre high.
func frontBallView(t testing.TB) *View {
	t.Helper()
	p := must.Get(NewPinhole(320, 240, [9]float64{270, 0, 159.5, 0, 270, 119.5, 0, 0, 1}, "plumb_bob", nil))(t)
	return NewPinholeView(p, PinholeMount{X: 0.2, Height: 0.5, Pitch: 0.35})
}

// paintBalls draws balls on carpet by 4 × 4 rays a pixel: each of which what it meets.
func paintBalls(view *View, balls ...mgl64.Vec3) (pix []byte, classes []Class) {
	pix, classes = make([]byte, 3*view.Width*view.Height), make([]Class, view.Width*view.Height)
	for i := range classes {
		hits, n := 0.0, 0.0
		for a := 1.0; a < 8; a += 2 {
			for b := 1.0; b < 8; b += 2 {
				ray, ok := view.At(float64(i%view.Width)+a/8-0.5, float64(i/view.Width)+b/8-0.5)
				if n++; !ok {
					continue
				}
				for _, ball := range balls {
					c := ball.Sub(view.Pos)
					if along := c.Dot(ray); along > 0 && c.Dot(c)-along*along < BallRadius*BallRadius {
						hits++
						break
					}
				}
			}
		}
		share := hits / n
		classes[i] = ClassGreen
		if share > 0.5 {
			classes[i] = ClassBall
		}
		for k, c := range [3][2]float64{{0.03, 0.5}, {0.2, 0.4}, {0.06, 0.02}} {
			pix[3*i+k] = byte(math.Round(255 * math.Pow(c[0]*(1-share)+c[1]*share, 1/2.2)))
		}
	}
	return pix, classes
}

// A ball on the floor is located within a fraction of a pixel's footprint, even if it is partly occluded.
func TestBallIsWhereItWasDrawn(t *testing.T) {
	view := frontBallView(t)
	for _, want := range []mgl64.Vec3{{0.9, 0.05, BallRadius}, {1.3, -0.3, BallRadius}, {1.9, 0.4, BallRadius}} {
		pix, classes := paintBalls(view, want)
		for name, hide := range map[string]bool{"whole": false, "left half hidden": true} {
			u := 0.0
			f := NewBallFinder(view, BallRadius)
			for _, b := range new(BlobFinder).Find(classes, view.Width, ClassBall) {
				u = b.U
			}
			if hide {
				for i := range classes {
					if float64(i%view.Width) < u {
						classes[i] = ClassBlack
						copy(pix[3*i:], []byte{10, 10, 10})
					}
				}
			}
			all := f.Find(pix, classes)
			if len(all) != 1 || !(all[0].Pos.Sub(want).Len() < 0.02) || !hide && !(all[0].Confidence >= 0.75) {
				t.Errorf("%s: %v, want one at %.3f", name, all, want)
			}
		}
	}
}

// An object with the ball's colour but not its size has low confidence.
func TestWhatIsNoBall(t *testing.T) {
	view := frontBallView(t)
	f := NewBallFinder(view, BallRadius)
	_, classes := paintBalls(view)
	pix, _ := paintBalls(view)
	fill := func(x0, y0, x1, y1 int) {
		for i := range classes {
			if u, v := i%view.Width, i/view.Width; u >= x0 && u < x1 && v >= y0 && v < y1 {
				classes[i] = ClassBall
				copy(pix[3*i:], []byte{180, 160, 20})
			}
		}
	}
	fill(40, 150, 280, 160)  // a stripe
	fill(100, 60, 106, 120)  // a post
	fill(200, 170, 320, 240) // a box
	for _, c := range f.Find(pix, classes) {
		if !(c.Confidence <= 0.4) {
			t.Errorf("found %+v", c)
		}
	}
	if f.Find(pix[:7], classes) != nil || f.Find(pix, classes[:5]) != nil {
		t.Error("an image of another size has a ball")
	}
	for i := range classes { // all of it
		classes[i] = ClassBall
	}
	if all := f.Find(pix, classes); len(all) > 0 && !(all[0].Confidence <= 0.4) {
		t.Errorf("found %+v", all[0])
	}
}

// Find allocates nothing, and no image makes it panic.
func TestBallFinderAllocatesNothing(t *testing.T) {
	view := frontBallView(t)
	f := NewBallFinder(view, BallRadius)
	pix, classes := paintBalls(view, mgl64.Vec3{1.2, 0.1, BallRadius}, mgl64.Vec3{1.8, -0.3, BallRadius})
	if all := f.Find(pix, classes); len(all) != 2 {
		t.Fatalf("%v: want two balls", all)
	}
	if n := testing.AllocsPerRun(5, func() { f.Find(pix, classes) }); n != 0 {
		t.Errorf("an image allocates %v times", n)
	}
	random := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		for i := range classes {
			classes[i] = Class(random.IntN(4))
		}
		for i := range pix {
			pix[i] = byte(random.IntN(256))
		}
		for _, c := range f.Find(pix, classes) {
			if math.IsNaN(c.Pos.Len()) || math.IsNaN(c.Confidence) {
				t.Fatalf("found %+v", c)
			}
		}
	}
}
