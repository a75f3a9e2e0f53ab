//go:build !linux

package timesync

// Prompt does nothing here.
func Prompt() (undo func()) { return func() {} }
