package graph

import (
	"context"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// rpcTime is the maximum wall time of a call. 5 s is a guess with a wide margin: a healthy peer answers within
// milliseconds.
const rpcTime = 5 * time.Second

// Call calls a method of the master API or the slave API at uri, and returns the value in the answer. It returns an
// error if the answer is not [code, text, value], or if the code says that the call was refused or failed.
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

// RefusedError says that the master or a node has refused a valid call.
type RefusedError struct{ URI, Method, Text string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.URI, e.Method, e.Text)
}

// CheckParam returns an error if the master cannot store a value of a parameter. It can store bool, int, float64,
// string, []byte, []any and map[string]any, but no numbers that XML-RPC cannot express.
func CheckParam(value any) error { return xmlrpc.Check(value) }
