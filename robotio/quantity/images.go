package quantity

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"strconv"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// lensQuantities returns the quantities of a camera's intrinsics and of the size of its images.
func lensQuantities() *Set {
	q := NewSet()
	q.plain("image.width", func(c *Context) float64 { return float64(c.lens.width) })
	q.plain("image.height", func(c *Context) float64 { return float64(c.lens.height) })
	for i := 1; i <= 16; i++ { // row strides for pixels of 1 to 16 bytes
		q.plain("image.stride"+strconv.Itoa(i), func(c *Context) float64 { return float64(i * c.lens.width) })
	}
	q.Texts["frame"] = func(c *Context) string { return c.frame }
	q.pose("camera.", func(c *Context) spatial.Pose { // on the robot, in axes that point forward, left and up
		return c.Observation.PoseBC.Mul(spatial.BodyToOptical().Inverse())
	})
	q.Texts["lens.model"] = func(c *Context) string { return c.lens.model }
	q.Vectors["lens.d"] = Vector{Get: func(c *Context) []float64 { return c.lens.d }}
	q.Vectors["lens.k"] = Vector{Get: func(c *Context) []float64 { return c.lens.k[:] }}
	q.Vectors["lens.p"] = Vector{Get: func(c *Context) []float64 { return c.lens.p[:] }}
	q.Vectors["lens.p_right"] = Vector{Get: func(c *Context) []float64 { return c.lens.right[:] }}
	return q
}

// imageQuantities returns the quantities of a camera's images.
func imageQuantities(kind sensors.Kind) *Set {
	q := NewSet()
	q.Blobs["color.rgb8"] = func(c *Context) []byte { // the image itself, not a copy
		return c.Blob("color.rgb8", func() ([]byte, func()) {
			c.Observation.Retain()
			return c.Observation.Color.Pix, c.Observation.Release
		})
	}
	q.blob("color.marked_rgb8", (*Context).marked)
	q.Needs["color.marked_rgb8"] = Needs{sensors.OverlayBodies | sensors.OverlayLines, true, true}
	q.blob("color.bgr8", func(c *Context, into []byte) []byte { return bgr(c.Observation.Color, into) })
	q.blob("color.jpeg", func(c *Context, into []byte) []byte {
		return compressed(c.Observation.Color, into, encodeJPEG)
	})
	q.blob("color.png", func(c *Context, into []byte) []byte {
		return compressed(c.Observation.Color, into, encodePNG)
	})
	switch kind {
	case sensors.StereoKind:
		stereoQuantities(q)
	case sensors.KinectKind:
	default:
		return q
	}
	q.blob("depth.millimetres", func(c *Context, into []byte) []byte { return millimetres(c.Observation.Depth, into) })
	q.blob("depth.metres", func(c *Context, into []byte) []byte { return AppendFloats(c.Observation.Depth.Z, into) })
	q.blob("points.xyzrgb", func(c *Context, into []byte) []byte {
		return packPoints(render.Points(c.Observation.Depth, c.lens.pinhole, nil), c.Observation.Color, into)
	})
	return q
}

// stereoQuantities adds the quantities of a stereo pair's right image, and of its disparities.
func stereoQuantities(q *Set) {
	q.Blobs["right.rgb8"] = func(c *Context) []byte {
		return c.Blob("right.rgb8", func() ([]byte, func()) {
			c.Observation.Retain()
			return c.Observation.Right.Pix, c.Observation.Release
		})
	}
	q.blob("right.jpeg", func(c *Context, into []byte) []byte {
		return compressed(c.Observation.Right, into, encodeJPEG)
	})
	q.plain("stereo.focal", func(c *Context) float64 { return c.camera.Stereo().Focal })
	q.plain("stereo.baseline", func(c *Context) float64 { return c.camera.Stereo().Baseline })
	q.plain("stereo.least_disparity", func(c *Context) float64 {
		return c.camera.Stereo().Disparity(c.camera.Stereo().Max)
	})
	q.plain("stereo.largest_disparity", func(c *Context) float64 {
		return c.camera.Stereo().Disparity(c.camera.Stereo().Min)
	})
	q.blob("disparity.pixels", func(c *Context, into []byte) []byte {
		s := c.camera.Stereo()
		for _, z := range c.Observation.Depth.Z {
			d := float32(-1)
			if z > 0 && !math.IsInf(float64(z), 1) {
				d = float32(s.Disparity(float64(z)))
			}
			into = binary.LittleEndian.AppendUint32(into, math.Float32bits(d))
		}
		return into
	})
}

// millimetres appends a depth image as little-endian uint16, in mm. A depth that is unknown or above 65.535 m becomes
// 0.
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

// packPoints appends points, each with its colour. The colour is packed into the bits of a float32, as rviz and PCL
// expect.
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

// bgr appends an image in OpenCV's order of channels: red and blue are swapped.
func bgr(img *render.Image, into []byte) []byte {
	for p := img.Pix; len(p) >= 3; p = p[3:] {
		into = append(into, p[2], p[1], p[0])
	}
	return into
}

// jpegQuality is the default quality of the ROS package compressed_image_transport.
const jpegQuality = 80

func encodeJPEG(w *bytes.Buffer, img image.Image) error {
	return jpeg.Encode(w, img, &jpeg.Options{Quality: jpegQuality})
}

func encodePNG(w *bytes.Buffer, img image.Image) error {
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
}

// compressed appends an image that the function encode has encoded.
func compressed(img *render.Image, into []byte, encode func(*bytes.Buffer, image.Image) error) []byte {
	rgba := image.NewRGBA(image.Rect(0, 0, img.Width, img.Height))
	for i, k := 0, 0; i+3 <= len(img.Pix); i, k = i+3, k+4 {
		rgba.Pix[k], rgba.Pix[k+1], rgba.Pix[k+2], rgba.Pix[k+3] = img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255
	}
	w := bytes.NewBuffer(into)
	_ = encode(w, rgba) // cannot fail: a buffer has no write errors, and no image is too large
	return w.Bytes()
}

// lens holds the fields of a sensor_msgs/CameraInfo.
type lens struct {
	model         string
	d             []float64
	k             [9]float64
	p             [12]float64
	right         [12]float64 // p of the right camera of a stereo pair
	width, height int
	pinhole       optics.Pinhole // used by a depth camera
}

// lensOf returns the CameraInfo fields for a camera with the given optics, see optics.Lens. A camera with a mirror has
// no distortion model.
func lensOf(model optics.Model) lens {
	p, name, d := optics.Lens(model)
	return lens{
		width: p.Width, height: p.Height, model: name, d: d, pinhole: p,
		k: [9]float64{p.FX, 0, p.CX, 0, p.FY, p.CY, 0, 0, 1},
		p: [12]float64{p.FX, 0, p.CX, 0, 0, p.FY, p.CY, 0, 0, 0, 1, 0},
	}
}
