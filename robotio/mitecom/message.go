// Package mitecom encodes and decodes messages of the Mixed Team Communication protocol, by which robots of the
// Humanoid League tell their teammates what they know. A message is a UDP datagram, little-endian: a header with team
// and robot, and numbers with keys.
//
//	m := mitecom.Message{Team: 4, Robot: 2}
//	m.Set(mitecom.X, 1500)
//	datagram := m.Append(nil)
//
//	m, err := mitecom.Parse(datagram)
//	x, known := m.Get(mitecom.X)
//
// Lengths are in mm and angles in degrees, in the team's field frame with x towards the opponents' goal, or in the
// robot's own. Source: fumanoids/mitecom, mitecom-data.h and mitecom-handler.cpp, version 1.
package mitecom

import (
	"encoding/binary"
	"fmt"
)

// Message is what a robot tells its teammates.
type Message struct {
	Flags       uint32
	Team, Robot uint16 // numbers
	Values      []Value
}

// Value is a number with the key that gives its meaning.
type Value struct {
	Key   Key
	Value int32
}

// Key is the meaning of a number. Keys from UserDefined on belong to a team.
type Key uint32

// Keys.
const (
	Role   Key = iota // 0 idling, 1 other, 2 striker, 3 supporter, 4 defender, 5 goalie
	Action            // 0 undefined, 1 positioning, 2 going to the ball, 3 trying to score, 4 waiting
	State             // 0 inactive, 1 active, 2 penalized
)

const (
	X       Key = 0x10000 + iota // of the robot on the field, mm
	Y                            // likewise
	Heading                      // degrees
	Belief                       // in the position, from 0 to 255
	BallX                        // in the robot's frame, mm
	BallY                        // likewise
	// keys of the extended protocol of 2017, as are those of Side, goal and robots
	BallBelief
	GoalX      // of the opponents, in the robot's frame
	GoalY      // likewise
	GoalBelief // likewise
	// RivalX, RivalX+1 and RivalX+2 are the position on the field and the belief of the first of four opponents;
	// further ones follow. MateX is the same for three teammates.
	RivalX
	MateX = RivalX + 3*Rivals
)

// Numbers of robots in a message.
const (
	Rivals = 4
	Mates  = 3
)

const (
	Speed     Key = 0x20001 + iota // of walking, cm/s
	BallTime                       // until the robot is at the ball, s
	KickRange                      // largest distance of a kick; its unit is not documented, and cm here
)

const (
	Side        Key = 0x30001 // on which the team attacks: 0 unspecified, 1 left, 2 middle, 3 right
	UserDefined Key = 0x10000000
)

// Sizes in bytes, and the header's constants.
const (
	sizeHeader = 16
	sizeValue  = 8
	magic      = 'M'<<24 | 'X'<<16 | 'T'<<8 | 'C'
	version    = 1
)

// Append appends the message to a slice. Values beyond the first 65,535 are left out.
func (m *Message) Append(b []byte) []byte {
	values := m.Values[:min(len(m.Values), 1<<16-1)]
	b = binary.LittleEndian.AppendUint32(b, magic)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(values)))
	b = binary.LittleEndian.AppendUint32(b, m.Flags)
	b = binary.LittleEndian.AppendUint16(b, m.Team)
	b = binary.LittleEndian.AppendUint16(b, m.Robot)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v.Key))
		b = binary.LittleEndian.AppendUint32(b, uint32(v.Value))
	}
	return b
}

// Parse decodes a datagram. It fails for one that is no message, has another version, or another length than its number
// of values demands.
func Parse(b []byte) (m Message, err error) {
	le := binary.LittleEndian
	if len(b) < sizeHeader || le.Uint32(b) != magic {
		return m, fmt.Errorf("a datagram of %d bytes: must begin with the header of Mitecom", len(b))
	}
	if v := le.Uint16(b[4:]); v != version {
		return m, fmt.Errorf("version %d of Mitecom: must be %d", v, version)
	}
	n := int(le.Uint16(b[6:]))
	if want := sizeHeader + n*sizeValue; len(b) != want {
		return m, fmt.Errorf("a message of Mitecom with %d values has %d bytes: must have %d", n, len(b), want)
	}
	m = Message{Flags: le.Uint32(b[8:]), Team: le.Uint16(b[12:]), Robot: le.Uint16(b[14:])}
	for b = b[sizeHeader:]; len(b) > 0; b = b[sizeValue:] {
		m.Values = append(m.Values, Value{Key(le.Uint32(b)), int32(le.Uint32(b[4:]))})
	}
	return m, nil
}

// Get returns the number with a key. Of several, the last counts. The bool result is false if there is none.
func (m *Message) Get(key Key) (int32, bool) {
	for i := len(m.Values) - 1; i >= 0; i-- {
		if m.Values[i].Key == key {
			return m.Values[i].Value, true
		}
	}
	return 0, false
}

// Set appends a number.
func (m *Message) Set(key Key, value int32) { m.Values = append(m.Values, Value{key, value}) }
