package rosbridge

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/png"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/ros1/dynamic"
	"github.com/omnipitch/omnipitch/robotio/web"
)

const jsonIndex = 0

// forms holds the encodings of a message by the compression that a client requests. Clients share an encoded message.
var forms = map[string]struct {
	index  int
	binary bool
	make   func(*web.Message) ([]byte, error)
}{
	"none":     {jsonIndex, false, jsonForm},
	"png":      {1, false, pngForm},
	"cbor":     {2, true, cborForm},
	"cbor-raw": {3, true, rawForm},
}

var errNoCodec = errors.New("its definition is too large to convert")

func jsonForm(m *web.Message) ([]byte, error) {
	if m.Codec == nil {
		return nil, errNoCodec
	}
	b := make([]byte, 0, len(m.Data)*3/2+256) // enough for an image in base64
	b = dynamic.AppendString(append(b, `{"op":"publish","topic":`...), m.Topic)
	b, err := m.Codec.AppendJSON(append(b, `,"msg":`...), m.Data)
	return append(b, '}'), err
}

// pngForm packs the JSON encoding into the pixels of a PNG, which browsers can decompress fast.
func pngForm(m *web.Message) ([]byte, error) {
	text, err := m.Form(jsonIndex, func() ([]byte, error) { return jsonForm(m) })
	if err != nil {
		return nil, err
	}
	b, err := packPNG(text)
	if err != nil {
		return nil, err
	}
	out := slices.Grow([]byte(`{"op":"png","data":"`), base64.StdEncoding.EncodedLen(len(b))+2)
	return append(base64.StdEncoding.AppendEncode(out, b), `"}`...), nil
}

// packPNG writes text into the RGB channels of an opaque, nearly square image and pads it
// with line feeds. Source: rosbridge_library, pngcompression.encode.
func packPNG(text []byte) ([]byte, error) {
	pixels := (len(text) + 2) / 3
	width := max(1, int(math.Sqrt(float64(len(text))/3)))
	height := max(1, (pixels+width-1)/width)
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		p := img.Pix[4*i : 4*i+4]
		p[0], p[1], p[2], p[3] = '\n', '\n', '\n', 255
		if 3*i < len(text) {
			copy(p[:3], text[3*i:])
		}
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	err := enc.Encode(&out, img)
	return out.Bytes(), err
}

func cborForm(m *web.Message) ([]byte, error) {
	if m.Codec == nil {
		return nil, errNoCodec
	}
	return m.Codec.AppendCBOR(cborHead(m, len(m.Data)*9/8+256), m.Data)
}

// rawForm returns the message in the encoding of ROS, with the time of its arrival.
func rawForm(m *web.Message) ([]byte, error) {
	b := dynamic.AppendCBORMap(cborHead(m, len(m.Data)+256), 3)
	t := web.WallTime(m.At)
	b = dynamic.AppendCBORUint(dynamic.AppendCBORText(b, "secs"), uint64(t.Sec))
	b = dynamic.AppendCBORUint(dynamic.AppendCBORText(b, "nsecs"), uint64(t.Nsec))
	return dynamic.AppendCBORBytes(dynamic.AppendCBORText(b, "bytes"), m.Data), nil
}

// cborHead returns the start of the CBOR message, up to the key msg, with a capacity of size bytes.
func cborHead(m *web.Message, size int) []byte {
	b := dynamic.AppendCBORMap(make([]byte, 0, size), 3)
	b = dynamic.AppendCBORText(dynamic.AppendCBORText(b, "op"), "publish")
	b = dynamic.AppendCBORText(dynamic.AppendCBORText(b, "topic"), m.Topic)
	return dynamic.AppendCBORText(b, "msg")
}
