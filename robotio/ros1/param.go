package ros1

import (
	"errors"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// ErrNoParam says that a parameter is not set.
var ErrNoParam = errors.New("not set")

// SetParam sets a parameter. key is resolved as the node resolves names. Values are bool, int, float64, string, []byte,
// []any and map[string]any; a map is a namespace. It fails on other types, on integers beyond 32 bits, and if the
// master does not answer.
func (n *Node) SetParam(key string, value any) error {
	_, err := n.paramCall("setParam", key, value)
	return err
}

// KeepParam is SetParam, but also sets the parameter again, to its last value, when the master has restarted.
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

// GetParam returns a parameter, or the namespace at key as a map. It fails with ErrNoParam if nothing is set.
func (n *Node) GetParam(key string) (any, error) { return n.paramCall("getParam", key) }

// HasParam reports whether a parameter or namespace is set.
func (n *Node) HasParam(key string) (bool, error) {
	v, err := n.paramCall("hasParam", key)
	has, _ := v.(bool)
	return has, err
}

// DeleteParam removes a parameter or namespace. It fails with ErrNoParam if nothing is set.
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
