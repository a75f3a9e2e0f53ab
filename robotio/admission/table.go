package admission

// Rank orders admitted connections: the lower is closed first.
type Rank int

const (
	Stalled Rank = iota // the peer takes nothing of what waits for it
	Unknown             // the peer is not registered
	Known
)

// Conn is a connection.
type Conn struct {
	Close   func() error
	Rank    func() Rank // of an admitted connection, now; nil is always Known
	Addr    string      // the peer's address, without port
	Caller  string      // the peer's name by its own account; empty where the protocol has no names
	Subject string      // the topic or service that it uses; empty where the protocol has none

	number int64     // in the order of arrival
	groups [4]*group // that it belongs to, from narrow to wide; nil where there is none
}

func (c *Conn) rank() Rank {
	if c.Rank == nil {
		return Known
	}
	return c.Rank()
}

// Table holds a listener's connections.
type Table struct {
	most, mostPending int
	last              int64
	pending, admitted map[*Conn]struct{}
	groups            map[common]*group
}

// NewTable returns a table with places for most admitted and mostPending pending connections, at least one each.
func NewTable(most, mostPending int) *Table {
	return &Table{most: max(most, 1), mostPending: max(mostPending, 1),
		pending: map[*Conn]struct{}{}, admitted: map[*Conn]struct{}{}, groups: map[common]*group{}}
}

// Len returns the number of admitted and of pending connections.
func (t *Table) Len() (admitted, pending int) { return len(t.admitted), len(t.pending) }

// Full says whether the next connection that is admitted takes another's place.
func (t *Table) Full() bool { return len(t.admitted) >= t.most }

// Enter takes a new connection in as pending, and returns the one that is to be closed for it, or nil.
func (t *Table) Enter(c *Conn) (out *Conn) {
	if len(t.pending) >= t.mostPending {
		out = t.Shed()
	}
	t.last++
	c.number = t.last
	t.pending[c] = struct{}{}
	return out
}

// Shed takes the oldest pending connection out, and returns it, or nil; for a process that is out of file descriptors.
func (t *Table) Shed() (out *Conn) {
	for c := range t.pending {
		if out == nil || c.number < out.number {
			out = c
		}
	}
	delete(t.pending, out)
	return out
}

// Admit gives a pending connection a place among the admitted, and says whether it got one. out is the connection that
// is to be closed for it, or nil. One that is not pending, or not any more, gets none.
//
// Where all places are taken, a stalled or unknown connection yields to any that ranks no lower, and one of a group
// that exceeds its share to any from outside the group. Of these the lowest in rank is closed, then the one whose group
// exceeds its share most, then the newest, so that a flood closes no connection that has long been served.
func (t *Table) Admit(c *Conn) (out *Conn, ok bool) {
	if _, there := t.pending[c]; !there {
		return nil, false
	}
	t.join(c)
	if t.Full() {
		if out = t.yields(c); out == nil {
			t.part(c)
			return nil, false
		}
		t.Leave(out)
	}
	delete(t.pending, c)
	t.admitted[c] = struct{}{}
	return out, true
}

// yields returns the admitted connection that is to be closed for c, or nil.
func (t *Table) yields(c *Conn) (out *Conn) {
	var lowest Rank
	var most float64
	mine := c.rank()
	for o := range t.admitted {
		r := o.rank()
		if (r == Known || r > mine) && o.excess(c) <= 1 {
			continue
		}
		excess := o.excess(nil)
		if out == nil || r < lowest || r == lowest && (excess > most || excess == most && o.number > out.number) {
			out, lowest, most = o, r, excess
		}
	}
	return out
}

// Leave takes a connection out; one that is not there stays out.
func (t *Table) Leave(c *Conn) {
	delete(t.pending, c)
	if _, there := t.admitted[c]; there {
		delete(t.admitted, c)
		t.part(c)
	}
}

// All lists every connection.
func (t *Table) All() []*Conn {
	all := make([]*Conn, 0, len(t.pending)+len(t.admitted))
	for _, set := range []map[*Conn]struct{}{t.pending, t.admitted} {
		for c := range set {
			all = append(all, c)
		}
	}
	return all
}
