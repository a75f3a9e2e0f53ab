package sensors

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Images of a plain surface have the published signal-to-noise ratio, at the light of half the full well. There it is 3
// dB less than the largest. The ratios are those of docs/reality.md.
func TestBoughtCamerasHaveThePublishedNoise(t *testing.T) {
	for _, c := range []struct {
		kind          Kind
		profile       string
		width, height int
		largest       float64 // published signal-to-noise ratio, dB
	}{
		{CameraKind, "imx273", 1440, 1080, 40.2},
		// 20·log10 √n, of n electrons: 65,536/3.67² of one pixel
		{CameraKind, "imx219", 3280, 2464, 36.9}, {CameraKind, "imx219-binned", 820, 616, 36.9 + 20*math.Log10(4)},
		{CameraKind, "imx477", 4056, 3040, 39.1}, {CameraKind, "ov5647", 2592, 1944, 36},
		{StereoKind, "zed", 672, 376, 38.3},
	} {
		var cfg Config
		cfg.Prepare(func(key string) string {
			return map[string]string{"kind": string(c.kind), "profile": c.profile}[key]
		})
		cfg.Name = "front"
		must.Do(t, cfg.Validate())
		if cfg.Image.Width != c.width || cfg.Image.Height != c.height {
			t.Errorf("%s: %d × %d pixels, want %d × %d", c.profile, cfg.Image.Width, cfg.Image.Height, c.width,
				c.height)
		}
		const side = 512
		im := render.NewImage(side, side)
		for i := range im.Pix {
			im.Pix[i] = render.Encode8(0.5)
		}
		var p chip.Processor
		noise := random.New(1, "r", "s", 0)
		p.Apply(im, cfg.Imager.Chip(side, side, nil, noise), imaging.NoiseKey(noise))
		var readings []float64 // of the green pixels of the mosaic, which are not interpolated
		for y := range side {
			for x := 1 - y%2; x < side; x += 2 {
				readings = append(readings, float64(render.Decode8(im.Pix[3*(y*side+x)+1])))
			}
		}
		mean, deviation := stat.MeanStdDev(readings, nil)
		// rounding to a byte adds the variance of a uniform distribution
		step := float64(render.Decode8(render.Encode8(0.5)+1) - render.Decode8(render.Encode8(0.5)))
		got := 20*math.Log10(mean/math.Sqrt(deviation*deviation-step*step/12)) + 10*math.Log10(2)
		t.Logf("%s: largest signal-to-noise ratio %.1f dB, published %.1f", c.profile, got, c.largest)
		must.Near(t, c.profile, got, c.largest, 0.75) // noise of binned pixels is about half a step of a byte
	}
}
