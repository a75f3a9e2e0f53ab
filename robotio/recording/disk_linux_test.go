package recording

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A full disk ends the recording. Complete chunks remain.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a tmpfs cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	var e ended
	path := filepath.Join(dir, "a.mcap")
	w := begin(t, path, Header{}, Options{Ended: e.note})
	c := channel(t, w, "/a", number)
	noise := newNoise()
	for i := 0; e.count() == 0; i++ {
		c.Write(0, 0, noise.bytes(10_000))
		if i == 10_000 {
			t.Fatal("a disk of 4 MiB takes 100 MB")
		}
	}
	e.check(t, w, c, syscall.ENOSPC.Error())
	if n := chunksBefore(t, path+aside.Suffix); n < 2 {
		t.Errorf("%d whole chunks are in the file", n)
	}
	if _, err := Create(filepath.Join(dir, "b.mcap"), Header{Attachments: []Attachment{{Data: noise.bytes(5_000_000)}}},
		Options{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Create on a full disk: %v", err)
	} else if left, _ := filepath.Glob(filepath.Join(dir, "b.mcap*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// chunksBefore counts the complete chunks of a truncated file.
func chunksBefore(t *testing.T, path string) (n int) {
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	l := must.Get(mcap.NewLexer(f, &mcap.LexerOptions{EmitChunks: true}))(t)
	for {
		token, _, err := l.Next(nil)
		if err != nil {
			return n
		}
		if token == mcap.TokenChunk {
			n++
		}
	}
}
