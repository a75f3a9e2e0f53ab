package chip

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"image"
	stdjpeg "image/jpeg"
	"testing"

	"github.com/omnipitch/omnipitch/render"
)

// processed returns an image after processing in the camera.
func processed(im *render.Image, sharpening float64, quality int) *render.Image {
	c := good()
	c.Sharpening, c.JPEGQuality = sharpening, quality
	var memory Memory
	Process(im, &c, &memory)
	return im
}

// On either side of an edge the binomial filter leaves 5/16 of its height, then 1/16. Sharpening overshoots by these
// amounts, up to the ends of the range.
func TestSharpeningOvershootsEdges(t *testing.T) {
	const w, h, edge = 24, 16, 11
	for _, c := range []struct {
		low, high byte
		amount    float64
	}{{100, 148, 1}, {100, 148, 2}, {90, 250, 3}, {10, 200, 0.5}} {
		for _, upright := range []bool{true, false} {
			im := grey(w, h, c.low)
			side := func(i int) int { // distance beyond the edge
				if upright {
					return i/3%w - edge
				}
				return i/3/w - edge
			}
			for i := range im.Pix {
				if side(i) >= 0 {
					im.Pix[i] = c.high
				}
			}
			processed(im, c.amount, 0)
			height := float64(c.high) - float64(c.low)
			for i, got := range im.Pix {
				over := map[int]float64{0: 5, 1: 1, -1: -5, -2: -1}[side(i)] / 16
				want := float64(c.low) + c.amount*height*over
				if side(i) >= 0 {
					want += height
				}
				if want = max(0, min(255, want)); !(max(want-float64(got), float64(got)-want) <= 0.51) {
					t.Fatalf("%+v, upright %v: %d pixels beyond the edge there is %d, want %.1f", c, upright, side(i),
						got, want)
				}
			}
		}
	}
}

// The response to a point is that of the filter, in all directions.
func TestSharpeningOfAPoint(t *testing.T) {
	im := grey(9, 9, 100)
	for color := range 3 {
		im.Pix[3*(4*9+4)+color] = 200
	}
	processed(im, 1, 0)
	binomial := [5]float64{1, 4, 6, 4, 1}
	for y := range 9 {
		for x := range 9 {
			want := 100.0
			if x >= 2 && x < 7 && y >= 2 && y < 7 {
				want -= 100 * binomial[x-2] * binomial[y-2] / 256
			}
			if x == 4 && y == 4 {
				want += 200 - 100
				want += 100
			}
			want = min(255, want)
			if got := float64(im.Pix[3*(9*y+x)]); !(max(got-want, want-got) <= 0.51) {
				t.Errorf("at (%d, %d) there is %v, want %.1f", x, y, got, want)
			}
		}
	}
}

// drawnPicture is an image with gradients, edges and colours, computed with integers only.
func drawnPicture(w, h int) *render.Image {
	im := render.NewImage(w, h)
	for i := range im.Pix {
		x, y, c := i/3%w, i/3/w, i%3
		v := x*x/9 + y*(3+c)*5
		if (x/11+y/7)%3 == c {
			v = 255 - x
		}
		im.Pix[i] = byte(v)
	}
	return im
}

// The oracle is OpenCV 4.6 with libjpeg-turbo: encoding and decoding the same images gives the same bytes.
// cv2.imdecode(cv2.imencode(".jpg", …)).
func TestJPEGIsThatOfOpenCV(t *testing.T) {
	for _, c := range []struct {
		w, h, quality int
		want          uint32
	}{
		{16, 16, 20, 0xd23be8eb}, {16, 16, 90, 0x37840119}, {17, 16, 20, 0x2643ad4c}, {17, 16, 90, 0x81bbcdc9},
		{33, 35, 20, 0x1cb9da38},
		{33, 35, 90, 0x71205b61}, {65, 47, 20, 0x82556119}, {65, 47, 90, 0x99533889}, {100, 3, 20, 0x9c970064},
		{100, 3, 90, 0x69b8ae81},
		{3, 40, 20, 0x9dc6ee10}, {3, 40, 90, 0xf8d8d800}, {4, 9, 20, 0xb3ad7b6e}, {4, 9, 90, 0x78a07ecc},
		{160, 120, 1, 0x70be62a6},
		{160, 120, 30, 0xdf5e508f}, {160, 120, 75, 0x535fe116}, {160, 120, 95, 0x1258820f}, {160, 120, 100, 0xf06f3380},
	} {
		im := processed(drawnPicture(c.w, c.h), 0, c.quality)
		if got := crc32.ChecksumIEEE(im.Pix); got != c.want {
			t.Errorf("%d×%d, quality %d: checksum %#x, want %#x", c.w, c.h, c.quality, got, c.want)
		}
	}
}

// Go's encoder and decoder, which do not interpolate chroma, lose about the same amount of an image's luma, and less at
// the highest qualities.
func TestJPEGLosesWhatGoLoses(t *testing.T) {
	const w, h = 160, 120
	for _, quality := range []int{10, 50, 80, 95} {
		im := drawnPicture(w, h)
		rgba := image.NewRGBA(image.Rect(0, 0, w, h))
		for i := range w * h {
			copy(rgba.Pix[4*i:], append(im.Pix[3*i:3*i+3:3*i+3], 255))
		}
		var file bytes.Buffer
		if err := stdjpeg.Encode(&file, rgba, &stdjpeg.Options{Quality: quality}); err != nil {
			t.Fatal(err)
		}
		theirs, err := stdjpeg.Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		luma := func(r, g, b byte) float64 { return 0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b) }
		ours := processed(drawnPicture(w, h), 0, quality)
		var lostHere, lostThere float64
		for i := range w * h {
			was := luma(im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2])
			d := luma(ours.Pix[3*i], ours.Pix[3*i+1], ours.Pix[3*i+2]) - was
			r, g, b, _ := theirs.At(i%w, i/w).RGBA()
			e := luma(byte(r>>8), byte(g>>8), byte(b>>8)) - was
			lostHere, lostThere = lostHere+d*d, lostThere+e*e
		}
		if ratio := lostHere / lostThere; !(ratio > 0.6) || !(ratio < 1.2) {
			t.Errorf("quality %d: the squared error is %.2f of that of Go's", quality, ratio)
		}
	}
}

// No combination of effects allocates memory after the first image, and all sizes work.
func TestEffectsAllocateNothing(t *testing.T) {
	c := good()
	c.Bayer, c.Glare, c.Sharpening, c.JPEGQuality = true, 0.1, 1, 80
	c.Fixed = render.FixedPattern{DSNU: 10, PRNU: 0.01, Row: 3, Column: 4, Hot: 0.001, HotSignal: 100}
	var p Processor
	for _, size := range [][2]int{{97, 61}, {2, 2}, {16, 3}, {3, 40}} {
		im := ramp(size[0], size[1])
		least := 1.0
		for range 3 {
			least = min(least, testing.AllocsPerRun(5, func() { p.Apply(im, &c, 1) }))
		}
		if least > 0 {
			t.Errorf("%v: %v allocations", size, least)
		}
	}
}

func BenchmarkProcess640x480(b *testing.B) {
	for _, c := range []struct {
		sharpening float64
		quality    int
	}{{1, 0}, {0, 80}} {
		b.Run(fmt.Sprintf("sharpening %v, quality %d", c.sharpening, c.quality), func(b *testing.B) {
			im := drawnPicture(640, 480)
			chip, memory := good(), Memory{}
			chip.Sharpening, chip.JPEGQuality = c.sharpening, c.quality
			b.ReportAllocs()
			for b.Loop() {
				Process(im, &chip, &memory)
			}
		})
	}
}
