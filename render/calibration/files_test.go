package calibration

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
)

// A file that held something else is told of; a new one and one that stays as it is are not.
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
