package xmlrpc

// Check fails on a value that Call cannot send: of another type, or a number that XML-RPC lacks.
func Check(v any) error {
	_, err := appendValue(nil, v)
	return err
}
