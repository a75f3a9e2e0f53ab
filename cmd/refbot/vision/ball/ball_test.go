package ball

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/vision/camera"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/colors"
)

// classesOf returns an image's classes drawn with characters: o is the ball, . the carpet, # black, - unknown.
func classesOf(rows ...string) (all []colors.Class, width int) {
	for _, row := range rows {
		for _, c := range row {
			all = append(all, map[rune]colors.Class{'o': colors.Ball, '.': colors.Green, '#': colors.Black, '-': colors.Unknown}[c])
		}
	}
	return all, len(rows[0])
}

func TestBlobs(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []string
		want []blob
	}{
		{"none", []string{"...", "..."}, nil},
		{"at a corner", []string{"o..", ".o.", "..."}, []blob{{2, 0.5, 0.5}}},
		{"a gap", []string{"o.o", "..."}, []blob{{1, 0, 0}, {1, 2, 0}}},
		{"an empty row between", []string{"oo", "..", "oo"}, []blob{{2, 0.5, 0}, {2, 0.5, 2}}},
		{"joined below", []string{"o.o", "ooo"}, []blob{{5, 1, 0.6}}},
		{"joined late", []string{"o.o.o", "o.ooo", "ooo.."}, []blob{{10, 1.8, 1.0}}},
		{"one above two", []string{"ooooo", "o...o"}, []blob{{7, 2, 2. / 7}}},
		{"rim", []string{"..o", "o.."}, []blob{{1, 2, 0}, {1, 0, 1}}},
	} {
		classes, width := classesOf(c.rows...)
		got := new(blobs).find(classes, width)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for i, w := range c.want {
			if g := got[i]; g.pixels != w.pixels || !(math.Abs(g.u-w.u) < 1e-9 && math.Abs(g.v-w.v) < 1e-9) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// Blobs are those that a fill of the image finds.
func TestBlobsAreThoseOfAFill(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	b := new(blobs)
	for range 200 {
		const width, height = 17, 11
		classes := make([]colors.Class, width*height)
		for i := range classes {
			if classes[i] = colors.Green; random.Float64() < 0.45 {
				classes[i] = colors.Ball
			}
		}
		got := b.find(classes, width)
		seen, n := make([]bool, len(classes)), 0
		var fill func(x, y int) int
		fill = func(x, y int) (pixels int) {
			if x < 0 || y < 0 || x >= width || y >= height || seen[y*width+x] || classes[y*width+x] != colors.Ball {
				return 0
			}
			seen[y*width+x] = true
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					pixels += fill(x+dx, y+dy)
				}
			}
			return pixels + 1
		}
		for i := range classes {
			if pixels := fill(i%width, i/width); pixels > 0 {
				if n >= len(got) || got[n].pixels != pixels {
					t.Fatalf("blob %d of %d pixels: %v", n, pixels, got)
				}
				n++
			}
		}
		if n != len(got) {
			t.Fatalf("%d blobs, want %d", len(got), n)
		}
	}
}

// front is a camera with a lens, half a metre high.
func front(t testing.TB) *camera.View {
	t.Helper()
	p, err := camera.NewPinhole(320, 240, [9]float64{270, 0, 159.5, 0, 270, 119.5, 0, 0, 1}, "plumb_bob", nil)
	if err != nil {
		t.Fatal(err)
	}
	return camera.NewPinholeView(p, camera.PinholeMount{X: 0.2, Height: 0.5, Pitch: 0.35})
}

// paint draws balls on carpet by 4 × 4 rays a pixel: each of which what it meets.
func paint(view *camera.View, balls ...mgl64.Vec3) (pix []byte, classes []colors.Class) {
	pix, classes = make([]byte, 3*view.Width*view.Height), make([]colors.Class, view.Width*view.Height)
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
					if along := c.Dot(ray); along > 0 && c.Dot(c)-along*along < Radius*Radius {
						hits++
						break
					}
				}
			}
		}
		share := hits / n
		classes[i] = colors.Green
		if share > 0.5 {
			classes[i] = colors.Ball
		}
		for k, c := range [3][2]float64{{0.03, 0.5}, {0.2, 0.4}, {0.06, 0.02}} {
			pix[3*i+k] = byte(math.Round(255 * math.Pow(c[0]*(1-share)+c[1]*share, 1/2.2)))
		}
	}
	return pix, classes
}

// A ball on the floor is found to a fraction of the floor that a pixel covers, and also where something hides a part of it.
func TestBallIsWhereItWasDrawn(t *testing.T) {
	view := front(t)
	for _, want := range []mgl64.Vec3{{0.9, 0.05, Radius}, {1.3, -0.3, Radius}, {1.9, 0.4, Radius}} {
		pix, classes := paint(view, want)
		for name, hide := range map[string]bool{"whole": false, "left half hidden": true} {
			u := 0.0
			f := NewFinder(view)
			for _, b := range new(blobs).find(classes, view.Width) {
				u = b.u
			}
			if hide {
				for i := range classes {
					if float64(i%view.Width) < u {
						classes[i] = colors.Black
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

// What has the ball's colour but not its size is not taken for it with confidence.
func TestWhatIsNoBall(t *testing.T) {
	view := front(t)
	f := NewFinder(view)
	_, classes := paint(view)
	pix, _ := paint(view)
	fill := func(x0, y0, x1, y1 int) {
		for i := range classes {
			if u, v := i%view.Width, i/view.Width; u >= x0 && u < x1 && v >= y0 && v < y1 {
				classes[i] = colors.Ball
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
		classes[i] = colors.Ball
	}
	if all := f.Find(pix, classes); len(all) > 0 && !(all[0].Confidence <= 0.4) {
		t.Errorf("found %+v", all[0])
	}
}

// Finding allocates nothing, and nothing in an image stops it.
func TestFindAllocatesNothing(t *testing.T) {
	view := front(t)
	f := NewFinder(view)
	pix, classes := paint(view, mgl64.Vec3{1.2, 0.1, Radius}, mgl64.Vec3{1.8, -0.3, Radius})
	if all := f.Find(pix, classes); len(all) != 2 {
		t.Fatalf("%v: want two balls", all)
	}
	if n := testing.AllocsPerRun(5, func() { f.Find(pix, classes) }); n != 0 {
		t.Errorf("an image allocates %v times", n)
	}
	random := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		for i := range classes {
			classes[i] = colors.Class(random.IntN(4))
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
