package zenoh

import "fmt"

// kind is the identifier of a network message, in the lowest five bits of its first byte.
type kind byte

const (
	kindInterest kind = 0x19
	kindFinal    kind = 0x1a // the last response
	kindResponse kind = 0x1b
	kindRequest  kind = 0x1c
	kindPush     kind = 0x1d
	kindDeclare  kind = 0x1e
	kindOAM      kind = 0x1f
)

const kindMask = 0x1f

// Flags of the first byte of messages.
const (
	flagNamed    = 1 << 5 // a key has text
	flagSender   = 1 << 6 // a key's number is the sender's
	flagInterest = 1 << 5 // a declaration answers an interest
	flagTime     = 1 << 5 // a sample has a timestamp
	flagEncoding = 1 << 6 // a sample has an encoding
	flagMode     = 1 << 5 // a query or reply has a consolidation mode
	flagParams   = 1 << 6 // a query has parameters
)

// Identifiers of the bodies of pushes, requests and responses.
const (
	bodyPut   = 1
	bodyDel   = 2
	bodyQuery = 3
	bodyReply = 4
	bodyErr   = 5
)

// declaration is the identifier of a declaration's body. The removal of an entity has the next number.
type declaration byte

const (
	declareKey        declaration = 0
	declareSubscriber declaration = 2
	declareQueryable  declaration = 4
	declareToken      declaration = 6
	declareFinal      declaration = 0x1a
)

// Options of an interest. The last three describe its key.
const (
	interestKeys        = 1 << 0
	interestSubscribers = 1 << 1
	interestQueryables  = 1 << 2
	interestTokens      = 1 << 3
	interestRestricted  = 1 << 4
	interestNamed       = 1 << 5
	interestSender      = 1 << 6
)

// Modes of an interest: entities that exist, and those that will exist.
const (
	interestCurrent = 1 << 5
	interestFuture  = 1 << 6
)

// key is a key expression on the wire: a number that one side has declared, followed by text.
type key struct {
	number uint16
	sender bool // the number is one of the sender's
	text   string
}

func (k key) flags() byte {
	f := byte(0)
	if k.text != "" {
		f |= flagNamed
	}
	if k.sender {
		f |= flagSender
	}
	return f
}

func (k key) append(b []byte) []byte {
	b = appendUint(b, uint64(k.number))
	if k.text != "" {
		b = appendBytes(b, k.text)
	}
	return b
}

func (r *reader) key(named, sender bool) key {
	k := key{sender: sender}
	n := r.uint()
	if n > 1<<16-1 {
		r.fail(fmt.Errorf("key has the number %d: must be below 65536", n))
	}
	k.number = uint16(n)
	if named {
		text := r.bytes()
		if len(text) > maxKey {
			r.fail(fmt.Errorf("key has %d bytes: must have up to %d", len(text), maxKey))
			return key{}
		}
		k.text = string(text)
	}
	return k
}

// message is a message of the network layer. Each kind has some of the fields. The payload and the attachment of a
// decoded message share the memory of its batch. Messages that are sent have the default encoding and no time.
type message struct {
	kind    kind
	id      uint32      // of a request, of its responses, of an interest or of a declared entity
	declare declaration // a declaration
	answers bool        // a declaration that answers an interest
	to      uint32      // that interest's id
	modes   byte        // an interest; 0 ends it
	options byte        // an interest
	key     key
	qos     byte // 0 is the default
	body    byte // a push, a request, or a response
	del     bool // a sample or a reply that deletes

	parameters string // a query
	target     byte   // a query
	timeout    uint64 // a query, in milliseconds
	mode       byte   // a query's consolidation
	complete   bool   // a queryable
	hasPayload bool   // a query
	payload    []byte
	attachment []byte // nil if there is none
	time       uint64 // since 1970 in units of 2^-32 s; 0 if unknown
	timeSource []byte
	source     source // of a sample; the zero value is unknown
	sequence   uint32 // of a sample of a source
}

// source is an entity that numbers its samples.
type source struct {
	session ID
	entity  uint32
}

func (m *message) append(b []byte) []byte {
	switch m.kind {
	case kindInterest:
		return m.appendInterest(b)
	case kindDeclare:
		return m.appendDeclare(b)
	case kindFinal:
		b = append(b, byte(m.kind)|m.extensionFlag())
		return m.appendQoS(appendUint(b, uint64(m.id)), false)
	}
	b = append(b, byte(m.kind)|m.key.flags()|m.extensionFlag())
	if m.kind != kindPush {
		b = appendUint(b, uint64(m.id))
	}
	b = m.key.append(b)
	b = m.appendQoS(b, m.kind == kindRequest)
	if m.kind == kindRequest {
		b = append(b, 4|extNumber|extMandatory|more, m.target)
		return m.appendQuery(appendUint(append(b, 6|extNumber), m.timeout))
	}
	if m.body == bodyErr {
		return appendBytes(append(b, bodyErr), m.payload)
	}
	if m.body == bodyReply {
		b = append(b, bodyReply)
	}
	return m.appendSample(b)
}

func (m *message) extensionFlag() byte {
	return withMore(0, m.qos != 0 || m.kind == kindRequest)
}

func withMore(header byte, another bool) byte {
	if another {
		header |= more
	}
	return header
}

func (m *message) appendQoS(b []byte, another bool) []byte {
	if m.qos == 0 {
		return b
	}
	return append(b, withMore(1|extNumber, another), m.qos&0x7f)
}

func (m *message) appendSample(b []byte) []byte {
	header, attachment := byte(bodyPut), byte(3)
	if m.del {
		header, attachment = bodyDel, 2
	}
	b = append(b, withMore(header, m.attachment != nil || m.source != source{}))
	if (m.source != source{}) {
		text := []byte{byte(len(m.source.session)-1) << 4}
		text = append(text, m.source.session.wire()...)
		text = appendUint(appendUint(text, uint64(m.source.entity)), uint64(m.sequence))
		b = appendBytes(append(b, withMore(1|extBytes, m.attachment != nil)), text)
	}
	if m.attachment != nil {
		b = appendBytes(append(b, attachment|extBytes), m.attachment)
	}
	if m.del {
		return b
	}
	return appendBytes(b, m.payload)
}

func (m *message) appendQuery(b []byte) []byte {
	header := withMore(bodyQuery, m.hasPayload || m.attachment != nil)
	if m.mode != 0 {
		header |= flagMode
	}
	if m.parameters != "" {
		header |= flagParams
	}
	b = append(b, header)
	if m.mode != 0 {
		b = append(b, m.mode)
	}
	if m.parameters != "" {
		b = appendBytes(b, m.parameters)
	}
	if m.hasPayload {
		b = appendUint(append(b, withMore(3|extBytes, m.attachment != nil)), uint64(1+len(m.payload)))
		b = append(append(b, 0), m.payload...) // 0 is the default encoding
	}
	if m.attachment != nil {
		b = appendBytes(append(b, 5|extBytes), m.attachment)
	}
	return b
}

func (m *message) appendInterest(b []byte) []byte {
	b = appendUint(append(b, byte(m.kind)|m.modes|m.extensionFlag()), uint64(m.id))
	if m.modes != 0 {
		options := m.options &^ (interestNamed | interestSender)
		if options&interestRestricted != 0 {
			options |= m.key.flags()
		}
		b = append(b, options)
		if options&interestRestricted != 0 {
			b = m.key.append(b)
		}
	}
	return m.appendQoS(b, false)
}

func (m *message) appendDeclare(b []byte) []byte {
	header := byte(m.kind) | m.extensionFlag()
	if m.answers {
		header |= flagInterest
	}
	b = append(b, header)
	if m.answers {
		b = appendUint(b, uint64(m.to))
	}
	b = m.appendQoS(b, false)
	switch d := m.declare; {
	case d == declareFinal:
		return append(b, byte(d))
	case d == declareKey:
		return m.key.append(appendUint(append(b, byte(d)|m.key.flags()&flagNamed), uint64(m.id)))
	case d&1 == 0:
		b = append(b, withMore(byte(d)|m.key.flags(), m.complete))
		b = m.key.append(appendUint(b, uint64(m.id)))
		if m.complete {
			b = append(b, 1|extNumber, 1)
		}
		return b
	case m.key == key{}:
		return appendUint(append(b, byte(d)), uint64(m.id))
	default: // the removal of an entity, with its key for those who don't know the id
		b = appendUint(append(b, byte(d)|more), uint64(m.id))
		text := append(appendUint([]byte{m.key.flags() >> 5}, uint64(m.key.number)), m.key.text...)
		return appendBytes(append(b, 0xf|extBytes|extMandatory), text)
	}
}
