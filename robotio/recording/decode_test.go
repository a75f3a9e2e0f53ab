package recording

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// Images come out of messages with their pixels, whatever holds them; what is none, or says that it is huge, is
// refused.
func TestDecodeImage(t *testing.T) {
	text := func(s string) []byte { return append(le.AppendUint32(nil, uint32(len(s))), s...) }
	header := append(make([]byte, 12), text("camera")...)
	raw := func(height, width int, encoding string, bigEndian byte, step int, data ...byte) []byte {
		b := le.AppendUint32(le.AppendUint32(bytes.Clone(header), uint32(height)), uint32(width))
		b = append(append(b, text(encoding)...), bigEndian)
		return append(le.AppendUint32(b, uint32(step)), text(string(data))...)
	}
	compressed := func(data []byte) []byte {
		return append(append(bytes.Clone(header), text("bgr8; png")...), text(string(data))...)
	}
	picture := image.NewRGBA(image.Rect(0, 0, 3, 2))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	picture.SetRGBA(2, 1, color.RGBA{200, 100, 50, 255})
	var asPNG, asJPEG bytes.Buffer
	if err := png.Encode(&asPNG, picture); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, image.NewGray(image.Rect(0, 0, 9, 9)), nil); err != nil {
		t.Fatal(err)
	}
	bomb := bytes.Clone(asPNG.Bytes())
	copy(bomb[16:], "\x7f\xff\xff\xff\x7f\xff\xff\xff") // width and height; the check sum of that is not reached
	for _, c := range []struct {
		name, typ string
		data      []byte
		want      string // the size and the last pixel, or an error
	}{
		{"bgr8", imageType, raw(1, 2, "bgr8", 0, 8, 1, 2, 3, 4, 5, 6, 0, 0), "2×1 {6 5 4 255}"},
		{"mono8", imageType, raw(2, 1, "mono8", 0, 2, 1, 0, 7, 0), "1×2 {7}"},
		{"mono16", imageType, raw(1, 1, "mono16", 0, 2, 0x34, 0x12), "1×1 {4660}"},
		{"mono16, big endian", imageType, raw(1, 1, "mono16", 1, 2, 0x12, 0x34), "1×1 {4660}"},
		{"PNG", compressedType, compressed(asPNG.Bytes()), "3×2 {200 100 50 255}"},
		{"JPEG", compressedType, compressed(asJPEG.Bytes()), "9×9 {0}"},
		{"no encoding of PNG", imageType, raw(1, 1, "32FC1", 0, 4, 0, 0, 0, 0), `encoding = "32FC1": must be`},
		{"rows that are not there", imageType, raw(5, 1, "mono8", 0, 1, 1), "image of 1 bytes: must be 5 rows of 1"},
		{"no image", imageType, []byte("what"), "4 bytes: must be a sensor_msgs/Image"},
		{"no compressed image", compressedType, compressed(asPNG.Bytes())[:40],
			"40 bytes: must be a sensor_msgs/CompressedImage"},
		{"another format", compressedType, compressed([]byte("GIF89a")),
			"compressed image: unknown format: must be PNG or JPEG"},
		{"a cut PNG", compressedType, compressed(asPNG.Bytes()[:45]), "not enough pixel data"},
		{"a huge one", compressedType, compressed(bomb), "compressed image:"},
	} {
		m, err := DecodeImage(c.typ, c.data)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			b := m.Bounds()
			got = fmt.Sprintf("%d×%d %v", b.Dx(), b.Dy(), m.At(b.Max.X-1, b.Max.Y-1))
		}
		if got != c.want && !(err != nil && strings.Contains(got, c.want)) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
