package recording

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
)

// picture turns images of ROS into compressed ones. Its memory is used again.
type picture struct {
	pixels []byte
	png    png.EncoderBuffer
	head   []byte
}

// jpegQuality is image_transport's.
const jpegQuality = 80

// imageMessage is what stands in a sensor_msgs/Image. Its slices are the message's.
type imageMessage struct {
	header              []byte // encoded
	height, width, step int
	encoding            string
	bigEndian           bool
	data                []byte
}

// parseImage splits a message. It fails where the message is none, and where the pixels are not those of its size.
func parseImage(b []byte) (m imageMessage, err error) {
	const fixed = 4 + 8 + 4 // seq, stamp and the length of frame_id
	rest, ok := b, true
	take := func(n int) (head []byte) {
		if ok = ok && n <= len(rest); ok {
			head, rest = rest[:n], rest[n:]
			return head
		}
		return make([]byte, 4)
	}
	take(fixed - 4)
	take(int(le.Uint32(take(4))))
	m.header = b[:len(b)-len(rest)]
	m.height, m.width = int(le.Uint32(take(4))), int(le.Uint32(take(4)))
	m.encoding = string(take(int(le.Uint32(take(4)))))
	m.bigEndian = take(1)[0] != 0
	m.step = int(le.Uint32(take(4)))
	m.data = take(int(le.Uint32(take(4))))
	if !ok || len(rest) > 0 {
		return m, fmt.Errorf("%d bytes: must be a %s", len(b), imageType)
	}
	if uint64(m.height)*uint64(m.step) != uint64(len(m.data)) || m.height == 0 || m.width == 0 {
		return m, fmt.Errorf("image of %d bytes: must be %d rows of %d", len(m.data), m.height, m.step)
	}
	return m, nil
}

// compress appends a sensor_msgs/CompressedImage. It fails where the image has an encoding that the format cannot hold, or is none.
func (p *picture) compress(out *bytes.Buffer, b []byte, f ImageFormat) error {
	m, err := parseImage(b)
	if err != nil {
		return err
	}
	img, colour, err := p.image(m, f)
	if err != nil {
		return err
	}
	if _, deep := img.(*image.Gray16); deep {
		f = PNGImages
	}
	// image_transport's: what the pixels were, and how a decoder that gives blue first finds them.
	format := m.encoding + "; " + string(f) + " compressed "
	if colour {
		format += "bgr8"
	}
	p.head = append(p.head[:0], m.header...)
	p.head = append(le.AppendUint32(p.head, uint32(len(format))), format...)
	out.Write(le.AppendUint32(p.head, 0))
	before := out.Len()
	if f == JPEGImages {
		err = jpeg.Encode(out, img, &jpeg.Options{Quality: jpegQuality})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: p}).Encode(out, img)
	}
	le.PutUint32(out.Bytes()[before-4:], uint32(out.Len()-before))
	return err
}

// Get and Put are png.EncoderBufferPool.
func (p *picture) Get() *png.EncoderBuffer  { return &p.png }
func (p *picture) Put(b *png.EncoderBuffer) {}

// image returns the pixels as Go's encoders take them, and whether they have colours.
func (p *picture) image(m imageMessage, f ImageFormat) (img image.Image, colour bool, err error) {
	bounds := image.Rect(0, 0, m.width, m.height)
	channels, order := 0, [4]int{0, 1, 2, -1}
	switch m.encoding {
	case "mono8", "8UC1":
		channels = 1
	case "mono16", "16UC1":
		return p.gray16(m, bounds)
	case "rgb8":
		channels = 3
	case "bgr8", "8UC3":
		channels, order = 3, [4]int{2, 1, 0, -1}
	case "rgba8":
		channels, order = 4, [4]int{0, 1, 2, 3}
	case "bgra8", "8UC4":
		channels, order = 4, [4]int{2, 1, 0, 3}
	default:
		if !strings.HasPrefix(m.encoding, "bayer_") || !strings.HasSuffix(m.encoding, "8") {
			return nil, false, fmt.Errorf("encoding = %.40q: must be one of 8 bits, or mono16 or 16UC1", m.encoding)
		}
		channels = 1
	}
	if m.step < m.width*channels {
		return nil, false, fmt.Errorf("step = %d: must be at least that of %d pixels of %s", m.step, m.width, m.encoding)
	}
	if channels == 1 {
		return &image.Gray{Pix: m.data, Stride: m.step, Rect: bounds}, false, nil
	}
	p.pixels = grown(p.pixels, 4*m.width*m.height)
	for y := range m.height {
		row, to := m.data[y*m.step:], p.pixels[4*y*m.width:]
		for x := range m.width {
			from, to := row[x*channels:x*channels+channels], to[4*x:4*x+4]
			to[0], to[1], to[2], to[3] = from[order[0]], from[order[1]], from[order[2]], 255
			if order[3] >= 0 {
				to[3] = from[order[3]]
			}
		}
	}
	if order[3] < 0 || f == JPEGImages { // which knows no transparency
		return &image.RGBA{Pix: p.pixels, Stride: 4 * m.width, Rect: bounds}, true, nil
	}
	return &image.NRGBA{Pix: p.pixels, Stride: 4 * m.width, Rect: bounds}, true, nil
}

// gray16 turns pixels of two bytes into Go's, which are big-endian.
func (p *picture) gray16(m imageMessage, bounds image.Rectangle) (image.Image, bool, error) {
	if m.step < 2*m.width {
		return nil, false, fmt.Errorf("step = %d: must be at least that of %d pixels of %s", m.step, m.width, m.encoding)
	}
	p.pixels = grown(p.pixels, 2*m.width*m.height)
	first, second := 1, 0
	if m.bigEndian {
		first, second = 0, 1
	}
	for y := range m.height {
		row, to := m.data[y*m.step:], p.pixels[2*y*m.width:]
		for x := 0; x < 2*m.width; x += 2 {
			to[x], to[x+1] = row[x+first], row[x+second]
		}
	}
	return &image.Gray16{Pix: p.pixels, Stride: 2 * m.width, Rect: bounds}, false, nil
}

// grown returns memory of n bytes, b's where it is large enough.
func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
