package dynamic

import "fmt"

// Check says whether b is one whole encoded message, without turning it into anything.
func (c *Codec) Check(b []byte) error {
	r := &reader{b: b}
	return c.end(r, len(b), c.root.check(r))
}

func (m *message) check(r *reader) error {
	for i := range m.fields {
		f := &m.fields[i]
		n, err := 1, error(nil)
		if f.array {
			n, err = r.count(f)
		}
		switch {
		case err != nil:
		case f.kind == kMessage || f.kind == kString:
			for j := 0; j < n && err == nil; j++ {
				if f.kind == kString {
					_, err = r.text()
				} else {
					err = f.msg.check(r)
				}
			}
		default:
			_, err = r.take(n * f.size)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}
