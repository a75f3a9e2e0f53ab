// Package xmlrpc is a small, strict XML-RPC client and server over HTTP, as ROS 1 uses it.
//
// Values are bool, int, float64, string, []byte, []any, map[string]any and DateTime; nil, 64-bit integers and the
// extensions of other dialects are errors. Bodies, nesting and connection counts are bounded.
//
//	l, err := net.Listen("tcp", "127.0.0.1:0")
//	s := xmlrpc.Serve(l, access.Rule{}.Guard("greeter", nil), func(ctx context.Context, method string, args []any) (any, error) {
//		return "hello", nil
//	})
//	defer s.Close()
//	v, err := xmlrpc.Call(ctx, "http://"+l.Addr().String()+"/", "greet", 1, "two")
//
// Everything is safe for use by many goroutines; the handler is called from many at once.
//
// Source: xmlrpc.com/spec.md, and what xmlrpcpp and Python's xmlrpc.client send and accept.
package xmlrpc
