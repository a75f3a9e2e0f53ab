package omnipitch

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnipitch/omnipitch/render"
)

func saveLook(t *testing.T, scene int, sensor, name string, im *render.Image) {
	if *lookSave == "" {
		return
	}
	p := image.NewRGBA(image.Rect(0, 0, im.Width, im.Height))
	for i := range im.Width * im.Height {
		p.Set(i%im.Width, i/im.Width, color.RGBA{im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2], 255})
	}
	f, err := os.Create(filepath.Join(*lookSave, fmt.Sprintf("%d-%s-%s.png", scene, sensor, name)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, p); err != nil {
		t.Fatal(err)
	}
}
