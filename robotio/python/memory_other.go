//go:build !linux

package python

import (
	"errors"
	"os"
)

func mapMemory(int) (*memory, error) {
	return nil, errors.New("the Python package needs Linux")
}

func (m *memory) close() {}

func readable(*os.File) bool { return false }

func grow(_, _, _ int) error { return errors.ErrUnsupported }
