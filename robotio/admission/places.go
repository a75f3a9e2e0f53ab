package admission

import "sync"

// Places is a Table that many goroutines may use. It closes the connections that others replace.
type Places struct {
	mu    sync.Mutex
	table *Table
}

// NewPlaces returns most places.
func NewPlaces(most int) *Places { return &Places{table: NewTable(most, 1)} }

// Take gives c a place, and closes the connection that c replaces. It returns that connection, or nil. Take fails only
// if the other connections have the rank Known. Leave must be called if Take has not failed.
func (p *Places) Take(c *Conn) (out *Conn, ok bool) {
	p.mu.Lock()
	p.table.Enter(c)
	if out, ok = p.table.Admit(c); !ok {
		p.table.Leave(c)
	}
	p.mu.Unlock()
	if out != nil {
		_ = out.Close() // its owner notices
	}
	return out, ok
}

// Leave frees the place of c, if c still has one.
func (p *Places) Leave(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.table.Leave(c)
}
