package files

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestMemoryIsAFileSystem(t *testing.T) {
	in := must.Get(Memory(map[string][]byte{"a/b": []byte("x"), "a/c/d": []byte("yz"), "e": nil}))(t)
	if err := fstest.TestFS(in.Folder(".", 10), "a/b", "a/c/d", "e"); err != nil {
		t.Error(err)
	}
	if err := fstest.TestFS(in.Folder("a/", 10), "b", "c/d"); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]string{
		"a/c/../b": "x", "./a//c/d": "yz", "a/../a/b": "x",
		"/a/b": "!is not among", "../a/b": "!is not among", "a/b/c": "!is not among", "a/x": "!is not among",
		"": "!is a folder", "a": "!is a folder",
		"/etc/passwd": "!is not among", "../../../../../../etc/passwd": "!is not among",
		"a/../../etc/passwd": "!is not among", "/proc/self/environ": "!is not among",
	} {
		data, err := in.Read(path, 2)
		rule, refused := strings.CutPrefix(want, "!")
		switch {
		case refused && (err == nil || !strings.HasPrefix(err.Error(), rule)):
			t.Errorf("%q: %q, %v, want %s", path, data, err, rule)
		case !refused && (err != nil || string(data) != want):
			t.Errorf("%q: %q, %v, want %s", path, data, err, want)
		}
	}
	if _, err := in.Read("a/c/d", 1); err == nil || err.Error() != "is too long: must be at most 1 bytes" {
		t.Error(err)
	}
	if _, err := fs.ReadFile(in.Folder("a/c", 1), "d"); err == nil || !strings.HasSuffix(err.Error(),
		"is too long: must be at most 1 bytes") {
		t.Error(err)
	}
	for _, folder := range []string{"..", "/", "/etc", "e", "x"} {
		if _, err := fs.ReadDir(in.Folder(folder, 10), "."); err == nil {
			t.Errorf("%q can be listed", folder)
		}
	}
}

// A path that is not plain names nothing, for every caller.
func TestMemoryRefusesPaths(t *testing.T) {
	for _, names := range [][]string{
		{"../a"}, {"/a"}, {"a/../b"}, {"./a"}, {"a//b"}, {"a/"}, {""}, {"."}, {"a\xff"}, {"a", "a/b"}, {"a/b/c", "a/b"},
		{strings.Repeat("a/", maxDepth) + "a"},
	} {
		files := map[string][]byte{}
		for _, name := range names {
			files[name] = nil
		}
		if _, err := Memory(files); err == nil {
			t.Errorf("%q is taken", names)
		}
	}
}
