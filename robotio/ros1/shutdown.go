package ros1

import (
	"context"
	"fmt"
)

// ShutdownError says why a node closed that its program did not close.
type ShutdownError struct {
	Node   string
	By     string // who called shutdown of its slave API, as it calls itself; empty where nobody did
	Reason string // that the caller gave
	Taker  string // URI of the node that has taken its name at the master; empty where none has
}

func (e *ShutdownError) Error() string {
	if e.Taker != "" {
		return fmt.Sprintf("ros node %s: another node took its name: %s", e.Node, e.Taker)
	}
	return fmt.Sprintf("ros node %s: %.80q told it to shut down: %.200q", e.Node, e.By, e.Reason)
}

// Cause returns why a node closed by itself, a *ShutdownError; nil as long as it is open, and after Close.
func (n *Node) Cause() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cause == nil {
		return nil // and no *ShutdownError that is nil
	}
	return n.cause
}

// shutdown is the slave API's: rosnode kill calls it, and a master whose node's name another has taken.
func (n *Node) shutdown(by, reason any) {
	e := &ShutdownError{Node: n.name}
	e.By, _ = by.(string)
	e.Reason, _ = reason.(string)
	n.log.Warn("ros node: told to shut down", "node", n.name, "by", e.By, "reason", e.Reason)
	go func() { // not tracked: Close waits for tracked ones, and for this call
		ctx, cancel := context.WithTimeout(n.ctx, closeTime)
		defer cancel()
		if v, err := n.callMaster(ctx, "lookupNode", n.name); err == nil && v != n.uri {
			e.Taker, _ = v.(string)
		}
		n.closeFor(e)
	}()
}

// closeFor closes the node, unless it is closing.
func (n *Node) closeFor(e *ShutdownError) {
	n.mu.Lock()
	if !n.closed && n.cause == nil {
		n.cause = e
	}
	n.mu.Unlock()
	n.Close()
}
