package admission

import (
	"fmt"
	"testing"
)

// conn is a connection and what speaks for it.
func conn(rank Rank, addr, caller, subject string) *Conn {
	return &Conn{Addr: addr, Caller: caller, Subject: subject, Rank: func() Rank { return rank }}
}

// admit takes a connection in and fails the test unless it gets a place.
func admit(t *testing.T, table *Table, c *Conn) (out *Conn) {
	t.Helper()
	table.Enter(c)
	out, ok := table.Admit(c)
	if !ok {
		t.Fatalf("%s of %s at %s: no place", c.Caller, c.Addr, c.Subject)
	}
	return out
}

// healthy takes ten known subscribers to ten topics in.
func healthy(t *testing.T, table *Table) map[*Conn]bool {
	set := map[*Conn]bool{}
	for i := range 10 {
		c := conn(Known, "127.0.0.1", "/healthy", fmt.Sprintf("/t%d", i))
		set[c] = true
		admit(t, table, c)
	}
	return set
}

// TestFlood floods a full table. Connections that are served and known must stay, and a newcomer must get one of the
// flood's places.
func TestFlood(t *testing.T) {
	for what, flood := range map[string]func(i int) *Conn{
		"one caller":                    func(int) *Conn { return conn(Unknown, "127.0.0.1", "/evil", "/t0") },
		"one caller, known and reading": func(int) *Conn { return conn(Known, "127.0.0.1", "/evil", "/t0") },
		"a caller each": func(i int) *Conn {
			return conn(Unknown, "127.0.0.1",
				fmt.Sprintf("/evil%d", i), "/t0")
		},
		"a caller each, on all topics": func(i int) *Conn {
			return conn(Unknown, "127.0.0.1", fmt.Sprintf("/evil%d", i), fmt.Sprintf("/t%d", i%10))
		},
		"a caller each, known and stalled": func(i int) *Conn {
			return conn(Stalled, "127.0.0.1", fmt.Sprintf("/evil%d", i), "/t0")
		},
		"a caller each, known and reading": func(i int) *Conn {
			return conn(Known, "127.0.0.1", fmt.Sprintf("/evil%d", i), "/t0")
		},
		"a healthy one's name": func(int) *Conn { return conn(Known, "127.0.0.1", "/healthy", "/t0") },
		"another machine, known and reading": func(i int) *Conn {
			return conn(Known, "10.0.0.1", fmt.Sprintf("/evil%d", i), fmt.Sprintf("/t%d", i%10))
		},
	} {
		table := NewTable(100, 50)
		good := healthy(t, table)
		for i := range 150 {
			c := flood(i)
			table.Enter(c)
			if out, _ := table.Admit(c); good[out] {
				t.Fatalf("%s: %s at %s went for the flood", what, out.Caller, out.Subject)
			}
		}
		if n, _ := table.Len(); n != 100 {
			t.Errorf("%s: %d connections, want 100", what, n)
		}
		for i := range 10 {
			c := conn(Known, "127.0.0.1", fmt.Sprintf("/new%d", i), "/t9")
			if out := admit(t, table, c); out == nil || good[out] {
				t.Errorf("%s: for a newcomer went %+v", what, out)
			}
			good[c] = true
		}
		for c := range good {
			table.Leave(c)
		}
		if n, _ := table.Len(); n != 80 {
			t.Errorf("%s: %d connections of the flood are left, want 80", what, n)
		}
	}
}

// TestAllGood: where nobody floods, nobody goes.
func TestAllGood(t *testing.T) {
	table := NewTable(20, 5)
	for i := range 20 {
		c := conn(Known, fmt.Sprintf("10.0.0.%d", i%5), fmt.Sprintf("/n%d", i%4), fmt.Sprintf("/t%d", i))
		admit(t, table, c)
	}
	c := conn(Known, "10.0.0.9", "/late", "/t")
	table.Enter(c)
	if out, ok := table.Admit(c); ok {
		t.Errorf("%+v went for a newcomer", out)
	}
	if _, pending := table.Len(); pending != 1 {
		t.Errorf("%d are pending, want 1", pending)
	}
}

// TestOrder: the stalled go before the silent, those before the unknown, those before what exceeds its share. Of equals
// the one of median age goes.
func TestOrder(t *testing.T) {
	table := NewTable(40, 40)
	var crowd []*Conn
	for i := range 37 {
		c := conn(Known, "10.0.0.1", "/crowd", fmt.Sprintf("/t%d", i))
		admit(t, table, c)
		crowd = append(crowd, c)
	}
	unknown, stalled := conn(Unknown, "10.0.0.2", "/unknown", "/u"), conn(Stalled, "10.0.0.3", "/stalled", "/s")
	silent := conn(Silent, "10.0.0.5", "/silent", "/s")
	admit(t, table, unknown)
	admit(t, table, stalled)
	admit(t, table, silent)
	for i, want := range []*Conn{stalled, silent, unknown, crowd[18], crowd[17], crowd[19]} {
		c := conn(Known, "10.0.0.4", fmt.Sprintf("/new%d", i), fmt.Sprintf("/n%d", i))
		if out := admit(t, table, c); out != want {
			t.Errorf("newcomer %d: %+v went, want %+v", i, out, want)
		}
	}
}

// TestPending: the oldest that says nothing goes for the newest, and never one that is admitted.
func TestPending(t *testing.T) {
	table := NewTable(2, 3)
	kept := conn(Known, "", "", "")
	admit(t, table, kept)
	var silent []*Conn
	for i := range 10 {
		c := conn(Unknown, "127.0.0.1", "", "")
		silent = append(silent, c)
		out := table.Enter(c)
		if i < 3 && out != nil || i >= 3 && out != silent[i-3] {
			t.Errorf("for number %d went %+v", i, out)
		}
	}
	if _, ok := table.Admit(silent[0]); ok {
		t.Error("one that has gone was admitted")
	}
	if out := table.Shed(); out != silent[7] {
		t.Errorf("shed %+v, want the oldest", out)
	}
	if a, p := table.Len(); a != 1 || p != 2 || len(table.All()) != 3 {
		t.Errorf("%d admitted, %d pending, %d in all", a, p, len(table.All()))
	}
	for _, c := range table.All() {
		table.Leave(c)
		table.Leave(c)
	}
	if out := table.Shed(); out != nil || len(table.groups) != 0 {
		t.Errorf("left behind: %+v, %v", out, table.groups)
	}
}

// BenchmarkAdmit measures a newcomer's place in a full table.
func BenchmarkAdmit(b *testing.B) {
	table := NewTable(1024, 512)
	for i := 0; b.Loop(); i++ {
		c := conn(Unknown, "127.0.0.1", fmt.Sprintf("/n%d", i), "/t")
		table.Enter(c)
		table.Admit(c)
	}
}
