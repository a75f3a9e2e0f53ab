package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestExport checks that a recording of a run becomes a bag. An impossible export must give one sentence and leave
// existing files unchanged.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	recorded(t, in("a.mcap"))
	if code, stdout, stderr := command(t, "export", in("a.mcap"), "--out", in("a.bag")); code != console.ExitDone ||
		stdout+stderr != "" {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	for name, text := range map[string]string{"other.mcap": "no recording", "there.bag": "another file",
		"cut.bag.partial": "another process"} {
		put(t, in(name), text)
	}
	noError(t, os.Mkdir(in("folder.bag"), 0o700))
	before := contents(t, dir)
	for _, c := range []struct {
		want, args string
	}{
		{"no such file", "nothing.mcap b.bag"},
		{"must be an MCAP file", "other.mcap b.bag"},
		{"must end in .bag", "a.mcap b.bga"},
		{"rate = 99", "a.mcap b.zip --rate 99"},
		{"hold the truth only", "a.mcap b.zip --topic /a"},
		{"is for logs of the referee box only", "a.mcap tables --rate 5"},
		{"own name", "a.mcap a.mcap --format bag --overwrite"},
		{"own name", "a.mcap.partial a.mcap --format bag --overwrite"},
		{"no such topic", "a.mcap tables --topic /cyan9/*"},
		{"must be a new or empty folder", "a.mcap ."},
		{"there.bag: exists", "a.mcap there.bag"},
		{"cut.bag.partial: file exists", "a.mcap cut.bag"},
		{"is a folder", "a.mcap folder.bag --overwrite"},
		{"nowhere", "a.mcap nowhere/b.bag"},
		{`topics[0] = "/cyan9/*": the recording has no such topic`, "a.mcap b.bag --topic /cyan9/*"},
		{"must be a name", "a.mcap b.bag --topic '/a b'"},
		{"ends at 6s", "a.mcap b.bag --from 7s"},
		{"must not be negative", "a.mcap b.bag --for -1s"},
	} {
		words := shellWords(c.args)
		args := append([]string{"export", in(words[0]), "--out", in(words[1])}, words[2:]...)
		code, stdout, stderr := command(t, args...)
		if code != console.ExitBadInput || stdout != "" || !strings.Contains(stderr, c.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, %s, want %d and %q", args, code, stderr, console.ExitBadInput, c.want)
		}
	}
	if after := contents(t, dir); len(after) != len(before) {
		t.Errorf("there are %d files, not %d as before", len(after), len(before))
	}
	prints(t, console.ExitDone, "", "export", in("a.mcap"), "--out", in("there.bag"), "--overwrite")
	if a, b := contents(t, dir)["a.bag"], contents(t, dir)["there.bag"]; a != b ||
		!strings.HasPrefix(a, "----------#ROSBAG V2.0\n") {
		t.Errorf("bags of %d and %d bytes of the same recording are not the same", len(a), len(b))
	}
}

// TestExportTablesAndLogs checks that a recording becomes tables with the truth, and logs of both teams.
func TestExportTablesAndLogs(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	recorded(t, in("a.mcap"), "--record-exact")
	if code, stdout, stderr := command(t, "export", in("a.mcap"), "--out", in("tables"), "--from", "1s", "--for",
		"2s"); code != console.ExitDone || stdout+stderr != "" {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	f := must(os.Open(in("tables/omnipitch.truth.csv")))(t)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 1+100 || rows[1][0] != "1.000000000" {
		t.Fatalf("%d rows, %v; want 2 s at 50 Hz from 1 s on", len(rows), err)
	}
	if name := slices.Index(rows[0], "bodies[0].name"); name < 0 || rows[1][name] != "ball" {
		t.Errorf("the first body of %q is not the ball", rows[1])
	}
	if code, stdout, stderr := command(t, "export", in("a.mcap"), "--out", in("match.zip")); code != console.ExitDone ||
		stdout+stderr != "" {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	archive := must(zip.OpenReader(in("match.zip")))(t)
	defer archive.Close()
	if err := fstest.TestFS(archive, "match.A.msl", "match.B.msl"); err != nil {
		t.Error(err)
	}
	if text, err := fs.ReadFile(archive, "match.A.msl"); err != nil || strings.Count(string(text),
		`"type":"worldstate"`) != 61 {
		t.Errorf("%d world states, %v; want 6 s at 10 Hz", strings.Count(string(text), `"type":"worldstate"`), err)
	}
}

// TestExportsThatEnd checks that an export interrupted by Ctrl-C or a full disk leaves no files.
func TestExportsThatEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	recorded(t, path, "--record-exact")
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a tmpfs cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(disk, 0)
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, out := range []string{"a.bag", "."} {
		args := []string{"export", path, "--out", filepath.Join(disk, out)}
		refuses(t, console.ExitUnavailable, `^omnipitch: .*write [^:]*: no space left on device\n$`, args...)
		var out, errs bytes.Buffer
		code := run(interrupted, args, console.Streams{Out: &out, Err: &errs})
		wantSentence(t, code, console.ExitFailed, out.String(), errs.String(),
			`^omnipitch: interrupted: nothing was written\n$`)
		for name := range contents(t, disk) {
			if name != "omnipitch-files.txt" { // it lists no files
				t.Errorf("%q: left behind: %s", args, name)
			}
		}
	}
}
