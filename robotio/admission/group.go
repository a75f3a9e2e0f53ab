package admission

// Shares of a full table beyond which connections of one group yield to others. Guesses: a node needs one connection to
// a topic, or a few.
const (
	mostAlike = 16 // of one caller to one subject
	half      = 2  // one caller, one subject and one address: the table divided by this, each
)

// common is what the connections of a group have in common; an empty field may differ.
type common struct{ addr, caller, subject string }

// group is the admitted connections that have something in common.
type group struct {
	common
	members, share int
}

// join counts a connection in its groups.
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

// part undoes join.
func (t *Table) part(c *Conn) {
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

// excess returns how many times its share the largest of a connection's groups holds, without the groups of other.
func (c *Conn) excess(other *Conn) (times float64) {
	for i, g := range c.groups {
		if g != nil && (other == nil || g != other.groups[i]) {
			times = max(times, float64(g.members)/float64(g.share))
		}
	}
	return times
}
