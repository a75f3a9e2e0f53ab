package recording

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"strings"

	"github.com/omnipitch/omnipitch/render/png"
)

// picture compresses ROS images. It uses the same memory for each image.
type picture struct {
	png    png.Writer
	pixels []byte // pixels of an image for JPEG
	head   []byte
}

// imageMessage is a decoded sensor_msgs/Image. Its slices point into the message.
type imageMessage struct {
	header              []byte // the encoded header
	height, width, step int
	encoding            string
	bigEndian           bool
	data                []byte
}

// parseImage decodes a message of ROS 1 or ROS 2. It returns an error if b is not an image, if it is big-endian, or if
// the number of pixels does not fit the size of the image.
func parseImage(b []byte, ros2 bool) (m imageMessage, err error) {
	rest, ok := b, true
	take := func(n int) (head []byte) {
		if ok = ok && n <= len(rest); ok {
			head, rest = rest[:n], rest[n:]
			return head
		}
		return make([]byte, 4)
	}
	number := func() int {
		if ros2 {
			take(padding(len(b) - len(rest)))
		}
		return int(le.Uint32(take(4)))
	}
	most := 0                    // bytes that may follow
	if first := number(); ros2 { // the encapsulation; in ROS 1, seq
		ok, most = ok && first&0xffff == 0x0100, 3
	}
	take(8) // stamp
	take(number())
	m.header = b[:len(b)-len(rest)]
	m.height, m.width = number(), number()
	m.encoding = string(take(number()))
	if ros2 {
		m.encoding = strings.TrimSuffix(m.encoding, "\x00")
	}
	m.bigEndian = take(1)[0] != 0
	m.step = number()
	m.data = take(number())
	if !ok || len(rest) > most {
		return m, fmt.Errorf("%d bytes: must be a %s", len(b), imageType)
	}
	if uint64(m.height)*uint64(m.step) != uint64(len(m.data)) || m.height == 0 || m.width == 0 {
		return m, fmt.Errorf("image of %d bytes: must be %d rows of %d", len(m.data), m.height, m.step)
	}
	return m, nil
}

// padding returns the number of bytes after n bytes up to a multiple of 4.
func padding(n int) int { return -n & 3 }

// layout says which byte of a pixel holds which channel.
type layout struct {
	// for each byte in PNG's order, its index in the ROS image; the order is red, green, blue, alpha, or high byte, low
	// byte
	order  []int
	depth  int // bits per channel
	colour bool
}

// layout returns the layout of the pixels of an image. It returns an error if PNG has no layout for the encoding of the
// image.
func (m *imageMessage) layout() (l layout, err error) {
	switch m.encoding {
	case "rgb8":
		l = layout{[]int{0, 1, 2}, 8, true}
	case "bgr8", "8UC3":
		l = layout{[]int{2, 1, 0}, 8, true}
	case "rgba8":
		l = layout{[]int{0, 1, 2, 3}, 8, true}
	case "bgra8", "8UC4":
		l = layout{[]int{2, 1, 0, 3}, 8, true}
	case "mono16", "16UC1":
		l = layout{[]int{1, 0}, 16, false}
		if m.bigEndian {
			l.order = []int{0, 1}
		}
	default:
		bayer := strings.HasPrefix(m.encoding, "bayer_") && strings.HasSuffix(m.encoding, "8")
		if !bayer && m.encoding != "mono8" && m.encoding != "8UC1" {
			return l, fmt.Errorf("encoding = %.40q: must be one of 8 bits, or mono16 or 16UC1", m.encoding)
		}
		l = layout{[]int{0}, 8, false}
	}
	if m.step < m.width*len(l.order) {
		return l, fmt.Errorf("step = %d: must be large enough for %d pixels of %s", m.step, m.width, m.encoding)
	}
	return l, nil
}

// row copies the row y of pixels to dst, with the bytes in PNG's order.
func (m *imageMessage) row(dst []byte, y int, l layout) {
	from, n := m.data[y*m.step:], len(l.order)
	if n == 1 {
		copy(dst, from[:m.width])
		return
	}
	for i, at := range l.order {
		for x := range m.width {
			dst[x*n+i] = from[x*n+at]
		}
	}
}

// compress appends a sensor_msgs/CompressedImage to out. It returns an error if b is not an image, or if PNG has no
// layout for the encoding of the image.
func (p *picture) compress(out *bytes.Buffer, b []byte, ros2 bool, f ImageFormat, quality int) error {
	m, err := parseImage(b, ros2)
	if err != nil {
		return err
	}
	l, err := m.layout()
	if err != nil {
		return err
	}
	if l.depth > 8 {
		f = PNGImages
	}
	// image_transport uses this form: the original encoding, and then the order of the channels, for decoders that put
	// blue first.
	format := m.encoding + "; " + string(f) + " compressed "
	if l.colour {
		format += "bgr8"
	}
	pad := func() {}
	if ros2 {
		format += "\x00"
		pad = func() { p.head = append(p.head, make([]byte, padding(len(p.head)))...) }
	}
	p.head = append(p.head[:0], m.header...)
	pad()
	p.head = append(le.AppendUint32(p.head, uint32(len(format))), format...)
	pad()
	out.Write(le.AppendUint32(p.head, 0))
	before := out.Len()
	if f == JPEGImages {
		err = jpeg.Encode(out, p.image(&m, l), &jpeg.Options{Quality: quality})
	} else {
		err = p.png.Append(out, png.Format{Width: m.width, Height: m.height, Bits: l.depth,
			Channels: 8 * len(l.order) / l.depth}, func(row []byte, y int) { m.row(row, y, l) })
	}
	le.PutUint32(out.Bytes()[before-4:], uint32(out.Len()-before))
	return err
}

// image returns an 8-bit image without transparency, as Go's JPEG encoder needs it.
func (p *picture) image(m *imageMessage, l layout) image.Image {
	bounds := image.Rect(0, 0, m.width, m.height)
	if !l.colour {
		return &image.Gray{Pix: m.data, Stride: m.step, Rect: bounds}
	}
	p.pixels = grown(p.pixels, 4*m.width*m.height)
	n := len(l.order)
	for y := range m.height {
		from, to := m.data[y*m.step:], p.pixels[4*y*m.width:]
		for x := range m.width {
			pixel, to := from[x*n:x*n+n], to[4*x:4*x+4]
			to[0], to[1], to[2], to[3] = pixel[l.order[0]], pixel[l.order[1]], pixel[l.order[2]], 255
		}
	}
	return &image.RGBA{Pix: p.pixels, Stride: 4 * m.width, Rect: bounds}
}

// grown returns a slice of n bytes. It uses the memory of b if b is large enough.
func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
