package recording

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // the formats of compressed images
	_ "image/png"
	"strings"
)

// IsImage says whether messages of a type are images.
func IsImage(typ string) bool { return typ == imageType || typ == compressedType }

// maxPixels bounds what a compressed image says of its size. A guess: twice the largest camera.
const maxPixels = 64 << 20

// DecodeImage returns the pixels of a message, of a type that IsImage names; they may be the message's. It fails where
// the message is none, and on encodings that PNG has not.
func DecodeImage(typ string, b []byte) (image.Image, error) {
	if typ == compressedType {
		return decodeCompressed(b)
	}
	m, err := parseImage(b)
	if err != nil {
		return nil, err
	}
	l, err := m.layout()
	if err != nil {
		return nil, err
	}
	bounds := image.Rect(0, 0, m.width, m.height)
	if l.depth > 8 {
		out := image.NewGray16(bounds)
		for y := range m.height {
			m.row(out.Pix[y*out.Stride:][:out.Stride], y, l)
		}
		return out, nil
	}
	return new(picture).image(&m, l), nil
}

func decodeCompressed(b []byte) (image.Image, error) {
	const stamp = 4 + 8 // seq and stamp
	rest, ok := b, len(b) >= stamp
	if ok {
		rest = rest[stamp:]
	}
	var data []byte
	for range 3 { // frame_id, format, data
		if ok = ok && len(rest) >= 4 && uint64(le.Uint32(rest)) <= uint64(len(rest)-4); ok {
			n := le.Uint32(rest)
			data, rest = rest[4:4+n], rest[4+n:]
		}
	}
	if !ok || len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes: must be a %s", len(b), compressedType)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("compressed image: %s: must be PNG or JPEG", strings.TrimPrefix(err.Error(), "image: "))
	}
	if size.Width <= 0 || size.Height <= 0 || size.Width > maxPixels/size.Height {
		return nil, fmt.Errorf("compressed image: %d × %d pixels: must be at most %d", size.Width, size.Height,
			maxPixels)
	}
	m, _, err := image.Decode(bytes.NewReader(data))
	return m, err
}
