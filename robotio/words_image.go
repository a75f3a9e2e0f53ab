package robotio

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

// blob is what a word of bytes has made for the message under way, so that its length and its bytes are made once.
type blob struct {
	word string
	data []byte
	free func() // gives data back, once nobody sends it any more
}

// blob returns the bytes of a word, which build makes unless it has.
func (s *scene) blob(word string, build func() (data []byte, free func())) []byte {
	for i := range s.blobs {
		if s.blobs[i].word == word {
			return s.blobs[i].data
		}
	}
	data, free := build()
	s.blobs = append(s.blobs, blob{word, data, free})
	return data
}

// freeBlobs gives back all blobs from one on.
func (s *scene) freeBlobs(from int) {
	for i := from; i < len(s.blobs); i++ {
		s.blobs[i].free()
	}
}

// lensInfo is what CameraInfo tells.
type lensInfo struct {
	model         string
	d             []float64
	k             [9]float64
	p             [12]float64
	width, height int
	pinhole       optics.Pinhole // of a depth camera
}

// lensWords are a camera's lens and the size of its pictures.
func lensWords() *lexicon {
	l := newLexicon()
	l.plain("image.width", func(s *scene) float64 { return float64(s.about.width) })
	l.plain("image.height", func(s *scene) float64 { return float64(s.about.height) })
	for i := 1; i <= 16; i++ { // strides of pixels of one to 16 bytes
		l.plain("image.stride"+strconv.Itoa(i), func(s *scene) float64 { return float64(i * s.about.width) })
	}
	l.Texts["frame"] = func(s *scene) string { return s.cfg.Name + opticalSuffix }
	l.Texts["lens.model"] = func(s *scene) string { return s.about.model }
	l.Vectors["lens.d"] = vector{Len: func(s *scene) int { return len(s.about.d) }, At: func(s *scene, i int) float64 { return s.about.d[i] }}
	l.Vectors["lens.k"] = vector{Len: func(*scene) int { return 9 }, At: func(s *scene, i int) float64 { return s.about.k[i] }}
	l.Vectors["lens.p"] = vector{Len: func(*scene) int { return 12 }, At: func(s *scene, i int) float64 { return s.about.p[i] }}
	return l
}

// pictureWords are a camera's pictures.
func pictureWords(kind sensors.Kind) *lexicon {
	l := newLexicon()
	l.Blobs["color.rgb8"] = func(s *scene) []byte { // as it was drawn: not copied
		return s.blob("color.rgb8", func() ([]byte, func()) {
			s.o.Retain()
			return s.o.Color.Pix, s.o.Release
		})
	}
	l.blob("color.bgr8", func(s *scene, into []byte) []byte { return bgr(s.o.Color, into) })
	l.blob("color.jpeg", func(s *scene, into []byte) []byte { return compressed(s.o.Color, into, encodeJPEG) })
	l.blob("color.png", func(s *scene, into []byte) []byte { return compressed(s.o.Color, into, encodePNG) })
	if kind != sensors.KinectKind {
		return l
	}
	l.blob("depth.millimetres", func(s *scene, into []byte) []byte { return millimetres(s.o.Depth, into) })
	l.blob("depth.metres", func(s *scene, into []byte) []byte { return packFloats(s.o.Depth.Z, into) })
	l.blob("points.xyzrgb", func(s *scene, into []byte) []byte {
		return packPoints(render.Points(s.o.Depth, s.about.pinhole, nil), s.o.Color, into)
	})
	return l
}

// blob adds bytes that are made anew for each message, in memory that is used again.
func (l *lexicon) blob(name string, build func(s *scene, into []byte) []byte) {
	pool := &sync.Pool{New: func() any { return new([]byte) }}
	l.Blobs[name] = func(s *scene) []byte {
		return s.blob(name, func() ([]byte, func()) {
			buf := pool.Get().(*[]byte)
			*buf = build(s, (*buf)[:0])
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
