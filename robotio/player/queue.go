package player

import "sync"

// Limits of a client's queue. The number of messages is that of Player's server; the others are guesses.
const (
	maxQueued      = 1024
	maxQueuedBytes = 16 << 20
	maxReplies     = 256 // a client that reads none of so many replies is closed
	maxRules       = 64
)

// Subtypes of synch messages.
const (
	synchOK       = 1
	synchOverflow = 2
)

// rule says what becomes of a new message in the queue. −1 matches anything.
type rule struct {
	interf, index, typ, subtype int
	does                        int // accept, replace or ignore
}

const (
	acceptNew = iota
	replaceOlder
	ignoreNew
)

func (r *rule) matches(h *header) bool {
	return (r.interf == -1 || r.interf == int(h.interf)) && (r.index == -1 || r.index == int(h.index)) &&
		(r.typ == -1 || r.typ == int(h.typ)) && (r.subtype == -1 || r.subtype == int(h.subtype))
}

// queue holds the messages that wait for a client. Replies leave it first. In pull mode, data leave it only after the
// client has asked for them: what is queued then, or the next data if nothing is. A synch message ends them.
type queue struct {
	wake chan struct{} // receives a value after each change

	mu      sync.Mutex
	replies []*message
	data    []*message
	bytes   int // size of data
	closed  bool
	rules   []rule
	dropped int // data dropped since the last synch message

	pull      bool
	asked     bool // the client has asked for data, and no synch message has answered yet
	ready     int  // number of data that may leave in pull mode
	delivered bool // data have left since the client asked
}

func (q *queue) wakeWriter() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// push queues data. It never blocks. If the queue is full, it drops the oldest data.
func (q *queue) push(m *message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	does := acceptNew
	for i := range q.rules {
		if q.rules[i].matches(&m.header) {
			does = q.rules[i].does
			break
		}
	}
	if does == ignoreNew || q.closed {
		return
	}
	m.refs.Add(1)
	if does == replaceOlder {
		for i, old := range q.data {
			if old.address == m.address && old.subtype == m.subtype {
				q.data[i] = m
				q.bytes += int(m.size) - int(old.size)
				old.release()
				q.wakeWriter()
				return
			}
		}
	}
	q.data = append(q.data, m)
	q.bytes += int(m.size)
	for len(q.data) > maxQueued || q.bytes > maxQueuedBytes && len(q.data) > 1 {
		q.takeData().release()
		q.dropped++
	}
	q.offer()
	q.wakeWriter()
}

// takeData removes the oldest data.
func (q *queue) takeData() *message {
	m := q.data[0]
	copy(q.data, q.data[1:])
	q.data[len(q.data)-1] = nil
	q.data = q.data[:len(q.data)-1]
	q.bytes -= int(m.size)
	q.ready = max(q.ready-1, 0)
	return m
}

// offer allows the queued data to leave, if the client waits for data.
func (q *queue) offer() {
	if q.asked && !q.delivered && q.ready == 0 {
		q.ready = len(q.data)
	}
}

// reply queues a reply, and takes the reference of m. It returns false if the client does not read its replies.
func (q *queue) reply(m *message) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.replies) >= maxReplies || q.closed {
		m.release()
		return false
	}
	q.replies = append(q.replies, m)
	q.wakeWriter()
	return true
}

// ask is called when the client asks for data.
func (q *queue) ask() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked, q.delivered = true, false
	q.ready = len(q.data)
	q.wakeWriter()
}

func (q *queue) setPull(on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pull, q.asked, q.ready = on, false, 0
	q.wakeWriter()
}

// addRule adds a rule, or replaces the rule for the same messages. It returns false if there are too many.
func (q *queue) addRule(add rule) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.rules {
		same := q.rules[i]
		if same.does = add.does; same == add {
			q.rules[i] = add
			return true
		}
	}
	if len(q.rules) >= maxRules {
		return false
	}
	q.rules = append(q.rules, add)
	return true
}

// pop removes the next message that may leave, and returns it. It returns nil if there is none.
func (q *queue) pop() *message {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case len(q.replies) > 0:
		m := q.replies[0]
		q.replies = append(q.replies[:0], q.replies[1:]...)
		return m
	case !q.pull && len(q.data) > 0:
		return q.takeData()
	case q.pull && q.asked && q.ready > 0:
		q.delivered = true
		return q.takeData()
	case q.pull && q.asked && q.delivered:
		return q.synch()
	}
	return nil
}

// synch returns the message that ends the data for which a client has asked.
func (q *queue) synch() *message {
	q.asked = false
	h := header{address: address{interf: playerInterface}, typ: typeSynch, subtype: synchOK}
	if q.dropped > 0 {
		h.subtype = synchOverflow
	}
	m := newMessage(h)
	if q.dropped > 0 {
		m.b = appendInt(m.b, q.dropped)
		q.dropped = 0
	}
	m.seal()
	return m
}

// close releases all messages. The queue takes no more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range append(q.replies, q.data...) {
		m.release()
	}
	q.replies, q.data, q.bytes, q.closed = nil, nil, 0, true
}
