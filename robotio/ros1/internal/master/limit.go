package master

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// maxParams bounds all parameters together, in bytes. A guess: a robot description takes about 1 MB.
const maxParams = 64 << 20

// full returns an error if a call would exceed a limit, else nil.
func (m *Master) full(method string, c call) error {
	if method == "setParam" {
		if n := m.params.grow(c.s[0], c.value); n > maxParams {
			return fmt.Errorf("parameters of %d bytes: must be at most %d", n, maxParams)
		}
	}
	if uri := registers(method, c); uri != "" {
		return m.reg.admit(c.id, uri, m.evict)
	}
	return nil
}

// registers returns the URI of the node that a call registers, or "" for other calls.
func registers(method string, c call) string {
	switch method {
	case "registerPublisher", "registerSubscriber", "registerService":
		return c.s[2]
	case "subscribeParam":
		return c.s[0]
	}
	return ""
}

// grow returns an upper bound of the tree's bytes after v is set at key. It adds up values, and counts the tree again
// only if the sum exceeds maxParams. So repeated calls for the same parameter cost little.
func (p *params) grow(key string, v any) int {
	add := len(key) + xmlrpc.Size(v)
	if p.bytes+add > maxParams {
		p.bytes = xmlrpc.Size(p.tree())
		old, _ := p.get(key)
		if add -= xmlrpc.Size(old); p.bytes+add > maxParams {
			return p.bytes + add
		}
	}
	p.bytes += add
	return p.bytes
}
