package output

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
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

// writePictures writes the images of an observation and returns the names of the files. The first file is NAME.png,
// where NAME is the argument name. It is the depth image or, if the camera has no depth, the colour image.
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
	if seen.Right != nil {
		write(".right.png", ColorPicture(seen.Right))
	}
	if seen.Truth != nil {
		write(".labels.png", labelsPicture(seen.Truth))
		t := seen.Truth
		write(".range.png", depthPicture(&render.Depth{Width: t.Width, Height: t.Height, Z: t.Range}))
		write(".normals.png", normalsPicture(seen.Truth))
		write(".flow.png", flowPicture(seen.Truth))
	}
	return files, err
}

// overlay returns a dimmed copy of the image m, with a ring around the position of each object in the list. The colour
// of a ring shows the kind of the object.
func overlay(m *render.Image, camera *sensors.Camera, list *abstraction.ObjectList) *image.NRGBA {
	p := dimmed(m)
	poseCB := camera.PoseBC().Inverse()
	for i := range list.Detections {
		d := &list.Detections[i]
		const around = 0.25 // radius in metres, about that of a robot
		r := around
		if d.Kind == abstraction.BallKind {
			r = 0.15
		}
		const points = 720
		for k := range points {
			s, c := math.Sincos(2 * math.Pi * float64(k) / points)
			u, v, ok := camera.Model().Project(poseCB.Apply(d.PosB.Add(mgl64.Vec3{r * c, r * s, 0})))
			if ok {
				dot(p, int(math.Round(u)), int(math.Round(v)), kindColor(d))
			}
		}
	}
	return p
}

// dimmed returns an image at half brightness.
func dimmed(m *render.Image) *image.NRGBA {
	p := ColorPicture(m)
	for i := range p.Pix {
		if i%4 != 3 {
			p.Pix[i] /= 2
		}
	}
	return p
}

func dot(p *image.NRGBA, x, y int, c color.NRGBA) {
	for dy := range 2 {
		for dx := range 2 {
			if pt := (image.Point{X: x + dx, Y: y + dy}); pt.In(p.Rect) {
				p.SetNRGBA(pt.X, pt.Y, c)
			}
		}
	}
}

func kindColor(d *abstraction.Detection) color.NRGBA {
	switch {
	case d.Kind == abstraction.BallKind:
		return color.NRGBA{255, 210, 0, 255}
	case d.Team == "cyan":
		return color.NRGBA{0, 220, 255, 255}
	case d.Team == "magenta":
		return color.NRGBA{255, 0, 220, 255}
	case d.Kind == abstraction.PostKind:
		return color.NRGBA{255, 255, 255, 255}
	}
	return color.NRGBA{255, 60, 40, 255}
}
