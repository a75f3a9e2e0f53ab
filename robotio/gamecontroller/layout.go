package gamecontroller

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Headers of control packets, for robots and for monitors.
const (
	headerRobots   = "RGme"
	headerMonitors = "RGTD"
)

// MaxControl is the size of the largest control packet, in bytes.
const MaxControl = 688

// Size returns the size of the version's control packets, in bytes. It is 0 for an unknown version.
func (v Version) Size() int {
	switch v {
	case Humanoid12:
		return MaxControl
	case Standard18:
		return 118
	case Soccer19:
		return 198
	case Soccer20:
		return 158
	}
	return 0
}

// Append appends the packet to a slice. The version must be a known one. Values that the version lacks are written as
// similar ones.
func (c *Control) Append(b []byte) []byte {
	at := len(b)
	b = append(b, make([]byte, c.Version.Size())...)
	w := walk{b: b[at:], write: true}
	header := headerRobots
	if c.True {
		header = headerMonitors
	}
	copy(w.b, header)
	w.at = len(header)
	version := uint8(c.Version)
	w.u8(&version)
	c.fields(&w)
	return b
}

// Parse reads a packet. It fails if the packet is none, has an unknown version or another size than that version's, or
// has a code that the version does not define. A packet's Control is written in place, without allocation; after an
// error it has no meaning.
func (c *Control) Parse(b []byte) error {
	*c = Control{}
	if len(b) < 6 || string(b[:4]) != headerRobots && string(b[:4]) != headerMonitors {
		return errors.New("not a control packet: must begin with " + headerRobots)
	}
	c.Version, c.True = Version(b[4]), string(b[:4]) == headerMonitors
	if size := c.Version.Size(); size == 0 {
		return fmt.Errorf("version = %d: must be 12, 18, 19 or 20", c.Version)
	} else if len(b) != size {
		return fmt.Errorf("version %d: size = %d: must be %d bytes", c.Version, len(b), size)
	}
	w := walk{b: b, at: 5}
	c.fields(&w)
	if w.bad != "" {
		return fmt.Errorf("version %d: %s = %d, at byte %d: no such code", c.Version, w.bad, b[w.badAt], w.badAt)
	}
	return nil
}

// walk goes through the fields of a packet, to write or to read them. So both share one description of the layout. The
// packet has room for all fields.
type walk struct {
	b     []byte
	at    int
	write bool
	bad   string // name of the first field with an unknown code; empty if there is none
	badAt int
}

func (w *walk) u8(v *uint8) {
	if w.write {
		w.b[w.at] = *v
	} else {
		*v = w.b[w.at]
	}
	w.at++
}

func (w *walk) u16(v *uint16) {
	if w.write {
		binary.LittleEndian.PutUint16(w.b[w.at:], *v)
	} else {
		*v = binary.LittleEndian.Uint16(w.b[w.at:])
	}
	w.at += 2
}

func (w *walk) i16(v *int16) {
	u := uint16(*v)
	w.u16(&u)
	*v = int16(u)
}

// skip leaves out bytes that have no meaning here. They are written as 0.
func (w *walk) skip(bytes int) { w.at += bytes }

func (w *walk) flag(name string, v *bool) {
	var u uint8
	if *v {
		u = 1
	}
	coded(w, name, &u, flagCodes)
	*v = u == 1
}

// coded goes through a field that holds a code.
func coded[T ~uint8](w *walk, name string, v *T, codes table) {
	code := codes.code(uint8(*v))
	w.u8(&code)
	if w.write {
		return
	}
	value, ok := codes.value(code)
	if !ok && w.bad == "" {
		w.bad, w.badAt = name, w.at-1
	}
	*v = T(value)
}

// fields goes through all fields behind the version's first byte. Sources: RoboCupGameControlData.h of each version.
func (c *Control) fields(w *walk) {
	if c.Version == Humanoid12 {
		c.fields12(w)
		return
	}
	w.u8(&c.Packet)
	w.u8(&c.Players)
	if c.Version == Standard18 {
		w.flag("competitionPhase", &c.Playoff)
		w.u8(&c.Competition)
	} else {
		w.u8(&c.Competition)
		w.flag("stopped", &c.Stopped)
	}
	coded(w, "gamePhase", &c.Phase, phaseCodes)
	coded(w, "state", &c.State, c.Version.states())
	coded(w, "setPlay", &c.SetPlay, c.Version.setPlays())
	w.flag("firstHalf", &c.FirstHalf)
	w.u8(&c.Kicking)
	w.i16(&c.Left)
	w.i16(&c.Secondary)
	penalties := c.Version.penaltyCodes()
	for i := range c.Teams {
		t := &c.Teams[i]
		w.u8(&t.Number)
		coded(w, "fieldPlayerColour", &t.Colour, colourCodes)
		coded(w, "goalkeeperColour", &t.KeeperColour, colourCodes)
		w.u8(&t.Keeper)
		w.u8(&t.Score)
		w.u8(&t.PenaltyShot)
		w.u16(&t.SingleShots)
		w.u16(&t.Budget)
		for k := range t.Robots {
			r := &t.Robots[k]
			coded(w, "penalty", &r.Penalty, penalties)
			w.u8(&r.Left)
			if c.Version == Soccer19 {
				w.u8(&r.Warnings)
			}
			if c.Version != Standard18 {
				w.u8(&r.Cautions)
			}
		}
	}
}

// Parts of a packet of version 12, in bytes: the number of a coach's message and the message, which no game uses any
// more, and the standing of the coach.
const (
	coachMessage12 = 1 + 253
	coach12        = 6
	players12      = 11
)

// fields12 goes through the fields of version 12, whose version takes two bytes. One field holds both the phase and the
// set play, so a set play hides the phase.
func (c *Control) fields12(w *walk) {
	var high uint8
	coded(w, "version's high byte", &high, table{0})
	w.u8(&c.Packet)
	w.u8(&c.Players)
	w.u8(&c.Competition)
	coded(w, "state", &c.State, stateCodes)
	w.flag("firstHalf", &c.FirstHalf)
	kicks := c.SetPlay == NoSetPlay
	kickOff, performing := c.Kicking, c.Kicking
	if w.write && !kicks {
		kickOff = NoTeam
	}
	w.u8(&kickOff)
	if secondary := w.b[w.at]; !w.write && secondary <= 3 || w.write && kicks {
		coded(w, "secondaryState", &c.Phase, phaseCodes)
	} else {
		coded(w, "secondaryState", &c.SetPlay, setPlayCodes12)
	}
	kicks = c.SetPlay == NoSetPlay
	if w.write && kicks {
		performing = 0
	}
	w.u8(&performing)
	coded(w, "secondaryStateInfo", &c.Step, stepCodes)
	w.skip(2)
	if c.Kicking = performing; kicks {
		c.Kicking = kickOff
	}
	w.u8(&c.DropInTeam)
	w.u16(&c.DropIn)
	w.i16(&c.Left)
	w.i16(&c.Secondary)
	for i := range c.Teams {
		t := &c.Teams[i]
		w.u8(&t.Number)
		coded(w, "teamColour", &t.Colour, colourCodes)
		w.u8(&t.Score)
		w.u8(&t.PenaltyShot)
		w.u16(&t.SingleShots)
		w.skip(coachMessage12 + coach12)
		for k := range t.Robots[:players12] {
			r := &t.Robots[k]
			coded(w, "penalty", &r.Penalty, penaltyCodes12)
			w.u8(&r.Left)
			w.u8(&r.Warnings)
			w.u8(&r.Cautions)
			w.u8(&r.Red)
			w.u8(&r.Keeper)
		}
	}
}
