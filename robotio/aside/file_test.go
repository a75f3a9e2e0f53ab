package aside

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// A file has its final name only when it is complete. An incomplete one is removed.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	begin := func(overwrite bool) *File {
		t.Helper()
		f := must.Get(Create(path, overwrite))(t)
		must.Get(f.WriteString("new"))(t)
		return f
	}
	holds := func(want string) { // contents of both names; - is no file
		t.Helper()
		var got []string
		for _, name := range []string{path, path + Suffix} {
			b, err := os.ReadFile(name)
			if err != nil {
				b = []byte("-")
			}
			got = append(got, string(b))
		}
		must.Equal(t, strings.Join(got, " "), want, "files")
	}
	f := begin(false)
	holds("- new")
	f.Discard()
	holds("- -")
	f = begin(false)
	must.Do(t, f.Finish())
	f.Discard()
	holds("new -")
	must.Refuse(Create(path, false))(t, "exists", "over another file")
	first, second := begin(true), begin(true)
	if err := first.Finish(); !errors.Is(err, ErrGone) {
		t.Errorf("the first of two: %v", err)
	}
	first.Discard() // and leaves the other file
	holds("new new")
	second.Discard()
	must.Do(t, os.Remove(path))
	f = begin(false)
	must.Do(t, os.WriteFile(path, []byte("another's"), 0o600))
	must.Fail(t, f.Finish(), "exists", "over a file created meanwhile")
	f.Discard()
	holds("another's -")
	must.Refuse(Create(filepath.Dir(path), true))(t, "is a folder", "over a folder")
}
