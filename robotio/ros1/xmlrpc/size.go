package xmlrpc

// Size estimates the bytes that a value takes, the maps and lists that hold it included.
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
