package rtps

import (
	"encoding/binary"
	"encoding/hex"
)

// Prefix is the part of a GUID that names a participant.
type Prefix [12]byte

// Vendor names an implementation of RTPS.
type Vendor [2]byte

// The vendors that ROS 2 uses by default, and the number that this package uses, which nobody has registered.
var (
	FastDDS    = Vendor{1, 0x0f}
	CycloneDDS = Vendor{1, 0x10}
	ourVendor  = Vendor{1, 0x7e}
)

// GUID names a participant, a writer or a reader: a prefix and the number of the entity.
type GUID [16]byte

func newGUID(p Prefix, entity uint32) (g GUID) {
	copy(g[:], p[:])
	binary.BigEndian.PutUint32(g[12:], entity)
	return g
}

// Prefix returns the part that names the participant.
func (g GUID) Prefix() Prefix { return Prefix(g[:12]) }

func (g GUID) entity() uint32 { return binary.BigEndian.Uint32(g[12:]) }

// String returns the GUID in hexadecimal digits, with a dot between participant and entity.
func (g GUID) String() string { return hex.EncodeToString(g[:12]) + "." + hex.EncodeToString(g[12:]) }

// Numbers of entities. The last byte is the kind: 02 and 03 are writers with and without key, 07 and 04 readers; c0 is
// added for the entities that every participant has. Source: RTPS 2.3, 9.3.1.
const (
	anyEntity         uint32 = 0
	participantEntity uint32 = 0x000001c1
	spdpWriter        uint32 = 0x000100c2
	spdpReader        uint32 = 0x000100c7
	pubsWriter        uint32 = 0x000003c2 // announces a participant's writers
	pubsReader        uint32 = 0x000003c7
	subsWriter        uint32 = 0x000004c2 // announces a participant's readers
	subsReader        uint32 = 0x000004c7
	aliveWriter       uint32 = 0x000200c2 // says that a participant still exists
	aliveReader       uint32 = 0x000200c7

	writerKind uint32 = 0x03
	readerKind uint32 = 0x04
)

// isWriter reports whether an entity that a user has created is a writer.
func isWriter(entity uint32) bool { kind := entity & 0xff; return kind == 0x02 || kind == 0x03 }

// isReader reports whether an entity that a user has created is a reader.
func isReader(entity uint32) bool { kind := entity & 0xff; return kind == 0x04 || kind == 0x07 }

// Identity names a sample: its writer and its sequence number. A service's answer carries that of the request.
type Identity struct {
	GUID GUID
	Seq  int64
}

// UnknownSeq is the sequence number of an Identity that names only a GUID.
const UnknownSeq = int64(-1) << 32
