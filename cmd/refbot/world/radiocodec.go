package world

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// The layout is little endian. Lengths are int16 in mm, speeds are int16 in mm/s, angles are int16 in 0.1 mrad, and
// times are uint16 in ms. Values out of range saturate.
//
//	 0  uint8   version, 1
//	 1  uint8   number of the sender
//	 2  uint8   role
//	 3  uint8   bits: 1 sender has the ball, 2 sender knows the ball, 4 the pass has been kicked
//	 4  int16×5 x, y, vx, vy, heading
//	14  uint16  reach
//	16  int16×2 target
//	20  int16×4 ball: x, y, vx, vy
//	28  uint16  age of the ball
//	30  uint8   receiver of the pass
//	31  int16×2 place of the pass
//	35  uint16  time until the pass
//	37  uint8   number of others, of 10 bytes each:
//	     0  uint8   bits: 1 an opponent
//	     1  uint8   number
//	     2  int16×4 x, y, vx, vy
const (
	radioVersion   = 1
	radioHeadSize  = 38
	radioOtherSize = 10
)

const (
	bitHolding = 1 << iota
	bitBall
	bitKicked
)

// Units of encoded values.
const (
	unitLength = 1e-3 // m and m/s
	unitAngle  = 1e-4 // rad
)

// Append appends the encoded message. It drops Others beyond MaxRadioOthers.
func (m *RadioMessage) Append(b []byte) []byte {
	bits := flag(m.Holding, bitHolding) | flag(m.Ball.Known, bitBall) | flag(m.Pass.Kicked, bitKicked)
	b = append(b, radioVersion, m.Number, m.Role, bits)
	b = appendVec(appendVec(b, m.Pos), m.Vel)
	b = appendInt(b, pitch.Wrap(m.Heading)/unitAngle)
	b = appendTime(b, m.Reach)
	b = appendVec(b, m.Target)
	b = appendVec(appendVec(b, m.Ball.Pos), m.Ball.Vel)
	b = appendTime(b, m.Ball.Age)
	b = appendVec(append(b, m.Pass.To), m.Pass.At)
	b = appendTime(b, m.Pass.In)
	others := m.Others[:min(len(m.Others), MaxRadioOthers)]
	b = append(b, uint8(len(others)))
	for i := range others {
		o := &others[i]
		b = appendVec(appendVec(append(b, flag(o.Opponent, 1), o.Number), o.Pos), o.Vel)
	}
	return b
}

// DecodeRadio decodes a message. It returns an error for bytes that Append cannot produce.
func DecodeRadio(b []byte) (*RadioMessage, error) {
	if len(b) < radioHeadSize {
		return nil, fmt.Errorf("radio: %d bytes: must be %d at least", len(b), radioHeadSize)
	}
	others := int(b[radioHeadSize-1])
	switch {
	case b[0] != radioVersion:
		return nil, fmt.Errorf("radio: version = %d: must be %d", b[0], radioVersion)
	case b[1] == 0:
		return nil, errors.New("radio: number = 0: must be that of a robot")
	case others > MaxRadioOthers || len(b) != radioHeadSize+others*radioOtherSize:
		return nil, fmt.Errorf("radio: %d bytes with %d others: must be %d, and at most %d others", len(b), others,
			radioHeadSize+others*radioOtherSize, MaxRadioOthers)
	}
	m := &RadioMessage{
		Number: b[1], Role: b[2], Holding: b[3]&bitHolding != 0,
		Pos: decodeVec(b[4:]), Vel: decodeVec(b[8:]), Heading: decodeNumber(b[12:]) * unitAngle,
		Reach:  decodeTime(b[14:]),
		Target: decodeVec(b[16:]),
		Ball: RadioBall{Known: b[3]&bitBall != 0, Pos: decodeVec(b[20:]), Vel: decodeVec(b[24:]),
			Age: decodeTime(b[28:])},
		Pass: RadioPass{To: b[30], At: decodeVec(b[31:]), In: decodeTime(b[35:]), Kicked: b[3]&bitKicked != 0},
	}
	for b = b[radioHeadSize:]; len(b) > 0; b = b[radioOtherSize:] {
		m.Others = append(m.Others, RadioOther{Opponent: b[0]&1 != 0, Number: b[1], Pos: decodeVec(b[2:]),
			Vel: decodeVec(b[6:])})
	}
	return m, nil
}

func flag(is bool, b uint8) uint8 {
	if is {
		return b
	}
	return 0
}

func appendVec(b []byte, v pitch.Vec) []byte {
	return appendInt(appendInt(b, v[0]/unitLength), v[1]/unitLength)
}

func appendInt(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint16(b, uint16(int16(max(math.MinInt16, min(math.MaxInt16, math.Round(v))))))
}

func appendTime(b []byte, d time.Duration) []byte {
	return binary.LittleEndian.AppendUint16(b, uint16(max(0, min(math.MaxUint16, d.Milliseconds()))))
}

func decodeVec(b []byte) pitch.Vec {
	return pitch.Vec{decodeNumber(b) * unitLength, decodeNumber(b[2:]) * unitLength}
}

func decodeNumber(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }

func decodeTime(b []byte) time.Duration {
	return time.Duration(binary.LittleEndian.Uint16(b)) * time.Millisecond
}

// RadioMessage is what a robot tells its teammates about itself and the world. It describes the time at which it is
// sent.
type RadioMessage struct {
	Number  uint8 // of the sender, from 1
	Role    uint8 // value of a soccer.Role
	Holding bool  // the sender has the ball
	Pos     pitch.Vec
	Vel     pitch.Vec
	Heading float64
	// time until the sender can reach the ball; NeverReaches if the sender cannot reach the ball or must not play it
	Reach  time.Duration
	Target pitch.Vec // where the sender drives
	Ball   RadioBall
	Pass   RadioPass
	Others []RadioOther // robots that the sender sees, except for teammates; at most MaxRadioOthers
}

// RadioBall is the ball as the sender knows it.
type RadioBall struct {
	Known    bool
	Pos, Vel pitch.Vec
	Age      time.Duration // since the ball was seen
}

// RadioPass is a pass that the sender intends or has kicked.
type RadioPass struct {
	To     uint8     // number of the receiver; 0 for no pass
	At     pitch.Vec // where the receiver gets the ball
	In     time.Duration
	Kicked bool
}

// RadioOther is a robot other than a teammate, or an obstacle of similar size.
type RadioOther struct {
	Opponent bool  // identified by its colour
	Number   uint8 // 0 if unknown
	Pos, Vel pitch.Vec
}

// NeverReaches is the value of Reach for a robot that does not play the ball.
const NeverReaches = 60 * time.Second

// MaxRadioOthers is the largest number of robots in a message. 10 is a guess: two teams have ten robots together.
const MaxRadioOthers = 10
