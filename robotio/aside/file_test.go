package aside

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file has its final name only when it is complete. An incomplete one is removed.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	begin := func(overwrite bool) *File {
		t.Helper()
		f, err := Create(path, overwrite)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("new"); err != nil {
			t.Fatal(err)
		}
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
		if s := strings.Join(got, " "); s != want {
			t.Errorf("files are %q, want %q", s, want)
		}
	}
	f := begin(false)
	holds("- new")
	f.Discard()
	holds("- -")
	f = begin(false)
	if err := f.Finish(); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	holds("new -")
	if _, err := Create(path, false); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("over another file: %v", err)
	}
	first, second := begin(true), begin(true)
	if err := first.Finish(); !errors.Is(err, ErrGone) {
		t.Errorf("the first of two: %v", err)
	}
	first.Discard() // and leaves the other file
	holds("new new")
	second.Discard()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f = begin(false)
	if err := os.WriteFile(path, []byte("another's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Finish(); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("over a file created meanwhile: %v", err)
	}
	f.Discard()
	holds("another's -")
	if _, err := Create(filepath.Dir(path), true); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("over a folder: %v", err)
	}
}
