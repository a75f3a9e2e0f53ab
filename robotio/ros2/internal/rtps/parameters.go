package rtps

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"time"
)

// Ids of parameters. Source: RTPS 2.3, 9.6.3; the last two are Fast DDS's.
const (
	pidSentinel      = 0x0001
	pidLease         = 0x0002
	pidTopic         = 0x0005
	pidType          = 0x0007
	pidVersion       = 0x0015
	pidVendor        = 0x0016
	pidReliability   = 0x001a
	pidDurability    = 0x001d
	pidDeadline      = 0x0023
	pidLifespan      = 0x002b
	pidUserData      = 0x002c
	pidUnicast       = 0x002f // of an endpoint
	pidUserUnicast   = 0x0031
	pidMetaUnicast   = 0x0032
	pidMetaMulticast = 0x0033
	pidHistory       = 0x0040
	pidParticipant   = 0x0050
	pidBuiltin       = 0x0058
	pidEndpoint      = 0x005a
	pidKeyHash       = 0x0070
	pidStatus        = 0x0071
	pidRelated       = 0x0083 // related sample identity: Fast DDS from 2.10 on
	pidRelatedOld    = 0x800f // before, and up to 2.13 from any vendor
)

// Bounds of what peers announce; guesses far above what ROS 2 needs.
const (
	maxName     = 256 // topics and types have at most 255 characters
	maxUserData = 1024
	maxLocators = 16
	maxLease    = 5 * time.Minute // of a participant that says nothing
)

// begin adds the header of a parameter, whose size end sets when the value is there.
func (m *message) begin(id uint16) (start int) {
	m.u16(id)
	m.u16(0)
	return len(*m)
}

func (m *message) end(start int) {
	m.pad()
	binary.LittleEndian.PutUint16((*m)[start-2:], uint16(len(*m)-start))
}

func (m *message) param(id uint16, value ...byte) {
	start := m.begin(id)
	*m = append(*m, value...)
	m.end(start)
}

func (m *message) paramU32(id uint16, values ...uint32) {
	start := m.begin(id)
	for _, v := range values {
		m.u32(v)
	}
	m.end(start)
}

// paramBytes adds a length and bytes.
func (m *message) paramBytes(id uint16, s string) {
	start := m.begin(id)
	m.u32(uint32(len(s)))
	*m = append(*m, s...)
	m.end(start)
}

func (m *message) paramDuration(id uint16, d time.Duration) {
	start := m.begin(id)
	m.duration(int64(d/time.Second), int(d%time.Second))
	m.end(start)
}

// paramLocator adds an address: kind UDPv4, port, and the address in the last 4 of 16 bytes.
func (m *message) paramLocator(id uint16, a netip.AddrPort) {
	m.paramU32(id, 1, uint32(a.Port()), 0, 0, 0, binary.LittleEndian.Uint32(a.Addr().AsSlice()))
}

func (m *message) paramIdentity(id uint16, i Identity) {
	start := m.begin(id)
	*m = append(*m, i.GUID[:]...)
	m.seq(i.Seq)
	m.end(start)
}

func (m *message) sentinel() { m.u32(pidSentinel) }

// parameters calls do with each parameter of a list, and reports whether the list is well formed. The rest of the
// cursor is what follows the list.
func (c *cursor) parameters(do func(id uint16, value cursor) bool) bool {
	for !c.bad {
		id, size := c.u16(), int(c.u16())
		if id == pidSentinel {
			return !c.bad
		}
		value := c.take(size)
		if c.bad || size%4 != 0 || !do(id&^0x4000, cursor{b: value, big: c.big}) {
			return false
		}
	}
	return false
}

// encapsulated returns a cursor on the list of parameters in a payload.
func encapsulated(payload []byte) (cursor, bool) {
	if len(payload) < 4 || payload[0] != 0 || payload[1] != 2 && payload[1] != 3 {
		return cursor{}, false
	}
	return cursor{b: payload[4:], big: payload[1] == 2}, true
}

// bytes reads a length of at most limit, and as many bytes.
func (c *cursor) bytes(limit uint32) []byte {
	n := c.u32()
	c.bad = c.bad || n > limit
	return c.take(int(min(n, limit)))
}

// text reads a string of CDR, whose last byte is NUL.
func (c *cursor) text() string {
	v := c.bytes(maxName)
	c.bad = c.bad || bytes.IndexByte(v, 0) != len(v)-1
	return string(v[:max(len(v)-1, 0)])
}

// duration returns 0 for an infinite one.
func (c *cursor) duration() time.Duration {
	sec, fraction := int32(c.u32()), c.u32()
	if sec < 0 || sec == 0x7fffffff {
		return 0
	}
	return max(time.Duration(sec)*time.Second+time.Duration(uint64(fraction)*1_000_000_000>>32), 1)
}

// locators is a list of addresses.
type locators []netip.AddrPort

// add adds a locator if it is an address of IPv4.
func (l *locators) add(c *cursor) {
	kind, port := c.u32(), c.u32()
	c.take(12)
	addr := c.take(4)
	if !c.bad && kind == 1 && port > 0 && port < 1<<16 && len(*l) < maxLocators {
		*l = append(*l, netip.AddrPortFrom(netip.AddrFrom4([4]byte(addr)), uint16(port)))
	}
}

// announcement is what a participant says about itself.
type announcement struct {
	guid       GUID
	vendor     Vendor
	meta, user locators
	lease      time.Duration
	builtin    uint32
	userData   string
}

func parseAnnouncement(payload []byte) (a announcement, ok bool) {
	c, ok := encapsulated(payload)
	a.lease = 100 * time.Second // the standard's default
	return a, ok && c.parameters(func(id uint16, v cursor) bool {
		switch id {
		case pidParticipant:
			a.guid = v.guid()
		case pidVendor:
			copy(a.vendor[:], v.take(2))
		case pidMetaUnicast:
			a.meta.add(&v)
		case pidUserUnicast:
			a.user.add(&v)
		case pidLease:
			if a.lease = min(v.duration(), maxLease); a.lease == 0 {
				a.lease = maxLease
			}
		case pidBuiltin:
			a.builtin = v.u32()
		case pidUserData:
			a.userData = string(v.bytes(maxUserData))
		}
		return !v.bad
	}) && a.guid.entity() == participantEntity
}

// parseEndpoint reads what a participant says about a writer or reader. The address is the endpoint's own, if any.
func parseEndpoint(payload []byte) (e Endpoint, own locators, ok bool) {
	c, ok := encapsulated(payload)
	said := false // writers are reliable by default, readers are not
	ok = ok && c.parameters(func(id uint16, v cursor) bool {
		switch id {
		case pidEndpoint:
			e.GUID = v.guid()
		case pidTopic:
			e.Topic = v.text()
		case pidType:
			e.Type = v.text()
		case pidReliability:
			e.QoS.Reliable, said = v.u32() == 2, true
		case pidDurability:
			e.QoS.TransientLocal = v.u32() >= 1
		case pidDeadline:
			e.QoS.Deadline = v.duration()
		case pidLifespan:
			e.QoS.Lifespan = v.duration()
		case pidHistory:
			v.u32()
			e.QoS.Depth = int(min(v.u32(), maxDepth))
		case pidUserData:
			e.UserData = string(v.bytes(maxUserData))
		case pidUnicast:
			own.add(&v)
		}
		return !v.bad
	})
	e.Writer = isWriter(e.GUID.entity())
	e.QoS.Reliable = e.QoS.Reliable || !said && e.Writer
	return e, own, ok && e.Topic != "" && e.Type != ""
}

// inlineQoS is what the parameters in front of a payload say.
type inlineQoS struct {
	related  Identity
	key      GUID
	disposed bool
}

func (c *cursor) inlineQoS() (q inlineQoS) {
	ok := c.parameters(func(id uint16, v cursor) bool {
		switch id {
		case pidRelated, pidRelatedOld:
			q.related = Identity{v.guid(), v.seq()}
		case pidKeyHash:
			q.key = v.guid()
		case pidStatus:
			if flags := v.take(4); flags != nil {
				q.disposed = flags[3]&3 != 0
			}
		}
		return !v.bad
	})
	c.bad = c.bad || !ok
	return q
}

// keyOf returns the GUID of what the sample is about, which is perhaps only in a payload that is a key.
func (q *inlineQoS) keyOf(payload []byte) (g GUID) {
	if q.key != (GUID{}) {
		return q.key
	}
	if c, ok := encapsulated(payload); ok {
		c.parameters(func(id uint16, v cursor) bool {
			if id == pidEndpoint || id == pidParticipant {
				g = v.guid()
			}
			return !v.bad
		})
	}
	return g
}
