package calibration

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// Files writes files, and keeps which of them took the place of one that held something else.
type Files struct{ Replaced []string }

// Write writes a file, and the folders that it lies in.
func (f *Files) Write(path string, text func(io.Writer) error) error {
	var b bytes.Buffer
	if err := text(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	replaced := false
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // a pipe or a device holds nothing
		before, err := os.ReadFile(path)
		replaced = err != nil || !bytes.Equal(before, b.Bytes())
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return err
	}
	if replaced {
		f.Replaced = append(f.Replaced, path)
	}
	return nil
}
