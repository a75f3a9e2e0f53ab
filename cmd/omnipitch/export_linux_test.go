package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
)

// A recording of a run becomes a bag; what can't be is refused in one sentence, and leaves what there is.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	recorded(t, in("a.mcap"))
	if code, stdout, stderr := command(t, "export", in("a.mcap"), "--out", in("a.bag")); code != exit.CodeDone || stdout+stderr != "" {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	for name, text := range map[string]string{"other.mcap": "no recording", "there.bag": "another file", "cut.bag.partial": "another process"} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(in("folder.bag"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"no such file", []string{"nothing.mcap", "b.bag"}},
		{"must be an MCAP file", []string{"other.mcap", "b.bag"}},
		{"must end in .bag", []string{"a.mcap", "b.bga"}},
		{"there.bag: exists", []string{"a.mcap", "there.bag"}},
		{"cut.bag.partial: file exists", []string{"a.mcap", "cut.bag"}},
		{"is a folder", []string{"a.mcap", "folder.bag", "--overwrite"}},
		{"nowhere", []string{"a.mcap", "nowhere/b.bag"}},
		{`topics[0] = "/cyan9/*": the recording has no such topic`, []string{"a.mcap", "b.bag", "--topic", "/cyan9/*"}},
		{"must be a name", []string{"a.mcap", "b.bag", "--topic", "/a b"}},
		{"ends at 6s", []string{"a.mcap", "b.bag", "--from", "7s"}},
		{"must not be negative", []string{"a.mcap", "b.bag", "--for", "-1s"}},
	} {
		args := append([]string{"export", in(c.args[0]), "--out", in(c.args[1])}, c.args[2:]...)
		code, stdout, stderr := command(t, args...)
		if code != exit.CodeBadInput || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, %s, want %d and %q", args, code, stderr, exit.CodeBadInput, c.want)
		}
	}
	if after := contents(t, dir); len(after) != len(before) {
		t.Errorf("there are %d files, not %d as before", len(after), len(before))
	}
	if code, _, stderr := command(t, "export", in("a.mcap"), "--out", in("there.bag"), "--overwrite"); code != exit.CodeDone {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if a, b := contents(t, dir)["a.bag"], contents(t, dir)["there.bag"]; a != b || !strings.HasPrefix(a, "----------#ROSBAG V2.0\n") {
		t.Errorf("bags of %d and %d bytes of the same recording are not the same", len(a), len(b))
	}
}

// What ends an export leaves nothing: Ctrl-C, and a full disk.
func TestExportsThatEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	recorded(t, path, "--record-exact")
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a tmpfs cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(disk, 0)
	args := []string{"export", path, "--out", filepath.Join(disk, "a.bag")}
	code, stdout, stderr := command(t, args...)
	wantSentence(t, code, exit.CodeLacking, stdout, stderr, `^omnipitch: write [^:]*: no space left on device\n$`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code = run(ctx, args, console.Streams{Out: &out, Err: &errs})
	wantSentence(t, code, exit.CodeFailed, out.String(), errs.String(), `^omnipitch: interrupted: nothing was written\n$`)
	if left := contents(t, disk); len(left) > 0 {
		t.Errorf("left behind: %d files", len(left))
	}
}
