package calibration

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// The oracle is OpenCV's conversion, which the nodes call.
func TestColorsAreOpenCVsYUV(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import cv2").Run(); err != nil {
		t.Skip("no OpenCV: apt-get install python3-opencv")
	}
	random := rand.New(rand.NewPCG(5, 0))
	bgr := []byte{0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0, 0, 255, 255, 255, 0, 255}
	for range 1 << 17 {
		bgr = append(bgr, byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256)))
	}
	convert := exec.Command(python, "-c", `
import sys, cv2, numpy
bgr = numpy.frombuffer(sys.stdin.buffer.read(), numpy.uint8).reshape(-1, 1, 3)
sys.stdout.buffer.write(cv2.cvtColor(bgr, cv2.COLOR_BGR2YUV).tobytes())`)
	convert.Stdin = bytes.NewReader(bgr)
	want, err := convert.Output()
	if err != nil || len(want) != len(bgr) {
		t.Fatalf("%d bytes of %d: %v", len(want), len(bgr), err)
	}
	for i := 0; i < len(bgr); i += 3 {
		y, u, v := yuv(bgr[i+2], bgr[i+1], bgr[i])
		if got := [3]byte{y, u, v}; got != [3]byte(want[i:i+3]) {
			t.Fatalf("BGR %v: YUV %v, OpenCV says %v", bgr[i:i+3], got, want[i:i+3])
		}
	}
}

func TestAColorTableTakesTheMajority(t *testing.T) {
	counts := new(ColorHistogram)
	add := func(r, g, b byte, class ColorClass, n int) {
		for range n {
			counts.Add(r, g, b, int(class))
		}
	}
	add(100, 60, 20, BallColor, 3)
	add(103, 63, 23, BlackColor, 2) // in the same cell
	add(120, 60, 20, GreenColor, 1) // five cells away
	add(200, 200, 200, BlackColor, 2)
	add(200, 200, 200, UnknownColor, 2)
	table := counts.Table(BGR)
	for _, c := range []struct {
		r, g, b byte
		want    ColorClass
		why     string
	}{
		{101, 61, 21, BallColor, "most of the cell's pixels are the ball's"},
		{92, 60, 20, BallColor, "the nearest cell with pixels, two cells away"},
		{108, 60, 20, BallColor, "two cells from the one, three from the other"},
		{112, 60, 20, GreenColor, "three cells from the one, two from the other"},
		{92, 68, 28, BallColor, "two cells away along all axes"},
		{88, 60, 20, UnknownColor, "three cells from all pixels"},
		{0, 0, 0, UnknownColor, "far from all pixels"},
		{200, 200, 200, UnknownColor, "as many pixels of two classes"},
	} {
		if got := table.Class(c.r, c.g, c.b); got != c.want {
			t.Errorf("(%d, %d, %d): %s, want %s: %s", c.r, c.g, c.b, colorClasses[got], colorClasses[c.want], c.why)
		}
	}
}

// Near black is never the ball, whatever else is in the images, and pixels outside of the optics do not count. A dark
// orange is the ball's.
func TestNearBlackIsNeverTheBall(t *testing.T) {
	var counts ColorHistogram
	for y := byte(8); y < 60; y++ { // black leather
		counts.Add(y, y, y, int(BallColor))
	}
	counts.Add(40, 18, 4, int(BallColor))
	counts.Add(90, 140, 60, int(GreenColor))
	for range 9 {
		counts.Add(250, 250, 250, Outside)
		counts.Add(90, 141, 60, Outside)
	}
	for _, space := range []ColorSpace{YUV, BGR} {
		table := counts.Table(space)
		for y := range byte(44) {
			for _, c := range [][3]byte{{y, y, y}, {y, y + 3, y + 1}, {y + 4, y, y}} {
				if got := table.Class(c[0], c[1], c[2]); got == BallColor {
					t.Errorf("space %d: %v is the ball's", space, c)
				}
			}
		}
		for color, want := range map[[3]byte]ColorClass{{20, 20, 20}: BlackColor, {56, 56, 56}: BallColor,
			{40, 18, 4}: BallColor, {90, 140, 60}: GreenColor, {250, 250, 250}: UnknownColor} {
			if got := table.Class(color[0], color[1], color[2]); got != want {
				t.Errorf("space %d: %v is %s, want %s", space, color, colorClasses[got], colorClasses[want])
			}
		}
		if c := counts.Judge(table); c[Outside][GreenColor] != 9 || c[Outside][UnknownColor] != 9 {
			t.Errorf("space %d: outside of the optics %v, want 9 green and 9 unknown", space, c[Outside])
		}
	}
	if carpet := counts.Carpet(); len(carpet) != 1 {
		t.Errorf("the carpet has %d colours, want 1", len(carpet))
	}
}

// The oracle is how omni_vision and front_vision read the file: the class of a colour is at the first channel /4·64² +
// the second /4·64 + the third /4.
func TestColorTablesAreFilesOfNuBot(t *testing.T) {
	const r, g, b = 40, 140, 70 // a carpet: Y = 102, U = 112, V = 74
	for _, c := range []struct {
		space ColorSpace
		name  string
		at    int
	}{{YUV, "CTable.dat", 102/4*64*64 + 112/4*64 + 74/4}, {BGR, "CTableBGR.dat", b/4*64*64 + g/4*64 + r/4}} {
		counts := new(ColorHistogram)
		counts.Add(r, g, b, int(GreenColor))
		table := counts.Table(c.space)
		path := filepath.Join(t.TempDir(), table.File())
		if err := table.Write(new(Files), path); err != nil || table.File() != c.name {
			t.Fatalf("%s: %v", table.File(), err)
		}
		file, err := os.ReadFile(path)
		if err != nil || len(file) != 64*64*64 {
			t.Fatalf("%s: %d bytes, %v", c.name, len(file), err)
		}
		if file[c.at] != 2 || bytes.Count(file, []byte{2}) != 125 || bytes.Count(file, []byte{3}) != len(file)-125 {
			t.Errorf("%s: %d at the carpet's colour, %d times 2, want 2 in the 125 cells around it", c.name, file[c.at],
				bytes.Count(file, []byte{2}))
		}
	}
}

// The oracle is how the Bit-Bots' PixelListColorDetector reads the file: into a cube of blue, green and red.
func TestCarpetColorsAreAFileOfTheBitBots(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import yaml").Run(); err != nil {
		t.Skip("no yaml: apt-get install python3-yaml")
	}
	counts := new(ColorHistogram)
	for range 3 {
		counts.Add(51, 122, 60, int(GreenColor))
		counts.Add(49, 125, 63, int(GreenColor))
		counts.Add(230, 120, 20, int(BallColor))
	}
	counts.Add(50, 123, 61, int(UnknownColor)) // in a cell that is green
	counts.Add(231, 121, 21, int(GreenColor))  // in a cell that is the ball's
	path := filepath.Join(t.TempDir(), "carpet.yaml")
	must.Do(t, new(Files).Write(path, counts.Carpet().WriteBitBots))
	out, err := exec.Command(python, "-c", `
import sys, yaml
colors = yaml.safe_load(open(sys.argv[1]))
if 'color_values' in colors.keys():
    colors = colors['color_values']['greenField']
assert len(colors['red']) == len(colors['green']) == len(colors['blue'])
print(sorted(zip(colors['blue'], colors['green'], colors['red'])))`, path).CombinedOutput()
	if want := "[(60, 122, 51), (61, 123, 50), (63, 125, 49)]\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}

// The report on a list of carpet colours distinguishes the carpet from everything else.
func TestConfusionOfTheCarpet(t *testing.T) {
	var c Confusion
	c[GreenColor] = [4]int{1, 2, 95, 2}
	c[Lines] = [4]int{0, 0, 0, 4}
	text := c.Carpet()
	for _, want := range []string{"true       pixels    carpet      rest\n", "green         100     95.00      5.00\n",
		"lines           4      0.00    100.00", "ball            0         –         –\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("output lacks %q:\n%s", want, text)
		}
	}
}

// Merged histograms give the same judgements and tables as one histogram of all pixels.
func TestColorHistogramsAreSums(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 0))
	var all, even, odd ColorHistogram
	var want [5]int
	carpet := CarpetColors{}
	var wantCalled Confusion
	type pixel struct {
		color [3]byte
		kind  int
	}
	var pixels []pixel
	for range 20_000 {
		p := pixel{[3]byte{byte(random.IntN(256)), byte(random.IntN(8)), byte(random.IntN(256))}, random.IntN(5)}
		pixels = append(pixels, p)
		if p.kind == int(GreenColor) {
			carpet[p.color] = true
		}
	}
	for i, p := range pixels {
		part := &even
		if i%2 == 1 {
			part = &odd
		}
		all.Add(p.color[0], p.color[1], p.color[2], p.kind)
		part.Add(p.color[0], p.color[1], p.color[2], p.kind)
		want[p.kind]++
		wantCalled[p.kind][carpet.Class(p.color[0], p.color[1], p.color[2])]++
	}
	even.Merge(&odd)
	for kind, n := range want {
		if all.Pixels(kind) != n || even.Pixels(kind) != n {
			t.Errorf("kind %d: %d pixels, merged %d, want %d", kind, all.Pixels(kind), even.Pixels(kind), n)
		}
	}
	must.Equal(t, *all.Judge(carpet), wantCalled, "judged")
	if *even.Judge(carpet) != wantCalled || even.Table(YUV).Cells != all.Table(YUV).Cells ||
		odd.Table(YUV).Cells == all.Table(YUV).Cells {
		t.Error("parts that are merged are not the whole")
	}
}

func TestFiguresOfAConfusion(t *testing.T) {
	c := Confusion{{3, 1, 0, 0}, {0, 1, 0, 1}, {0, 0, 4, 0}, {1, 0, 0, 1}, {2, 0, 0, 2}, {5, 5, 5, 5}}
	for _, x := range []struct {
		name      string
		got, want float64
	}{
		{"share of the ball", c.Share(int(BallColor), BallColor), 0.75},
		{"share of lines", c.Share(Lines, BallColor), 0.5},
		{"share of nothing", new(Confusion).Share(Lines, BallColor), 0},
		{"mean", c.Balanced(), (0.75 + 0.5 + 1 + 0.5 + 0.5) / 5},
		{"precision of the ball", c.Precision(BallColor), 0.5},
		{"precision of unknown", c.Precision(UnknownColor), 0.75},
		{"precision of what is never called", new(Confusion).Precision(BallColor), 1},
	} {
		must.Near(t, x.name, x.got, x.want, 1e-12)
	}
}
