package calibration

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// Files writes files. Replaced lists the paths where a file of different content was replaced.
type Files struct{ Replaced []string }

// Write creates the folders of a path, and writes a file there whose content text writes.
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
