//go:build cgo

package scenery_test

import (
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

var update = flag.Bool("update", false, "write golden images instead of comparing with them")

// Drivers round differently along edges: any pixel may differ slightly, and a few may differ by much.
const (
	slightly  = 6     // of 255, in any channel: rounding in colours and texture filters
	fewPixels = 0.005 // share of pixels that may differ more: edges on the other side of a sample
)

func TestGoldenImages(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	r := renderer(t, s)
	omni, front, left, _ := cameras(now, 0.25)
	omni.Vignetting = 0.5
	must.Do(t, r.Render(&render.Batch{PosesWB: s.Poses(now, nil), Views: []render.View{omni, front, left}}))
	for name, got := range map[string]*render.Image{"omni": omni.Color, "front": front.Color, "kinect": left.Color} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".png")
			if *update {
				writePNG(t, path, got)
				return
			}
			want := readPNG(t, path)
			if want.Width != got.Width || want.Height != got.Height {
				t.Fatalf("image of %d×%d, want %d×%d", got.Width, got.Height, want.Width, want.Height)
			}
			diff := render.NewImage(got.Width, got.Height)
			differ := 0
			for p := range got.Width * got.Height {
				worst := 0
				for i := 3 * p; i < 3*p+3; i++ {
					d := int(got.Pix[i]) - int(want.Pix[i])
					worst = max(worst, d, -d)
					diff.Pix[i] = byte(min(255, 16*max(d, -d)))
				}
				if worst > slightly {
					differ++
				}
			}
			if share := float64(differ) / float64(got.Width*got.Height); !(share <= fewPixels) {
				dir := must.Get(os.MkdirTemp("", "golden"))(t)
				writePNG(t, filepath.Join(dir, "got.png"), got)
				writePNG(t, filepath.Join(dir, "want.png"), want)
				writePNG(t, filepath.Join(dir, "diff.png"), diff)
				t.Errorf("%.2f %% of the pixels differ by more than %d; got, want and 16 times the difference lie in %s", 100*share, slightly, dir)
			}
		})
	}
}

func writePNG(t *testing.T, path string, im *render.Image) {
	t.Helper()
	out := image.NewNRGBA(image.Rect(0, 0, im.Width, im.Height))
	for i := range im.Width * im.Height {
		out.SetNRGBA(i%im.Width, i/im.Width, color.NRGBA{im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2], 255})
	}
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	must.Do(t, png.Encode(f, out))
}

func readPNG(t *testing.T, path string) *render.Image {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	in, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	b := in.Bounds()
	im := render.NewImage(b.Dx(), b.Dy())
	for i := range im.Width * im.Height {
		c := color.NRGBAModel.Convert(in.At(i%im.Width, i/im.Width)).(color.NRGBA)
		im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2] = c.R, c.G, c.B
	}
	return im
}
