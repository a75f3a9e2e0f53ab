// Package xmlrpc is a small, strict XML-RPC client and server over HTTP, as ROS 1 uses it.
//
// Values are bool, int, float64, string, []byte, []any, map[string]any and DateTime. It refuses nil, 64-bit integers
// and the extensions of other dialects. It bounds bodies, nesting and the number of connections.
//
//	l, err := net.Listen("tcp", "127.0.0.1:0")
//	guard := access.Rule{}.Guard("greeter", nil)
//	s := xmlrpc.Serve(l, guard, func(ctx context.Context, method string, args []any) (any, error) {
//		return "hello", nil
//	})
//	defer s.Close()
//	v, err := xmlrpc.Call(ctx, "http://"+l.Addr().String()+"/", "greet", 1, "two")
//
// Many goroutines may use everything in this package. The handler is called concurrently.
//
// Source: xmlrpc.com/spec.md, and what xmlrpcpp and Python's xmlrpc.client send and accept.
package xmlrpc
