package output

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// ColorPicture converts a rendered image to the type that image encoders take.
func ColorPicture(m *render.Image) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
	for i, j := 0, 0; i < len(m.Pix); i, j = i+3, j+4 {
		p.Pix[j], p.Pix[j+1], p.Pix[j+2], p.Pix[j+3] = m.Pix[i], m.Pix[i+1], m.Pix[i+2], 255
	}
	return p
}

// depthPicture converts a depth image to a grey image whose 16-bit values are millimetres.
func depthPicture(d *render.Depth) *image.Gray16 {
	p := image.NewGray16(image.Rect(0, 0, d.Width, d.Height))
	for i, z := range d.Z {
		p.SetGray16(i%d.Width, i/d.Width, color.Gray16{Y: render.Millimetres(z)})
	}
	return p
}

// labelsPicture returns an image whose grey values are the labels.
func labelsPicture(t *render.Truth) *image.Gray16 {
	p := image.NewGray16(image.Rect(0, 0, t.Width, t.Height))
	for i, l := range t.Labels {
		p.SetGray16(i%t.Width, i/t.Width, color.Gray16{Y: l})
	}
	return p
}

// rangePicture converts ranges to a grey image whose 16-bit values are millimetres.
func rangePicture(t *render.Truth) *image.Gray16 {
	return depthPicture(&render.Depth{Width: t.Width, Height: t.Height, Z: t.Range})
}

// normalsPicture returns the surface normals as colours: x is red, y is green and z is blue. Components from −1 to 1
// become values from 0 to 255. Pixels without a surface are black.
func normalsPicture(t *render.Truth) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, t.Width, t.Height))
	for i := range t.Labels {
		n := t.Normals[3*i : 3*i+3]
		at := p.Pix[4*i : 4*i+4]
		at[3] = 255
		if n[0] == 0 && n[1] == 0 && n[2] == 0 {
			continue
		}
		for k, x := range n {
			at[k] = uint8(127.5 + 127.5*x + 0.5)
		}
	}
	return p
}

// flowPicture returns the optical flow in the encoding of the KITTI benchmark. Red holds u and green holds v, in units
// of 1/64 pixel plus an offset of 2¹⁵. Blue is 1 where the flow is known.
func flowPicture(t *render.Truth) *image.NRGBA64 {
	p := image.NewNRGBA64(image.Rect(0, 0, t.Width, t.Height))
	encode := func(x float32) uint16 { return uint16(max(0, min(65535, math.Round(float64(x)*64+32768)))) }
	for i := range t.Labels {
		c := color.NRGBA64{A: 65535}
		if u, v := t.Flow[2*i], t.Flow[2*i+1]; u == u {
			c.R, c.G, c.B = encode(u), encode(v), 1
		}
		p.SetNRGBA64(i%t.Width, i/t.Width, c)
	}
	return p
}

// writePNG writes an image as PNG.
func (o *Folder) writePNG(name string, m image.Image, level png.CompressionLevel) error {
	enc := png.Encoder{CompressionLevel: level}
	return o.write(name, func(w io.Writer) error { return enc.Encode(w, m) })
}

// writePictures writes the images of an observation and returns the names of the files. The first file has the argument
// name as its name. It is the depth image or, if the camera has no depth, the colour image.
func (o *Folder) writePictures(name string, seen *sensors.Observation, level png.CompressionLevel) (files []string,
	err error) {
	write := func(suffix string, m image.Image) {
		files = append(files, name+suffix)
		err = errors.Join(err, o.writePNG(name+suffix, m, level))
	}
	if seen.Depth == nil {
		write(".png", ColorPicture(seen.Color))
	} else {
		write(".png", depthPicture(seen.Depth))
		write(".color.png", ColorPicture(seen.Color))
	}
	if seen.Truth != nil {
		write(".labels.png", labelsPicture(seen.Truth))
		write(".range.png", rangePicture(seen.Truth))
		write(".normals.png", normalsPicture(seen.Truth))
		write(".flow.png", flowPicture(seen.Truth))
	}
	return files, err
}
