package ros1

import (
	"context"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/xmlrpc"
)

// Wall times of talking to the master and other nodes. Guesses: a healthy peer answers within milliseconds.
const (
	rpcTime   = 5 * time.Second
	watchTime = time.Second // how often a node asks the master whether it is still known
)

// callMaster calls the master under the node's name and returns the value of a success.
func (n *Node) callMaster(ctx context.Context, method string, args ...any) (any, error) {
	return callNode(ctx, n.master, method, append([]any{n.name}, args...)...)
}

// callNode calls a method of the master or slave API, which answers [code, text, value].
func callNode(ctx context.Context, uri, method string, args ...any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, rpcTime)
	defer cancel()
	v, err := xmlrpc.Call(ctx, uri, method, args...)
	if err != nil {
		return nil, err
	}
	list, _ := v.([]any)
	if len(list) != 3 {
		return nil, fmt.Errorf("%s: %s: answer %.80v: must be [code, text, value]", uri, method, v)
	}
	if code, _ := list[0].(int); code != 1 {
		return nil, &RefusedError{URI: uri, Method: method, Text: fmt.Sprint(list[1])}
	}
	return list[2], nil
}

// RefusedError says that the master or a node understood a call and refused it.
type RefusedError struct{ URI, Method, Text string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.URI, e.Method, e.Text)
}

// keepRegistered registers everything anew when the master has forgotten this node, as one does that was restarted,
// and when it could not be reached for a while: what it had to tell us meanwhile is lost.
func (n *Node) keepRegistered() {
	tick := time.NewTicker(watchTime)
	defer tick.Stop()
	missed := false
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-tick.C:
		}
		n.mu.Lock()
		registered := len(n.pubs)+len(n.subs)+len(n.srvs)+len(n.params) > 0
		n.mu.Unlock()
		if !registered {
			continue
		}
		_, err := n.callMaster(n.ctx, "lookupNode", n.name)
		_, refused := err.(*RefusedError)
		switch {
		case refused: // the master answers, and does not know us
			n.log.Warn("ros node: the master forgot this node: registering again", "node", n.name, "master", n.master)
			missed = !n.registerAll()
		case err != nil:
			missed = true
		case missed:
			n.log.Info("ros node: the master answers again", "node", n.name, "master", n.master)
			missed = !n.registerAll()
		}
	}
}

// Announce has the master tell subscribers of this node's topics again who publishes them, and does not wait for it. rospy takes the last
// list of publishers that it was handed for the newest, and so may miss for ever who began to publish while it subscribed (1.15,
// RegManager.run: the answer to its own registration can be handed on after an update that is newer).
func (n *Node) Announce(topics []string) {
	n.spawn(func() {
		for _, name := range topics {
			n.mu.Lock()
			t := n.pubs[name]
			n.mu.Unlock()
			if t == nil {
				continue
			}
			if _, err := n.callMaster(n.ctx, "registerPublisher", name, t.def.Name, n.uri); err != nil {
				n.log.Debug("ros node: announcing a topic failed", "node", n.name, "topic", name, "error", err)
			}
		}
	})
}

// registerAll registers all topics, services and cached parameters, and says whether it could.
func (n *Node) registerAll() bool {
	type call struct {
		method string
		args   []any
		sub    string
	}
	var calls []call
	n.mu.Lock()
	for name := range n.srvs {
		calls = append(calls, call{"registerService", []any{name, n.serviceURI(), n.uri}, ""})
	}
	for name, t := range n.pubs {
		calls = append(calls, call{"registerPublisher", []any{name, t.def.Name, n.uri}, ""})
	}
	for name, list := range n.subs {
		calls = append(calls, call{"registerSubscriber", []any{name, list[0].def.Name, n.uri}, name})
	}
	n.mu.Unlock()
	for _, c := range calls {
		v, err := n.callMaster(n.ctx, c.method, c.args...)
		if err != nil {
			n.log.Warn("ros node: registering again failed", "node", n.name, "error", err)
			return false
		}
		if c.sub != "" {
			n.publishersChanged(c.sub, v, true)
		}
	}
	for _, p := range n.cachedParams() {
		if err := p.fetch(n); err != nil {
			n.log.Warn("ros node: registering again failed", "node", n.name, "parameter", p.key, "error", err)
			return false
		}
	}
	return true
}
