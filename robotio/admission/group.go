package admission

// Shares of a full table; guesses. Connections of a group beyond its share yield to others. A node needs one or a few
// connections to a topic.
const (
	mostAlike = 16 // connections from one caller to one subject
	half      = 2  // the share of one caller, one subject or one address is the table's size divided by this
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

// excess returns the largest ratio of members to share among a connection's groups, except those that other is in too.
func (c *Conn) excess(other *Conn) (times float64) {
	for i, g := range c.groups {
		if g != nil && (other == nil || g != other.groups[i]) {
			times = max(times, float64(g.members)/float64(g.share))
		}
	}
	return times
}
