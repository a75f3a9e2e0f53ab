package zenoh

import "fmt"

// message reads a network message whose first byte has not been read.
func (r *reader) message() (m message) {
	header := r.byte()
	m.kind = kind(header & kindMask)
	switch m.kind {
	case kindPush:
		m.key = r.key(header&flagNamed != 0, header&flagSender != 0)
		r.messageExtensions(&m, header)
		m.body = r.sample(&m, r.byte())
	case kindRequest:
		m.id = r.uint32()
		m.key = r.key(header&flagNamed != 0, header&flagSender != 0)
		r.messageExtensions(&m, header)
		r.query(&m)
	case kindResponse:
		m.id = r.uint32()
		m.key = r.key(header&flagNamed != 0, header&flagSender != 0)
		r.messageExtensions(&m, header)
		r.reply(&m)
	case kindFinal:
		m.id = r.uint32()
		r.messageExtensions(&m, header)
	case kindInterest:
		m.id, m.modes = r.uint32(), header&(interestCurrent|interestFuture)
		if m.modes != 0 {
			m.options = r.byte()
			if m.options&interestRestricted != 0 {
				m.key = r.key(m.options&interestNamed != 0, m.options&interestSender != 0)
			}
		}
		r.messageExtensions(&m, header)
	case kindDeclare:
		if header&flagInterest != 0 {
			m.answers, m.to = true, r.uint32()
		}
		r.messageExtensions(&m, header)
		r.declaration(&m)
	case kindOAM: // routers tell each other about the network: not for a client
		_ = r.uint()
		r.skip(header)
		switch header & extKind {
		case extNumber:
			_ = r.uint()
		case extBytes:
			_ = r.bytes()
		}
	default:
		r.fail(fmt.Errorf("unknown message %#02x", header))
	}
	return m
}

// messageExtensions reads the extensions that come before the body of a message.
func (r *reader) messageExtensions(m *message, header byte) {
	for another := header&more != 0; another; {
		var e extension
		e, another = r.extension()
		switch {
		case e.id == 1:
			m.qos = byte(e.value) & 0x7f
		case e.id == 3: // the router from which the message comes, or who responds
		case e.id == 4 && m.kind == kindRequest:
			m.target = byte(min(e.value, 2))
		case e.id == 6 && m.kind == kindRequest:
			m.timeout = e.value
		default:
			r.unknown(e)
		}
	}
}

// sample reads the rest of a put or a deletion.
func (r *reader) sample(m *message, header byte) byte {
	body, attachment := header&kindMask, byte(3)
	switch body {
	case bodyPut:
	case bodyDel:
		m.del, attachment = true, 2
	default:
		r.fail(fmt.Errorf("body %#02x is no sample", header))
		return 0
	}
	if header&flagTime != 0 {
		m.time = r.uint()
		m.timeSource = r.bytes()
	}
	if !m.del && header&flagEncoding != 0 {
		r.encoding()
	}
	for another := header&more != 0; another; {
		var e extension
		e, another = r.extension()
		switch {
		case e.id == attachment && e.body != nil:
			m.attachment = e.body
		case e.id == 1 && e.body != nil:
			r.source(m, e.body)
		default:
			r.unknown(e)
		}
	}
	if !m.del {
		m.payload = r.bytes()
	}
	return body
}

func (r *reader) source(m *message, body []byte) {
	v := reader{b: body}
	for i, c := range v.take(uint64(v.byte()>>4) + 1) {
		m.source.session[len(m.source.session)-1-i] = c
	}
	m.source.entity, m.sequence = v.uint32(), v.uint32()
	if v.err != nil {
		r.fail(v.err)
	}
}

// encoding skips an encoding: ROS 2 does not use it.
func (r *reader) encoding() {
	if r.uint32()&1 != 0 {
		_ = r.bytes()
	}
}

func (r *reader) query(m *message) {
	header := r.byte()
	if m.body = header & kindMask; m.body != bodyQuery {
		r.fail(fmt.Errorf("body %#02x is no query", header))
		return
	}
	if header&flagMode != 0 {
		m.mode = byte(min(r.uint(), 3))
	}
	if header&flagParams != 0 {
		m.parameters = string(r.bytes())
	}
	for another := header&more != 0; another; {
		var e extension
		e, another = r.extension()
		switch {
		case e.id == 3 && e.body != nil:
			v := reader{b: e.body}
			v.encoding()
			m.hasPayload, m.payload = true, v.b
			if v.err != nil {
				r.fail(v.err)
			}
		case e.id == 5 && e.body != nil:
			m.attachment = e.body
		default:
			r.unknown(e)
		}
	}
}

func (r *reader) reply(m *message) {
	header := r.byte()
	switch m.body = header & kindMask; m.body {
	case bodyReply:
		if header&flagMode != 0 {
			_ = r.uint()
		}
		r.skip(header)
		r.sample(m, r.byte())
	case bodyErr:
		if header&flagEncoding != 0 {
			r.encoding()
		}
		r.skip(header)
		m.payload = r.bytes()
	default:
		r.fail(fmt.Errorf("body %#02x is no response", header))
	}
}

func (r *reader) declaration(m *message) {
	header := r.byte()
	m.declare = declaration(header & kindMask)
	switch d := m.declare; {
	case d == declareFinal:
		r.skip(header)
	case d > declareToken+1:
		r.fail(fmt.Errorf("unknown declaration %#02x", header))
	case d&1 == 0:
		m.id = r.uint32()
		m.key = r.key(header&flagNamed != 0, header&flagSender != 0 || d == declareKey)
		for another := header&more != 0; another; {
			var e extension
			e, another = r.extension()
			if d == declareQueryable && e.id == 1 {
				m.complete = e.value&1 != 0
			} else {
				r.unknown(e)
			}
		}
	default:
		m.id = r.uint32()
		for another := header&more != 0; another; {
			var e extension
			e, another = r.extension()
			if e.id != 0xf || len(e.body) == 0 {
				r.unknown(e)
				continue
			}
			k := reader{b: e.body[1:]}
			m.key = k.key(false, e.body[0]&2 != 0)
			if e.body[0]&1 != 0 && len(k.b) <= maxKey {
				m.key.text = string(k.b)
			}
			if k.err != nil {
				r.fail(k.err)
			}
		}
	}
}
