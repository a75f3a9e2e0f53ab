package gamecontroller

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Return is a packet from a robot to a GameController.
type Return struct {
	Version uint8 // 2 or 4
	Team    uint8 // number of the team
	Player  uint8 // number of the robot, from 1 to MaxPlayers
	Message Message

	// Version 4. PoseO is the robot's own estimate of its pose in its team's frame, whose origin O is the centre of the
	// field, with x towards the opponents' goal: x and y in m, heading in rad.
	Fallen  bool
	PoseO   [3]float64
	BallAge float64    // s since the robot last saw the ball; negative if it never has
	BallB   [2]float64 // the robot's estimate of the ball's position in its own frame, in m
}

// Message is what a packet of version 2 tells.
type Message uint8

// The messages. Robots of version 4 tell nothing but that they are alive.
const (
	Penalised   Message = iota // somebody has taken the robot out of the game, by its own button
	Unpenalised                // and has put it back
	Alive
)

// Sizes of return packets, in bytes.
const (
	sizeReturn2 = 8
	sizeReturn4 = 32
	maxReturn   = sizeReturn4
)

const headerReturn = "RGrt"

var messageCodes = table{Penalised: 0, Unpenalised: 1, Alive: 2}

// Append appends the packet to a slice. The version must be 2 or 4.
func (r *Return) Append(b []byte) []byte {
	b = append(b, headerReturn...)
	if r.Version == 2 {
		return append(b, 2, r.Team, r.Player, messageCodes.code(uint8(r.Message)))
	}
	fallen := uint8(0)
	if r.Fallen {
		fallen = 1
	}
	b = append(b, 4, r.Player, r.Team, fallen)
	for _, v := range []float64{r.PoseO[0] * 1000, r.PoseO[1] * 1000, r.PoseO[2], r.BallAge, r.BallB[0] * 1000,
		r.BallB[1] * 1000} {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return b
}

// Parse reads a packet. It fails if the packet is none, or has another size than its version, a robot's number outside
// 1 to MaxPlayers, an unknown code, or a number that is not finite. After an error, the Return has no meaning.
func (r *Return) Parse(b []byte) error {
	*r = Return{Message: Alive}
	if len(b) < sizeReturn2 || string(b[:4]) != headerReturn {
		return errors.New("not a robot's packet: must begin with " + headerReturn)
	}
	r.Version = b[4]
	size := returnSize(r.Version)
	switch {
	case size == 0:
		return fmt.Errorf("version = %d: must be 2 or 4", r.Version)
	case len(b) != size:
		return fmt.Errorf("version %d: size = %d: must be %d bytes", r.Version, len(b), size)
	case r.Version == 2:
		r.Team, r.Player = b[5], b[6]
		message, ok := messageCodes.value(b[7])
		if !ok {
			return fmt.Errorf("version 2: message = %d: must be 0, 1 or 2", b[7])
		}
		r.Message = Message(message)
	default:
		r.Player, r.Team, r.Fallen = b[5], b[6], b[7] == 1
		if b[7] > 1 {
			return fmt.Errorf("version 4: fallen = %d: must be 0 or 1", b[7])
		}
		for i, v := range [...]*float64{&r.PoseO[0], &r.PoseO[1], &r.PoseO[2], &r.BallAge, &r.BallB[0], &r.BallB[1]} {
			*v = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[8+4*i:])))
			if math.IsNaN(*v) || math.IsInf(*v, 0) {
				return fmt.Errorf("version 4: number %d of pose, ballAge and ball = %v: must be finite", i+1, *v)
			}
			if i != 2 && i != 3 { // lengths are in mm
				*v /= 1000
			}
		}
	}
	if r.Player < 1 || r.Player > MaxPlayers {
		return fmt.Errorf("version %d: robot's number = %d: must lie in [1, %d]", r.Version, r.Player, MaxPlayers)
	}
	return nil
}

// returnSize returns the size of a version's packets, in bytes; 0 for an unknown version.
func returnSize(version uint8) int {
	switch version {
	case 2:
		return sizeReturn2
	case 4:
		return sizeReturn4
	}
	return 0
}
