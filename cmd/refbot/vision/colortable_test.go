package vision

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// drawnTable is a table of the simulator's in which cells have classes at random in blocks, as those of colours are,
// and the file that it writes.
func drawnTable(space calibration.ColorSpace) (*calibration.ColorTable, []byte) {
	t := &calibration.ColorTable{Space: space}
	for i := range t.Cells {
		x, y, z := i>>12, i>>6&63, i&63
		t.Cells[i] = calibration.ColorClass(uint(x/16+3*(y/16)+7*(z/16)) % 4)
	}
	return t, t.Bytes()
}

// A table classifies colours as the simulator that wrote it: all of them in BGR, and in YUV all except at the border of
// two classes.
func TestReadColorTableMatchesTheWriter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		theirs calibration.ColorSpace
		ours   ColorSpace
		wrong  float64
	}{{calibration.BGR, BGR, 0}, {calibration.YUV, YUV, 0.1}} {
		want, file := drawnTable(c.theirs)
		got := must.Get(ReadColorTable(bytes.NewReader(file), c.ours))(t)
		wrong, n := 0, 20000
		for range n {
			r, g, b := byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256))
			if Class(want.Class(r, g, b)) != got.Class(r, g, b) {
				wrong++
			}
		}
		if share := float64(wrong) / float64(n); !(share <= c.wrong) {
			t.Errorf("%v: %.3f of the colours have another class, want at most %.2f", c.ours, share, c.wrong)
		}
	}
}

func TestReadColorTableRefuses(t *testing.T) {
	_, file := drawnTable(calibration.BGR)
	bad := bytes.Clone(file)
	bad[70] = 4
	for _, c := range []struct {
		file []byte
		want string
	}{
		{file[:100], "has 100 bytes: a colour table has 262144, one for each of 64 × 64 × 64 cells"},
		{append(bytes.Clone(file), 0), "has more than 262144 bytes: a colour table has 262144, one for each of 64 × " +
			"64 × 64 cells"},
		{bad, "byte 70: 4: a class is 0 ball, 1 black, 2 green or 3 unknown"},
	} {
		if table, err := ReadColorTable(bytes.NewReader(c.file), BGR); table != nil || err == nil ||
			err.Error() != c.want {
			t.Errorf("%v, %v; want %s", table != nil, err, c.want)
		}
	}
}

// TableOf returns the table that omnipitch calibration makes of labelled pixels.
func TableOf(t testing.TB, pixels *calibration.ColorHistogram) *ColorTable {
	t.Helper()
	table := must.Get(ReadColorTable(bytes.NewReader(pixels.Table(calibration.BGR).Bytes()), BGR))(t)
	return table
}

// In light that differs from the table's in brightness or colour, pixels keep their classes.
func TestSegmenterFindsTheLight(t *testing.T) {
	colors := []struct {
		class Class
		rgb   [3]float64 // linear
	}{{ClassBall, [3]float64{0.5, 0.35, 0.02}}, {ClassGreen, [3]float64{0.03, 0.2, 0.06}},
		{ClassBlack, [3]float64{0.01, 0.01, 0.01}},
		{ClassUnknown, [3]float64{0.6, 0.6, 0.6}}}
	random := rand.New(rand.NewPCG(2, 2))
	const side = 64
	paint := func(gain [3]float64, f func(i int, p []byte, class Class)) []byte {
		pix := make([]byte, 3*side*side)
		for i := range side * side {
			c := &colors[1]
			if i%side < 8 {
				c = &colors[i/side%4]
			}
			for k := range 3 {
				pix[3*i+k] = byte(255 * linearToSRGB(min(1, gain[k]*c.rgb[k]*(1+0.1*random.NormFloat64()))))
			}
			f(i, pix[3*i:], c.class)
		}
		return pix
	}
	samples := new(calibration.ColorHistogram)
	for range 20 {
		paint([3]float64{1, 1, 1}, func(_ int, p []byte, class Class) { samples.Add(p[0], p[1], p[2], int(class)) })
	}
	var floor []int32
	for i := range side * side {
		floor = append(floor, int32(i))
	}
	for name, gain := range map[string][3]float64{"same": {1, 1, 1}, "half": {0.5, 0.5, 0.5}, "a quarter": {0.25, 0.25,
		0.25}, "brighter": {1.6, 1.6, 1.6}, "warm": {1.5, 1, 0.6}, "3,500 K": {1.37, 0.92, 0.47}} {
		s := NewSegmenter(TableOf(t, samples), side, side, floor)
		var want []Class
		pix := paint(gain, func(_ int, _ []byte, class Class) { want = append(want, class) })
		right := 0
		for i, got := range s.Segment(pix) {
			if got == want[i] {
				right++
			}
		}
		if share := float64(right) / float64(len(want)); !(share >= 0.97) {
			t.Errorf("%s: %.3f of the pixels have their class, in light %v", name, share, s.light)
		}
		// where all of the floor is green as it is
		stays := s.light == lightGains{unitGain, unitGain, unitGain}
		for k, found := range [3]int{s.light.red, s.light.green, s.light.blue} { // in steps of an eighth of an octave
			if off := float64(found-unitGain) + gainsPerOctave*math.Log2(gain[k]); !(math.Abs(off) <= 3) &&
				!(stays && name == "warm") {
				t.Errorf("%s: light %v, off by %.1f steps in channel %d", name, s.light, off, k)
			}
		}
		if n := testing.AllocsPerRun(3, func() { s.Segment(pix) }); n != 0 {
			t.Errorf("%s: an image allocates %v times", name, n)
		}
	}
	if s := NewSegmenter(TableOf(t, samples), side, side, nil); s.Segment(make([]byte, 7)) != nil {
		t.Error("an image of another size has classes")
	}
}

// Robots nearby that hide the carpet change the light only while they are there, although they would be green in
// brighter light.
func TestSegmenterKeepsItsLightAmongRobots(t *testing.T) {
	const side = 64
	green, robot := [3]byte{40, 120, 60}, [3]byte{26, 84, 40}
	random := rand.New(rand.NewPCG(3, 3))
	paint := func(hidden float64) []byte {
		pix := make([]byte, 0, 3*side*side)
		for range side * side {
			c := green
			if random.Float64() < hidden {
				c = robot
			}
			pix = append(pix, c[:]...)
		}
		return pix
	}
	samples := new(calibration.ColorHistogram)
	for range 3 {
		samples.Add(green[0], green[1], green[2], int(ClassGreen))
		samples.Add(robot[0], robot[1], robot[2], int(ClassBlack))
	}
	var floor []int32
	for i := range int32(side * side) {
		floor = append(floor, i)
	}
	s := NewSegmenter(TableOf(t, samples), side, side, floor)
	plain := s.light
	for range searchInterval {
		s.Segment(paint(0.85))
	}
	if s.light == plain {
		t.Error("the robots were never taken for carpet: this tests nothing")
	}
	s.Segment(paint(0.1))
	if s.light != plain {
		t.Errorf("when the robots have gone, the light is %v", s.light)
	}
}

func FuzzReadColorTable(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add(bytes.Repeat([]byte{2}, cellCount), false)
	f.Fuzz(func(t *testing.T, data []byte, isYUV bool) {
		space := BGR
		if isYUV {
			space = YUV
		}
		table, err := ReadColorTable(bytes.NewReader(data), space)
		if (table == nil) == (err == nil) || err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatal(table != nil, err)
		}
	})
}

func BenchmarkSegment(b *testing.B) {
	_, file := drawnTable(calibration.YUV)
	table := must.Get(ReadColorTable(bytes.NewReader(file), YUV))(b)
	s := NewSegmenter(table, 640, 640, nil)
	pix := make([]byte, 3*640*640)
	for i := range pix {
		pix[i] = byte(128 + 100*math.Sin(float64(i)/1000))
	}
	for b.Loop() {
		s.Segment(pix)
	}
}
