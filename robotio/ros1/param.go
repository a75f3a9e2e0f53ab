package ros1

import (
	"errors"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// ErrNoParam says that a parameter is not set.
var ErrNoParam = errors.New("not set")

// SetParam sets a parameter. The name key is resolved in the same way as other names of the node. The value must be a
// bool, int, float64, string, []byte, []any or map[string]any; a map becomes a namespace. SetParam returns an error for
// a value of another type, for an integer of more than 32 bits, and if the master does not answer.
func (n *Node) SetParam(key string, value any) error {
	_, err := n.paramCall("setParam", key, value)
	return err
}

// KeepParam does the same as SetParam. In addition, when the master has restarted, the node sets the parameter again to
// the value of the last call.
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
