//go:build !linux

package python

import "errors"

func mapMemory(int) (*memory, error) {
	return nil, errors.New("the Python package needs Linux")
}

func (m *memory) close() {}

func grow(_, _, _ int) error { return errors.ErrUnsupported }
