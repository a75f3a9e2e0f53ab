package ros1

import (
	"context"
	"errors"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// watchTime is the wall time between checks that the master still knows the node. 1 s is a guess.
const watchTime = time.Second

// callMaster calls a method of the master in the name of the node. It returns the value in the master's answer, or an
// error if the call fails.
func (n *Node) callMaster(ctx context.Context, method string, args ...any) (any, error) {
	return graph.Call(ctx, n.master, method, append([]any{n.name}, args...)...)
}

// Graph asks the master for the state of the graph. It returns an error if the master does not answer.
func (n *Node) Graph(ctx context.Context) (*graph.State, error) {
	g, err := graph.FetchState(ctx, n.master, n.name)
	if err != nil {
		return nil, n.errorf("%w", err)
	}
	return g, nil
}

// CallMaster calls a method of the master API or the parameter server API in the name of the node. It returns the value
// in the answer. It returns a *RefusedError if the master refuses the call, and another error if the master does not
// answer.
func (n *Node) CallMaster(ctx context.Context, method string, args ...any) (any, error) {
	v, err := n.callMaster(ctx, method, args...)
	if err != nil {
		return nil, n.errorf("%w", err)
	}
	return v, nil
}

// keepRegistered registers everything again after the master has restarted, or after the master was unreachable and so
// may have lost updates. If another node has taken this node's name at the master, keepRegistered closes this node. The
// master asks the old node to shut down, but its call may have been lost.
func (n *Node) keepRegistered() {
	tick := time.NewTicker(watchTime)
	defer tick.Stop()
	missed, forgotten := false, false
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-tick.C:
		}
		if !n.registered() {
			continue
		}
		uri, pid, err := n.askMaster()
		switch {
		case !n.registered(): // the node is closing
			continue
		case err != nil:
			if !missed {
				n.log.Warn("ros node: the master does not answer", "node", n.name, "master", n.master, "error", err)
				n.onMaster(err)
			}
			missed = true
			continue
		case uri != "" && uri != n.uri:
			// not started with spawn, because Close waits for this function
			go n.closeFor(&ShutdownError{Node: n.name, Taker: uri})
			return
		case uri == "" || pid != n.masterPID:
			forgotten = true
		}
		if !missed && !forgotten {
			continue
		}
		if err := n.registerAll(forgotten); err != nil {
			n.log.Warn("ros node: registering again failed", "node", n.name, "error", err)
			continue
		}
		n.log.Info("ros node: registered again", "node", n.name, "master", n.master, "restarted", forgotten)
		n.masterPID, missed, forgotten = pid, false, false
		n.onMaster(nil)
	}
}

// Announce makes the master send the list of publishers again to the subscribers of topics that this node publishes. It
// does not wait for the result. Announce is needed because a rospy subscriber may miss a publisher that registers at
// the same time. The subscriber uses the list that it handled last, and it may handle the answer to its own
// registration after a newer update (rospy 1.15, RegManager.run).
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

// registered reports whether the master is expected to know this node.
func (n *Node) registered() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.pubs)+len(n.subs)+len(n.srvs) > 0
}

// askMaster returns the URI that the master has for this node, or "" if it has none, and the process id of the master.
// The process id is needed because a master that has restarted may know this node from a later registration, although
// it has forgotten all earlier registrations.
func (n *Node) askMaster() (uri string, pid int, err error) {
	v, err := n.callMaster(n.ctx, "lookupNode", n.name)
	var unknown *graph.RefusedError
	if err != nil && !errors.As(err, &unknown) {
		return "", 0, err
	}
	uri, _ = v.(string)
	if v, err = n.callMaster(n.ctx, "getPid"); err != nil {
		return "", 0, err
	}
	pid, _ = v.(int)
	return uri, pid, nil
}

// registerAll registers all topics and services at the master. If the master has restarted, registerAll first sets the
// kept parameters, because robots read them before they follow the clock.
func (n *Node) registerAll(forgotten bool) error {
	type call struct {
		method string
		args   []any
		sub    string
	}
	var calls []call
	n.mu.Lock()
	if forgotten {
		for key, value := range n.keptParams {
			calls = append(calls, call{"setParam", []any{key, xmlrpc.Clone(value)}, ""})
		}
	}
	for name := range n.srvs {
		calls = append(calls, call{"registerService", []any{name, n.serviceURI(), n.uri}, ""})
	}
	for name, t := range n.pubs {
		calls = append(calls, call{"registerPublisher", []any{name, t.def.Name, n.uri}, ""})
	}
	for name, t := range n.subs {
		if len(t.subscribers) > 0 {
			calls = append(calls, call{"registerSubscriber", []any{name, t.definition().Name, n.uri}, name})
		}
	}
	n.mu.Unlock()
	for _, c := range calls {
		v, err := n.callMaster(n.ctx, c.method, c.args...)
		if err != nil {
			return err
		}
		if c.sub != "" {
			n.publishersChanged(c.sub, v, true)
		}
	}
	return nil
}

// ErrNoParam means that a parameter is not set.
var ErrNoParam = wire.ErrNoParam

// SetParam sets a parameter. The name key is resolved in the same way as other names of the node. The value must be a
// bool, int, float64, string, []byte, []any or map[string]any; a map becomes a namespace. SetParam returns an error for
// a value of another type, for an integer of more than 32 bits, and if the master does not answer.
func (n *Node) SetParam(key string, value any) error {
	_, err := n.paramCall("setParam", key, value)
	return err
}

// KeepParam is like SetParam. In addition, the node sets the parameter again when the master has restarted, to the
// value of the last call.
func (n *Node) KeepParam(key string, value any) error {
	if err := n.SetParam(key, value); err != nil {
		return err
	}
	full, err := n.resolve(key)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.keptParams[full] = xmlrpc.Clone(value)
	return err
}

// GetParam returns the value of a parameter. If key names a namespace, it returns the namespace as a map. It returns
// ErrNoParam if nothing of that name is set.
func (n *Node) GetParam(key string) (any, error) { return n.paramCall("getParam", key) }

// HasParam reports whether a parameter or a namespace of that name is set.
func (n *Node) HasParam(key string) (bool, error) {
	v, err := n.paramCall("hasParam", key)
	has, _ := v.(bool)
	return has, err
}

// DeleteParam removes a parameter or a namespace. It returns ErrNoParam if nothing of that name is set.
func (n *Node) DeleteParam(key string) error {
	_, err := n.paramCall("deleteParam", key)
	return err
}

func (n *Node) paramCall(method, key string, args ...any) (any, error) {
	full, err := n.resolve(key)
	if err != nil {
		return nil, n.errorf("parameter: %w", err)
	}
	v, err := n.callMaster(n.ctx, method, append([]any{full}, args...)...)
	var refused *graph.RefusedError
	if errors.As(err, &refused) && method != "setParam" {
		err = ErrNoParam
	}
	if err != nil {
		return nil, n.errorf("parameter %s: %w", full, err)
	}
	return v, nil
}
