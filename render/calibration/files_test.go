package calibration

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
)

// Files reports a replaced file with different content, but not a new or an unchanged one.
func TestFilesKnowWhatTheyReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for _, c := range []struct {
		text string
		want []string
	}{{"one", nil}, {"one", nil}, {"two", []string{path}}} {
		var files Files
		err := files.Write(path, func(w io.Writer) error { _, err := fmt.Fprint(w, c.text); return err })
		if err != nil || !slices.Equal(files.Replaced, c.want) {
			t.Errorf("%s: %v, replaced %v, want %v", c.text, err, files.Replaced, c.want)
		}
	}
}
