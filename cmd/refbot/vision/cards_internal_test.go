package vision

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// frontCardView is a camera with a lens, half a metre high.
func frontCardView(t testing.TB) *View {
	t.Helper()
	p := must.Get(NewPinhole(640, 480, [9]float64{532, 0, 319.5, 0, 532, 239.5, 0, 0, 1}, "plumb_bob", nil))(t)
	return NewPinholeView(p, PinholeMount{X: 0.26, Height: 0.5, Pitch: 15 * math.Pi / 180})
}

// robot is one that is drawn.
type robot struct {
	x, y, heading float64
	color         mgl64.Vec3 // of its cards, linear
	cover         bool       // a camera hides the middle third of the upper edge of the front card
}

var (
	cyan        = mgl64.Vec3{0.01, 0.5, 0.72} // reflectances of cards, docs/cameras.md
	magenta     = mgl64.Vec3{0.7, 0.015, 0.3}
	carpetColor = mgl64.Vec3{0.035, 0.235, 0.055}
)

// shows returns the light along a ray from a viewpoint: cards with a white bar as the number, a black post that bears
// them, carpet and a grey wall.
func (r *robot) shows(eye, ray mgl64.Vec3) mgl64.Vec3 {
	sin, cos := math.Sincos(-r.heading)
	turn := func(v mgl64.Vec3) mgl64.Vec3 { return mgl64.Vec3{v[0]*cos - v[1]*sin, v[0]*sin + v[1]*cos, v[2]} }
	o, d := turn(eye.Sub(mgl64.Vec3{r.x, r.y, 0})), turn(ray)
	best, light := math.Inf(1), mgl64.Vec3{0.3, 0.3, 0.3}
	if d[2] < 0 {
		best, light = -o[2]/d[2], carpetColor
	}
	for k := range 4 { // in the frame of the side that faces +x
		s, c := math.Sincos(-float64(k) * math.Pi / 2)
		ox, oy, dx, dy := o[0]*c-o[1]*s, o[0]*s+o[1]*c, d[0]*c-d[1]*s, d[0]*s+d[1]*c
		at := (NuBotCards.Offset - ox) / dx
		y, z := oy+at*dy, o[2]+at*d[2]
		if dx >= 0 || at <= 0 || at >= best || math.Abs(y) > NuBotCards.Offset || z > 0.8 {
			continue
		}
		best, light = at, mgl64.Vec3{0.02, 0.02, 0.02}
		across, up := math.Abs(y), z-NuBotCards.Height
		switch half := NuBotCards.Size / 2; {
		case across > half || math.Abs(up) > half || r.cover && k == 0 && across < half/3 && up > 0.05:
		case across < 0.01 && math.Abs(up) < 0.05:
			light = mgl64.Vec3{0.8, 0.8, 0.8}
		default:
			light = r.color
		}
	}
	return light
}

// paint draws what a view shows, near the robot, each pixel the mean of the light on it.
func (r *robot) paint(view *View) []byte {
	pix := make([]byte, 3*view.Width*view.Height)
	toward := mgl64.Vec3{r.x - view.Pos[0], r.y - view.Pos[1], NuBotCards.Height - view.Pos[2]}
	wide := math.Cos(math.Atan(0.35 / toward.Len()))
	toward = toward.Normalize()
	const side = 4
	for i := range view.Width * view.Height {
		ray := view.Index(i)
		if ray.Dot(toward) < wide { // all that is far from the robot is black
			continue
		}
		u, v := float64(i%view.Width), float64(i/view.Width)
		var sum mgl64.Vec3
		for k := range side * side {
			between, ok := view.At(u+(float64(k%side)+0.5)/float64(side)-0.5, v+(float64(k/side)+0.5)/float64(side)-0.5)
			if !ok {
				between = ray
			}
			sum = sum.Add(r.shows(view.Pos, between))
		}
		for k := range 3 {
			pix[3*i+k] = srgbByte(sum[k] / float64(side*side))
		}
	}
	return pix
}

func srgbByte(l float64) byte {
	if l <= 0.0031308 {
		return byte(math.Round(255 * 12.92 * l))
	}
	return byte(math.Round(255 * min(1, 1.055*math.Pow(l, 1/2.4)-0.055)))
}

// A robot is located with its team, at any heading and with a partly occluded card.
func TestRobotIsWhereItWasDrawn(t *testing.T) {
	view := frontCardView(t)
	f := NewCardFinder(view, NuBotCards)
	for _, r := range []robot{
		{1.0, 0, math.Pi, cyan, false}, {1.5, 0.4, math.Pi + 0.3, magenta, false}, {2.2, -0.6, 0.8, cyan, false},
		{2.2, 0.3, math.Pi, cyan, true},
		{3.2, 0.9, 2.4, magenta, false}, {2.6, -1, math.Pi - 0.37, cyan, true},
	} {
		want := ClassCyan
		if r.color == magenta {
			want = ClassMagenta
		}
		all := f.Find(r.paint(view))
		if len(all) != 1 || all[0].Color != want {
			t.Errorf("%+v: found %+v", r, all)
			continue
		}
		m, d := &all[0], math.Hypot(r.x-view.Pos[0], r.y-view.Pos[1])
		bearing := math.Atan2(r.y-view.Pos[1], r.x-view.Pos[0])
		if !(math.Abs(m.Bearing-bearing)*d < 0.02) || !(math.Abs(m.ByHeight-d) < 0.012*d*d) ||
			!(math.Abs(m.BySize-d) < 0.015*d) || !(math.Hypot(m.X-r.x, m.Y-r.y) < 0.015*d+0.01) {
			t.Errorf("%+v: %.3f m away at %.4f rad: found %+v", r, d, bearing, *m)
		}
	}
}

// A card cut by the edge of the image is not located, and an image of another size has no result.
func TestCutCardsAreNone(t *testing.T) {
	view := frontCardView(t)
	f := NewCardFinder(view, NuBotCards)
	cut := robot{1.2, 0.6, math.Pi + 0.5, cyan, false}
	if all := f.Find(cut.paint(view)); len(all) != 0 {
		t.Errorf("found %+v", all)
	}
	if all := f.Find(make([]byte, 7)); all != nil {
		t.Errorf("an image of another size: %+v", all)
	}
}

// Cards keep their class in light from 2,700 to 7,500 K, in the dark and under gloss. Carpet, balls, skins and lines
// never have the class of a card.
func TestColorsInAnyLight(t *testing.T) {
	lights := map[string]mgl64.Vec3{"white": {1, 1, 1}, "dim": {0.15, 0.15, 0.15}, "2,700 K": {1.8, 0.9, 0.38},
		"3,500 K": {1.4, 0.95, 0.6}, "7,500 K": {0.85, 1, 1.25}}
	for name, light := range lights {
		for what, c := range map[string]struct {
			color mgl64.Vec3
			want  Class
		}{
			"cyan": {cyan, ClassCyan}, "magenta": {magenta, ClassMagenta}, "carpet": {carpetColor, ClassUnknown},
			"yellow ball": {mgl64.Vec3{0.86, 0.5, 0.015}, ClassUnknown},
			"orange ball": {mgl64.Vec3{0.74, 0.1, 0.009}, ClassUnknown}, "line": {mgl64.Vec3{0.8, 0.81, 0.79},
				ClassUnknown}, "red skin": {mgl64.Vec3{0.45, 0.021, 0.026}, ClassUnknown},
			"black": {mgl64.Vec3{0.024, 0.024, 0.026}, ClassUnknown}, "face": {mgl64.Vec3{0.6, 0.35, 0.22},
				ClassUnknown},
		} {
			for _, gloss := range []float64{0, 0.04} {
				var p [3]float32
				for k := range p {
					p[k] = float32(min(1, (c.color[k]+gloss)*light[k]))
				}
				if got := classifyCard(p[0], p[1], p[2]); got != c.want {
					t.Errorf("%s in light %s with gloss %v: class %d, want %d", what, name, gloss, got, c.want)
				}
			}
		}
	}
}

func TestCardFinderAllocatesNothing(t *testing.T) {
	view := frontCardView(t)
	f := NewCardFinder(view, NuBotCards)
	pix := (&robot{2, 0.3, 2.6, cyan, false}).paint(view)
	if len(f.Find(pix)) != 1 {
		t.Fatal("found no robot")
	}
	if n := testing.AllocsPerRun(5, func() { f.Find(pix) }); n != 0 {
		t.Errorf("an image allocates %v times", n)
	}
}

func BenchmarkCardFinder(b *testing.B) {
	view := frontCardView(b)
	f := NewCardFinder(view, NuBotCards)
	pix := (&robot{2, 0.3, 2.6, cyan, false}).paint(view)
	for b.Loop() {
		f.Find(pix)
	}
}
