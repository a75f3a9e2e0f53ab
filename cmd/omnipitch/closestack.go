package main

import "slices"

// closeStack holds the functions that close what a command has opened. They are called in reverse order.
type closeStack []func() error

// push adds a function that cannot fail.
func (s *closeStack) push(closeFn func()) {
	s.pushFallible(func() error { closeFn(); return nil })
}

// pushFallible adds a function that may fail.
func (s *closeStack) pushFallible(closeFn func() error) { *s = append(*s, closeFn) }

// closeAll calls all functions, the newest first. The argument err is the error of the command so far. closeAll returns
// err or, if err is nil, the first error of a function.
func (s *closeStack) closeAll(err error) error {
	for _, closeFn := range slices.Backward(*s) {
		if closeErr := closeFn(); err == nil {
			err = closeErr
		}
	}
	*s = nil
	return err
}
