package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The list of files that a run has written, and the first line of the list.
const (
	filesList = "omnipitch-files.txt"
	filesHead = "Files that omnipitch has written here; --overwrite removes them."
)

// runInto returns the arguments of a short run that writes into a folder.
func runInto(dir string, args ...string) []string {
	return append([]string{"run", "planar", "--ros1", "off", "--speed", "max", "--for", "50ms", "--out", dir}, args...)
}

// contents returns the contents of the files in a folder by name. Links and folders are included as such.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, e := range must.Get(os.ReadDir(dir))(t) {
		all[e.Name()] = e.Type().String()
		if e.Type().IsRegular() {
			all[e.Name()] += read(t, filepath.Join(dir, e.Name()))
		}
	}
	return all
}

// TestOutIsAFolderOfItsOwn checks that results go into a new or an empty folder. A used folder must be refused and stay
// unchanged.
func TestOutIsAFolderOfItsOwn(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "a", "b")
	for _, dir := range []string{fresh, t.TempDir()} {
		prints(t, console.ExitDone, "", runInto(dir)...)
		if _, ok := contents(t, dir)["truth.jsonl"]; !ok {
			t.Errorf("%s holds no truth.jsonl", dir)
		}
	}
	before := contents(t, fresh)
	foreign := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(foreign, "notes"), nil, 0o600))
	for _, c := range []struct{ dir, want string }{
		{fresh, `--out .*: holds [0-9]+ files of an earlier run: must be a new or empty folder, or use --overwrite`},
		{foreign, `--out .*: holds notes, which omnipitch did not write: must be a new or empty folder`},
		{"", `--out = "": must name a folder`},
	} {
		refuses(t, console.ExitBadInput, c.want, runInto(c.dir)...)
		refuses(t, console.ExitBadInput, c.want, "snapshot", "planar", "--renderer", "raycast", "--out", c.dir)
	}
	if !maps.Equal(before, contents(t, fresh)) {
		t.Error("a refused run has changed the folder")
	}
	refuses(t, console.ExitBadInput, `--overwrite: needs --out`, "run", "planar", "--overwrite")
	for _, args := range [][]string{{"calibration", "nubot-attack", "cyan1.front", "--out", ""},
		{"bench", "physics", "--plot", ""}, {"bench", "timesync", "--plot", ""}} {
		refuses(t, console.ExitBadInput, `--(out|plot) = "": must name a (file|folder)`, args...)
	}
}

// TestOverwriteRemovesOurFilesAlone checks that --overwrite removes only the files in the list of an earlier run. They
// must be plain files, and the folder must contain nothing else.
func TestOverwriteRemovesOurFilesAlone(t *testing.T) {
	dir := t.TempDir()
	prints(t, console.ExitDone, "", runInto(dir, "--for", "200ms")...)
	long := len(contents(t, dir))
	prints(t, console.ExitDone, "", runInto(dir, "--overwrite")...)
	if n := len(contents(t, dir)); n >= long || n < 3 {
		t.Errorf("%d files, %d before: must be those of the shorter run", n, long)
	}
	secret := must.File(t, "secret", "precious")
	write := func(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
	for _, c := range []struct {
		name, want string
		change     func(path string) error // modifies the folder
	}{
		{"file of somebody else", "holds mine, which omnipitch did not write",
			func(dir string) error { return write(dir+"/mine", "") }},
		{"link in the place of a file", "holds truth.jsonl, which is no regular file",
			func(dir string) error { return os.Symlink(secret, dir+"/truth.jsonl") }},
		{"folder in the place of a file", "holds truth.jsonl, which is no regular file",
			func(dir string) error { return os.Mkdir(dir+"/truth.jsonl", 0o700) }},
		{"list that leads elsewhere", "holds mine, which omnipitch did not write", func(dir string) error {
			return errors.Join(write(dir+"/mine", ""),
				write(dir+"/"+filesList, filesHead+"\n../secret\n"+secret+"\ntruth.jsonl\n"))
		}},
		{"list that is a link", "holds omnipitch-files.txt, which omnipitch did not write",
			func(dir string) error { return os.Symlink(secret, dir+"/"+filesList) }},
		{"list of somebody else", "holds omnipitch-files.txt, which omnipitch did not write",
			func(dir string) error { return write(dir+"/"+filesList, "truth.jsonl\n") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{filesList: filesHead + "\ntruth.jsonl\nlevels.jsonl\n",
				"levels.jsonl": "{}\n"} {
				if strings.HasPrefix(c.name, "list") {
					continue
				}
				must.Write(t, filepath.Join(dir, name), text)
			}
			must.Do(t, c.change(dir))
			before := contents(t, dir)
			refuses(t, console.ExitBadInput, regexp.QuoteMeta(c.want), runInto(dir, "--overwrite")...)
			if !maps.Equal(before, contents(t, dir)) {
				t.Errorf("the folder has changed: %v", slices.Sorted(maps.Keys(contents(t, dir))))
			}
			if text := read(t, secret); text != "precious" {
				t.Errorf("a file elsewhere has changed: %q", text)
			}
		})
	}
}

// TestOneRunAFolder starts two runs into one folder. The second must be refused for that reason, even with --overwrite.
func TestOneRunAFolder(t *testing.T) {
	dir := t.TempDir()
	first := launch(t, "", "run", "planar", "--json", "--ros1", "off", "--out", dir)
	awaitTruth(t, dir)
	for _, args := range [][]string{nil, {"--overwrite"}} {
		refuses(t, console.ExitBadInput, `--out .*: another omnipitch is writing into it`, runInto(dir, args...)...)
	}
	if sum := first.interrupt(); sum.Steps == 0 {
		t.Errorf("the first run: %+v", sum)
	}
}

// TestFullDisk checks that a run whose disk is full ends at once and says so.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	mount := start(t, "", "unshare", "-rm", "sh", "-c",
		`mount -t tmpfs -o size=256k tmpfs "$1" && exec "$2" run planar --ros1 off --speed max --out "$1"`,
		"sh", dir, program(t))
	mount.exitCode()
	if stderr := mount.stderr(); strings.Contains(stderr, "unshare") || strings.Contains(stderr, "mount:") {
		t.Skipf("no mounts of one's own here: %s", stderr)
	}
	mount.refuses(console.ExitUnavailable, `--out [^:]*: write [^:/]*: no space left on device\n$`)
}

// TestNohup checks that a run ignores SIGHUP if its parent process ignored it, as nohup does.
func TestNohup(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "", "nohup", program(t), "run", "planar", "--json", "--ros1", "off", "--speed", "4", "--for", "4s",
		"--out", dir)
	awaitTruth(t, dir)
	p.signal(syscall.SIGHUP)
	if sum := p.summary(); sum.Sim != 4 {
		t.Errorf("the run ended at %v s, want 4 s", sum.Sim)
	}
}
