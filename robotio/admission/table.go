package admission

import (
	"cmp"
	"slices"
)

// Rank orders admitted connections. Connections with the lowest rank are closed first.
type Rank int

// The ranks.
const (
	Stalled Rank = iota // the peer does not read the data queued for it, or its request takes long
	Silent              // the peer has sent nothing yet
	Unknown             // the peer is not registered
	Known               // the peer is registered
)

// Conn is a connection.
type Conn struct {
	Close   func() error
	Rank    func() Rank // returns the current rank of an admitted connection; nil: always Unknown
	Addr    string      // the peer's address, without port
	Caller  string      // the name that the peer gives; empty if the protocol has no names
	Subject string      // the topic or service that the connection is for; empty if the protocol has none

	number int64     // sequence number of the connection's arrival
	groups [4]*group // groups of the connection, from narrow to wide; unused elements are nil
}

func (c *Conn) rank() Rank {
	if c.Rank == nil {
		return Unknown
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

// NewTable returns a table with places for at most most admitted connections and mostPending pending connections, and
// at least one of each.
func NewTable(most, mostPending int) *Table {
	return &Table{most: max(most, 1), mostPending: max(mostPending, 1),
		pending: map[*Conn]struct{}{}, admitted: map[*Conn]struct{}{}, groups: map[common]*group{}}
}

// Len returns the number of admitted and of pending connections.
func (t *Table) Len() (admitted, pending int) { return len(t.admitted), len(t.pending) }

// Full reports whether all places for admitted connections are taken.
func (t *Table) Full() bool { return len(t.admitted) >= t.most }

// Enter adds a new pending connection. It returns the connection that c replaces, which the caller must close, or nil.
func (t *Table) Enter(c *Conn) (out *Conn) {
	if len(t.pending) >= t.mostPending {
		out = t.Shed()
	}
	t.last++
	c.number = t.last
	t.pending[c] = struct{}{}
	return out
}

// Shed removes and returns the oldest pending connection, or nil if there is none. A process that is out of file
// descriptors calls it.
func (t *Table) Shed() (out *Conn) {
	for c := range t.pending {
		if out == nil || c.number < out.number {
			out = c
		}
	}
	delete(t.pending, out)
	return out
}

// Admit admits a pending connection and reports whether it succeeded. out is the connection that c replaces, which the
// caller must close, or nil. Admit fails for a connection that is not pending.
//
// If all places are taken, an admitted connection must make room for c. Candidates are connections with a lower rank
// than Known, and connections of a group above its share to which c does not belong. The candidate with the lowest rank
// is replaced. Of candidates with the same rank, the one whose group exceeds its share most is replaced. If these are
// equal too, the one of median age is replaced. So a flood of new connections does not close the older half, which has
// long been served, and newcomers do not replace each other.
func (t *Table) Admit(c *Conn) (out *Conn, ok bool) {
	if _, there := t.pending[c]; !there {
		return nil, false
	}
	t.join(c)
	if t.Full() {
		if out = t.yields(c); out == nil {
			t.leaveGroups(c)
			return nil, false
		}
		t.Leave(out)
	}
	delete(t.pending, c)
	t.admitted[c] = struct{}{}
	return out, true
}

// yields returns the admitted connection that must make room for c, or nil.
func (t *Table) yields(c *Conn) *Conn {
	var equal []*Conn // the candidates with the lowest rank and the largest excess so far
	var lowest Rank
	var most float64
	for o := range t.admitted {
		r := o.rank()
		if r == Known && o.excess(c) <= 1 {
			continue
		}
		excess := o.excess(nil)
		switch {
		case len(equal) == 0 || r < lowest || r == lowest && excess > most:
			equal, lowest, most = append(equal[:0], o), r, excess
		case r == lowest && excess == most:
			equal = append(equal, o)
		}
	}
	if len(equal) == 0 {
		return nil
	}
	slices.SortFunc(equal, func(a, b *Conn) int { return cmp.Compare(a.number, b.number) })
	return equal[(len(equal)-1)/2]
}

// Leave removes a connection, if it is in the table.
func (t *Table) Leave(c *Conn) {
	delete(t.pending, c)
	if _, there := t.admitted[c]; there {
		delete(t.admitted, c)
		t.leaveGroups(c)
	}
}

// All returns all connections.
func (t *Table) All() []*Conn {
	all := make([]*Conn, 0, len(t.pending)+len(t.admitted))
	for _, set := range []map[*Conn]struct{}{t.pending, t.admitted} {
		for c := range set {
			all = append(all, c)
		}
	}
	return all
}

// The shares of groups in a full table; guesses. If a group has more members than its share, its connections make room
// for others. A node needs one or a few connections to a topic.
const (
	mostAlike = 16 // largest share of the connections from one caller to one subject
	half      = 2  // the share of a caller, a subject or an address is the size of the table divided by half
)

// common holds the properties that all connections of a group share; an empty field is not shared.
type common struct{ addr, caller, subject string }

// group counts the admitted connections with common properties.
type group struct {
	common
	members, share int
}

// join adds a connection to its groups.
func (t *Table) join(c *Conn) {
	share := max(t.most/half, 1)
	for i, g := range [len(c.groups)]group{
		{common{"", c.Caller, c.Subject}, 0, min(mostAlike, share)},
		{common{"", c.Caller, ""}, 0, share},
		{common{"", "", c.Subject}, 0, share},
		{common{c.Addr, "", ""}, 0, share},
	} {
		if g.common == (common{}) || i == 0 && (c.Caller == "" || c.Subject == "") {
			continue
		}
		if t.groups[g.common] == nil {
			t.groups[g.common] = &g
		}
		c.groups[i] = t.groups[g.common]
		c.groups[i].members++
	}
}

// leaveGroups undoes join.
func (t *Table) leaveGroups(c *Conn) {
	for i, g := range c.groups {
		if g == nil {
			continue
		}
		if g.members--; g.members == 0 {
			delete(t.groups, g.common)
		}
		c.groups[i] = nil
	}
}

// excess returns, for the groups of a connection, the largest ratio of a group's number of members to the group's
// share. It leaves out the groups of the argument other, which may be nil.
func (c *Conn) excess(other *Conn) (times float64) {
	for i, g := range c.groups {
		if g != nil && (other == nil || g != other.groups[i]) {
			times = max(times, float64(g.members)/float64(g.share))
		}
	}
	return times
}
