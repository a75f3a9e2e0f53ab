package player

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// The functions below append values in XDR: big-endian, in units of four bytes. Smaller integers take four bytes.

func appendInt(b []byte, v int) []byte { return binary.BigEndian.AppendUint32(b, uint32(v)) }

func appendInts(b []byte, values ...int) []byte {
	for _, v := range values {
		b = appendInt(b, v)
	}
	return b
}

func appendFloat(b []byte, v float64) []byte {
	return binary.BigEndian.AppendUint32(b, math.Float32bits(float32(v)))
}

func appendDoubles(b []byte, values ...float64) []byte {
	for _, v := range values {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// appendCount appends the number of elements of an array. Player sends it twice: as a field of the message, and as the
// length of the array in XDR.
func appendCount(b []byte, n int) []byte { return appendInts(b, n, n) }

// appendText appends text as an array of bytes.
func appendText(b []byte, text string) []byte {
	b = append(appendCount(b, len(text)), text...)
	return append(b, padding[:pad(len(text))]...)
}

// padding fills an array of bytes up to a multiple of four bytes.
var padding [3]byte

func pad(n int) int { return -n & 3 }

// appendPlanar appends a pose in the plane: x, y and heading.
func appendPlanar(b []byte, p spatial.Pose) []byte {
	return appendDoubles(b, p.Pos[0], p.Pos[1], p.Heading())
}

// appendPose appends a pose in space: the position, and roll, pitch and yaw.
func appendPose(b []byte, p spatial.Pose) []byte {
	roll, pitch, yaw := p.RollPitchYaw()
	return appendDoubles(b, p.Pos[0], p.Pos[1], p.Pos[2], roll, pitch, yaw)
}

// geometry returns a reply with a pose on the robot, and the width, length and height of the device. Sensors have no
// size: it is 0.
func geometry(p spatial.Pose, size ...float64) []byte {
	return appendDoubles(appendPose(nil, p), append(size, 0, 0, 0)[:3]...)
}

var errMalformed = errors.New("the payload is too short, or contains invalid values")

// reader reads XDR values. After a failure, bad is true and all further values are zero.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) uint() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) int() int { return int(int32(r.uint())) }

func (r *reader) float() float64 { return r.finite(float64(math.Float32frombits(r.uint()))) }

func (r *reader) double() float64 {
	if b := r.take(8); b != nil {
		return r.finite(math.Float64frombits(binary.BigEndian.Uint64(b)))
	}
	return 0
}

func (r *reader) finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.bad = true
		return 0
	}
	return v
}

// bytes reads an array of bytes.
func (r *reader) bytes() []byte {
	n := r.uint()
	if r.uint() != n || int64(n) > int64(len(r.b)) {
		r.take(-1)
		return nil
	}
	out := r.take(int(n))
	r.take(pad(int(n)))
	return out
}

// text reads an array of bytes as text, up to the first zero byte.
func (r *reader) text() string {
	b := r.bytes()
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// err returns an error if a value could not be read.
func (r *reader) err() error {
	if r.bad {
		return errMalformed
	}
	return nil
}
