package xmlrpc

// Clone returns a deep copy of a value.
func Clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for k, e := range v {
			c[k] = Clone(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = Clone(e)
		}
		return c
	}
	return v
}

// Size estimates the memory of a value in bytes, including maps and lists.
func Size(v any) int {
	const each = 16
	n := each
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			n += each + len(k) + Size(e)
		}
	case []any:
		for _, e := range v {
			n += Size(e)
		}
	case string:
		n += len(v)
	case []byte:
		n += len(v)
	}
	return n
}

// Check fails on a value that Call cannot send: one of another type, or a number that XML-RPC cannot express.
func Check(v any) error {
	_, err := appendValue(nil, v)
	return err
}
