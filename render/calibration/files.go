package calibration

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// Files writes files and records which of them replaced a file with different content.
type Files struct{ Replaced []string }

// Write writes a file, and creates its folders.
func (f *Files) Write(path string, text func(io.Writer) error) error {
	var b bytes.Buffer
	if err := text(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	replaced := false
	// pipes and devices have no content to replace
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
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
