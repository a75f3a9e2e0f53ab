package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/png"
)

// pictures encodes images in reused memory. Only one goroutine may use it.
type pictures struct {
	png    png.Writer
	out    bytes.Buffer
	pixels []byte // of an image for JPEG
}

// encode returns a PNG file, valid until the next call.
func (p *pictures) encode(width, height, bits, channels int, row func(into []byte, y int)) ([]byte, error) {
	p.out.Reset()
	err := p.png.Append(&p.out, png.Format{Width: width, Height: height, Bits: bits, Channels: channels}, row)
	return p.out.Bytes(), err
}

// color encodes a colour image, as JPEG unless quality is 0.
func (p *pictures) color(m *render.Image, quality int) ([]byte, error) {
	if quality == 0 {
		return p.encode(m.Width, m.Height, 8, 3, func(into []byte, y int) { copy(into, m.Pix[3*y*m.Width:]) })
	}
	n := m.Width * m.Height
	if len(p.pixels) < 4*n {
		p.pixels = make([]byte, 4*n)
	}
	for i := range n {
		from, to := m.Pix[3*i:3*i+3], p.pixels[4*i:4*i+4]
		to[0], to[1], to[2], to[3] = from[0], from[1], from[2], 255
	}
	p.out.Reset()
	err := jpeg.Encode(&p.out, &image.RGBA{Pix: p.pixels[:4*n], Stride: 4 * m.Width, Rect: image.Rect(0, 0, m.Width,
		m.Height)}, &jpeg.Options{Quality: quality})
	return p.out.Bytes(), err
}

// classes encodes the class of each pixel in 8 bits.
func (p *pictures) classes(l *labels, t *things, self int) ([]byte, error) {
	return p.encode(l.width, l.height, 8, 1, func(into []byte, y int) {
		for x := range into {
			into[x] = l.class(y*l.width+x, t, self)
		}
	})
}

// gray encodes a 16-bit value for each pixel.
func (p *pictures) gray(width, height int, value func(pixel int) uint16) ([]byte, error) {
	return p.encode(width, height, 16, 1, func(into []byte, y int) {
		for x := range width {
			binary.BigEndian.PutUint16(into[2*x:], value(y*width+x))
		}
	})
}

// normals encodes surface normals: components from −1 to 1 become values from 0 to 255; pixels without a surface are
// black.
func (p *pictures) normals(l *labels) ([]byte, error) {
	return p.encode(l.width, l.height, 8, 3, func(into []byte, y int) {
		from := l.truth.Normals[3*y*l.width : 3*(y+1)*l.width]
		for x := 0; x < len(from); x += 3 {
			n, to := from[x:x+3], into[x:x+3]
			if n[0] == 0 && n[1] == 0 && n[2] == 0 {
				to[0], to[1], to[2] = 0, 0, 0
				continue
			}
			for k, v := range n {
				to[k] = uint8(127.5 + 127.5*v + 0.5)
			}
		}
	})
}

// flow encodes optical flow like the KITTI benchmark: red (u) and green (v) in 64ths of a pixel plus 2¹⁵, and blue is 1
// where the flow is known.
func (p *pictures) flow(l *labels) ([]byte, error) {
	encode := func(into []byte, x float32) {
		binary.BigEndian.PutUint16(into, uint16(max(0, min(65535, math.Floor(float64(x)*64+32768+0.5)))))
	}
	return p.encode(l.width, l.height, 16, 3, func(into []byte, y int) {
		from := l.truth.Flow[2*y*l.width : 2*(y+1)*l.width]
		for x := range l.width {
			u, v, to := from[2*x], from[2*x+1], into[6*x:6*x+6]
			if u != u {
				clear(to)
				continue
			}
			encode(to, u)
			encode(to[2:], v)
			to[4], to[5] = 0, 1
		}
	})
}

// write writes the files of an image, and adds their names to its frame.
func (x *shot) write(o *folder, p *pictures) error {
	c, f, l := x.scene.Config, &x.frame, x.eye.labels
	name := func(kind, suffix string) string { return fmt.Sprintf("%s/%s/%07d%s", kind, f.Part, f.Number, suffix) }
	f.File = name("images", ".png")
	if c.JPEG > 0 {
		f.File = name("images", ".jpg")
	}
	data, err := p.color(x.seen.Color, c.JPEG)
	if err == nil {
		err = o.write(f.File, data)
	}
	distance, depth := l.truth.Range, x.seen.Depth
	for _, file := range []struct {
		format Format
		kind   string
		writes bool
		encode func() ([]byte, error)
	}{
		// a device's measured distances along the optical axis
		{Depth, "measured", depth != nil, func() ([]byte, error) {
			return p.gray(depth.Width, depth.Height, func(i int) uint16 { return render.Millimetres(depth.Z[i]) })
		}},
		{Masks, "classes", true, func() ([]byte, error) { return p.classes(l, x.scene.things, x.eye.index) }},
		// the object number of each pixel, 0 for none
		{Masks, "instances", true, func() ([]byte, error) {
			return p.gray(l.width, l.height, x.instance)
		}},
		// distances along the optical axis in millimetres; 0 means nothing, or too far. With a mirror, there is no
		// depth along an axis, and the distances are those along the ray.
		{Depth, "depth", !x.eye.looksUp, func() ([]byte, error) {
			return p.gray(l.width, l.height, func(i int) uint16 { return render.Millimetres(x.depth(i, distance[i])) })
		}},
		{Depth, "range", x.eye.looksUp, func() ([]byte, error) {
			return p.gray(l.width, l.height, func(i int) uint16 { return render.Millimetres(distance[i]) })
		}},
		{Depth, "normals", true, func() ([]byte, error) { return p.normals(l) }},
		{Flow, "flow", true, func() ([]byte, error) { return p.flow(l) }},
	} {
		if err != nil {
			return err
		}
		if !file.writes || !c.writes(file.format) {
			continue
		}
		f.Beside = append(f.Beside, name(file.kind, ".png"))
		if data, err = file.encode(); err == nil {
			err = o.write(name(file.kind, ".png"), data)
		}
	}
	if err == nil && c.writes(YOLO) {
		f.Beside = append(f.Beside, name("labels", ".txt"))
		err = o.write(name("labels", ".txt"), yoloLines(f, o.categories))
	}
	return err
}

// yoloLines returns a line for each object of an image: its class, and the centre, width and height of its box as
// fractions of the image's size, from its left and upper edge.
func yoloLines(f *Frame, categories []Category) []byte {
	var out bytes.Buffer
	w, h := float64(f.Width), float64(f.Height)
	for i := range f.Objects {
		b := f.Objects[i].Box
		fmt.Fprintf(&out, "%d %.6f %.6f %.6f %.6f\n", categoryOf(f.Objects[i].Category, categories).ID-1,
			(float64(b[0])+float64(b[2])/2)/w, (float64(b[1])+float64(b[3])/2)/h, float64(b[2])/w, float64(b[3])/h)
	}
	return out.Bytes()
}

// categoryOf returns the category with the given name.
func categoryOf(name string, categories []Category) *Category {
	for i := range categories {
		if categories[i].Name == name {
			return &categories[i]
		}
	}
	return nil
}
