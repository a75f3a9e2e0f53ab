package graph

import (
	"context"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// rpcTime bounds a call, wall time. A guess: a healthy peer answers within milliseconds.
const rpcTime = 5 * time.Second

// Call calls a method of the master or slave API. It checks that the answer is [code, text, value], and returns the
// value.
func Call(ctx context.Context, uri, method string, args ...any) (any, error) {
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

// RefusedError says that the master or a node refused a valid call.
type RefusedError struct{ URI, Method, Text string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.URI, e.Method, e.Text)
}

// CheckParam fails on a parameter value that the master cannot store: one of another type than bool, int, float64,
// string, []byte, []any and map[string]any, or a number that XML-RPC cannot express.
func CheckParam(value any) error { return xmlrpc.Check(value) }
