package files

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The FIFO has no writer, and the device has no end, so a reader that simply opened them would never return.
func TestOnlyRegularFilesOfTheRightLengthAreRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	socket := must.Get(net.Listen("unix", at("socket")))(t)
	defer socket.Close()
	must.Do(t, errors.Join(
		os.WriteFile(at("text"), []byte("0123456789"), 0o644), os.Symlink("text", at("link")),
		os.Symlink("/dev/zero", at("zero")),
		syscall.Mkfifo(at("fifo"), 0o644), os.Mkdir(at("folder"), 0o755), os.Symlink("loop", at("loop")),
		os.WriteFile(at("sparse"), nil, 0o644), os.Truncate(at("sparse"), 1<<40), os.Symlink("/proc/self/maps",
			at("maps")),
	))
	for _, c := range []struct {
		name string
		most int
		want string
	}{
		{"text", 10, ""}, {"link", 10, ""}, {"maps", 1 << 20, ""},
		{"text", 9, "is too long: must be at most 9 bytes"},
		{"maps", 5, "is too long: must be at most 5 bytes"},
		{"sparse", 1 << 20, "is too long: must be at most 1 MiB"},
		{"zero", 1 << 20, "is a device: must be a regular file"},
		{"fifo", 1 << 20, "is a FIFO: must be a regular file"},
		{"socket", 1 << 20, "is a socket: must be a regular file"},
		{"folder", 1 << 20, "is a folder: must be a regular file"},
		{"loop", 1 << 20, "too many levels of symbolic links"},
		{"none", 1 << 20, "no such file or directory"},
	} {
		allocs.AtMost(t, 1<<20, func() {
			for _, read := range []func() ([]byte, error){
				func() ([]byte, error) { return Read(at(c.name), c.most) },
				func() ([]byte, error) { return fs.ReadFile(Folder(dir, c.most), c.name) },
			} {
				data, err := read()
				switch {
				case c.want == "" && (err != nil || len(data) == 0):
					t.Errorf("%s: %q, %v", c.name, data, err)
				case c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)):
					t.Errorf("%s: %v, want %q", c.name, err, c.want)
				}
			}
		})
	}
}

func TestAFolderIsAFileSystem(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o755), os.WriteFile(filepath.Join(dir, "a", "b"),
		[]byte("x"), 0o644)))
	if err := fstest.TestFS(Folder(dir, 1<<20), "a/b"); err != nil {
		t.Error(err)
	}
	if _, err := fs.ReadFile(Folder(filepath.Join(dir, "a"), 1<<20), "../a/b"); err == nil {
		t.Error("a path led out of the folder")
	}
}
