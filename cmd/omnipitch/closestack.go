package main

import "slices"

// closeStack holds what a command has opened and must close, the newest first.
type closeStack []func() error

// push adds a function that closes something and cannot fail.
func (s *closeStack) push(closeFn func()) {
	s.pushFallible(func() error { closeFn(); return nil })
}

// pushFallible adds a function that closes something and returns why it failed.
func (s *closeStack) pushFallible(closeFn func() error) { *s = append(*s, closeFn) }

// closeAll closes everything. It returns err, the error of the command so far, or, if that is nil, the first error of
// closing.
func (s *closeStack) closeAll(err error) error {
	for _, closeFn := range slices.Backward(*s) {
		if closeErr := closeFn(); err == nil {
			err = closeErr
		}
	}
	*s = nil
	return err
}
