package mapping

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"strconv"
	"sync"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// blob is what a quantity of bytes has made for the message under way. It is made once for its length and its bytes.
type blob struct {
	name string
	data []byte
	free func() // gives data back, once it has been sent
}

// blob returns the bytes of a quantity, which build makes unless it has.
func (c *Context) blob(name string, build func() (data []byte, free func())) []byte {
	for i := range c.blobs {
		if c.blobs[i].name == name {
			return c.blobs[i].data
		}
	}
	data, free := build()
	c.blobs = append(c.blobs, blob{name, data, free})
	return data
}

// Free gives back the blobs of a message that has been appended, but for its tail.
func (c *Context) Free() {
	for i := range c.blobs {
		if free := c.blobs[i].free; free != nil {
			free()
		}
	}
}

// lensQuantities are a camera's lens and the size of its images.
func lensQuantities() *quantities {
	q := newQuantities()
	q.plain("image.width", func(c *Context) float64 { return float64(c.lens.width) })
	q.plain("image.height", func(c *Context) float64 { return float64(c.lens.height) })
	for i := 1; i <= 16; i++ { // strides of pixels of one to 16 bytes
		q.plain("image.stride"+strconv.Itoa(i), func(c *Context) float64 { return float64(i * c.lens.width) })
	}
	q.Texts["frame"] = func(c *Context) string { return c.frame }
	q.Texts["lens.model"] = func(c *Context) string { return c.lens.model }
	q.Vectors["lens.d"] = vector{get: func(c *Context) []float64 { return c.lens.d }}
	q.Vectors["lens.k"] = vector{get: func(c *Context) []float64 { return c.lens.k[:] }}
	q.Vectors["lens.p"] = vector{get: func(c *Context) []float64 { return c.lens.p[:] }}
	return q
}

// imageQuantities are a camera's images.
func pictureQuantities(kind sensors.Kind) *quantities {
	q := newQuantities()
	q.Blobs["color.rgb8"] = func(c *Context) []byte { // as it was drawn: not copied
		return c.blob("color.rgb8", func() ([]byte, func()) {
			c.Observation.Retain()
			return c.Observation.Color.Pix, c.Observation.Release
		})
	}
	q.blob("color.marked_rgb8", (*Context).marked)
	q.Parts["color.marked_rgb8"] = sensors.OverlayBodies | sensors.OverlayLines
	q.blob("color.bgr8", func(c *Context, into []byte) []byte { return bgr(c.Observation.Color, into) })
	q.blob("color.jpeg", func(c *Context, into []byte) []byte {
		return compressed(c.Observation.Color, into,
			encodeJPEG)
	})
	q.blob("color.png", func(c *Context, into []byte) []byte {
		return compressed(c.Observation.Color, into,
			encodePNG)
	})
	if kind != sensors.KinectKind {
		return q
	}
	q.blob("depth.millimetres", func(c *Context, into []byte) []byte { return millimetres(c.Observation.Depth, into) })
	q.blob("depth.metres", func(c *Context, into []byte) []byte { return AppendFloats(c.Observation.Depth.Z, into) })
	q.blob("points.xyzrgb", func(c *Context, into []byte) []byte {
		return packPoints(render.Points(c.Observation.Depth, c.lens.pinhole, nil), c.Observation.Color, into)
	})
	return q
}

// blob adds bytes that are made for each message, in memory that is used again.
func (q *quantities) blob(name string, build func(c *Context, into []byte) []byte) {
	pool := &sync.Pool{New: func() any { return new([]byte) }}
	q.Blobs[name] = func(c *Context) []byte {
		return c.blob(name, func() ([]byte, func()) {
			buf := pool.Get().(*[]byte)
			*buf = build(c, (*buf)[:0])
			return *buf, func() { pool.Put(buf) }
		})
	}
}

// millimetres appends a depth image as little-endian uint16, 0 for what is unknown or too far for them.
func millimetres(d *render.Depth, into []byte) []byte {
	for _, z := range d.Z {
		mm := render.Millimetres(z)
		into = append(into, byte(mm), byte(mm>>8))
	}
	return into
}

// AppendFloats appends numbers as little-endian float32.
func AppendFloats(values []float32, into []byte) []byte {
	for _, x := range values {
		into = binary.LittleEndian.AppendUint32(into, math.Float32bits(x))
	}
	return into
}

// packPoints appends points and their colours, which are packed into the bits of a float as rviz and PCL expect.
func packPoints(points []mgl32.Vec3, color *render.Image, into []byte) []byte {
	for i, p := range points {
		for _, x := range p {
			into = binary.LittleEndian.AppendUint32(into, math.Float32bits(x))
		}
		c := color.Pix[3*i : 3*i+3]
		into = append(into, c[2], c[1], c[0], 0)
	}
	return into
}

// bgr appends an image with red and blue exchanged, as OpenCV has it.
func bgr(img *render.Image, into []byte) []byte {
	for p := img.Pix; len(p) >= 3; p = p[3:] {
		into = append(into, p[2], p[1], p[0])
	}
	return into
}

// jpegQuality is what compressed_image_transport begins with.
const jpegQuality = 80

func encodeJPEG(w *bytes.Buffer, img image.Image) error {
	return jpeg.Encode(w, img, &jpeg.Options{Quality: jpegQuality})
}

func encodePNG(w *bytes.Buffer, img image.Image) error {
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
}

// compressed appends an image as a file.
func compressed(img *render.Image, into []byte, encode func(*bytes.Buffer, image.Image) error) []byte {
	rgba := image.NewRGBA(image.Rect(0, 0, img.Width, img.Height))
	for i, k := 0, 0; i+3 <= len(img.Pix); i, k = i+3, k+4 {
		rgba.Pix[k], rgba.Pix[k+1], rgba.Pix[k+2], rgba.Pix[k+3] = img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255
	}
	w := bytes.NewBuffer(into)
	_ = encode(w, rgba) // a buffer takes everything, and no image is too large
	return w.Bytes()
}

// lens is what a CameraInfo says about a camera.
type lens struct {
	model         string
	d             []float64
	k             [9]float64
	p             [12]float64
	width, height int
	pinhole       optics.Pinhole // of a depth camera
}

// lensOf describes a camera as ROS does: see optics.Lens. A mirror gets no distortion model.
func lensOf(model optics.Model) lens {
	p, name, d := optics.Lens(model)
	return lens{
		width: p.Width, height: p.Height, model: name, d: d, pinhole: p,
		k: [9]float64{p.FX, 0, p.CX, 0, p.FY, p.CY, 0, 0, 1},
		p: [12]float64{p.FX, 0, p.CX, 0, 0, p.FY, p.CY, 0, 0, 0, 1, 0},
	}
}
