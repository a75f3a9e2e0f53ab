package main

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"github.com/omnipitch/omnipitch/render"
)

// colorPicture converts a rendered image for the encoder.
func colorPicture(m *render.Image) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
	for i, j := 0, 0; i < len(m.Pix); i, j = i+3, j+4 {
		p.Pix[j], p.Pix[j+1], p.Pix[j+2], p.Pix[j+3] = m.Pix[i], m.Pix[i+1], m.Pix[i+2], 255
	}
	return p
}

// depthPicture converts a depth image to 16-bit millimetres.
func depthPicture(d *render.Depth) *image.Gray16 {
	p := image.NewGray16(image.Rect(0, 0, d.Width, d.Height))
	for i, z := range d.Z {
		p.SetGray16(i%d.Width, i/d.Width, color.Gray16{Y: render.Millimetres(z)})
	}
	return p
}

// writePNG writes a picture; a file that fails is removed.
func writePNG(dir, name string, m image.Image, level png.CompressionLevel) error {
	path := filepath.Join(dir, name)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	enc := png.Encoder{CompressionLevel: level}
	err = enc.Encode(f, m)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}
