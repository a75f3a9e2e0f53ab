package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// The list of files that a run has written, and the first line of the list.
const (
	filesList = "omnipitch-files.txt"
	filesHead = "Files that omnipitch has written here; --overwrite removes them."
)

// record runs a short recording into a folder.
func record(t testing.TB, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return command(t, append([]string{"run", "planar", "--ros1", "off", "--speed", "max", "--for", "50ms", "--out",
		dir}, args...)...)
}

// contents returns the contents of the files in a folder by name. Links and folders are included as such.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries := must(os.ReadDir(dir))(t)
	all := map[string]string{}
	for _, e := range entries {
		all[e.Name()] = e.Type().String()
		if e.Type().IsRegular() {
			text := must(os.ReadFile(filepath.Join(dir, e.Name())))(t)
			all[e.Name()] += string(text)
		}
	}
	return all
}

// TestOutIsAFolderOfItsOwn checks that results go into a new or an empty folder. A used folder must be refused and stay
// unchanged.
func TestOutIsAFolderOfItsOwn(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "a", "b")
	for _, dir := range []string{fresh, t.TempDir()} {
		if code, _, stderr := record(t, dir); code != console.ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if _, ok := contents(t, dir)["truth.jsonl"]; !ok {
			t.Errorf("%s holds no truth.jsonl", dir)
		}
	}
	before := contents(t, fresh)
	foreign := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(foreign, "notes"), nil, 0o600))
	for _, c := range []struct{ dir, want string }{
		{fresh, `--out .*: holds [0-9]+ files of an earlier run: must be a new or empty folder, or use --overwrite`},
		{foreign, `--out .*: holds notes, which omnipitch did not write: must be a new or empty folder`},
		{"", `--out = "": must name a folder`},
	} {
		code, stdout, stderr := record(t, c.dir)
		wantSentence(t, code, console.ExitBadInput, stdout, stderr, c.want)
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
	if code, _, stderr := record(t, dir, "--for", "200ms"); code != console.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	long := len(contents(t, dir))
	if code, _, stderr := record(t, dir, "--overwrite"); code != console.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if n := len(contents(t, dir)); n >= long || n < 3 {
		t.Errorf("%d files, %d before: must be those of the shorter run", n, long)
	}
	secret := writeFile(t, "secret", "precious")
	for _, c := range []struct {
		name, want string
		change     func(path string) error // modifies the folder
	}{
		{"file of somebody else", "holds mine, which omnipitch did not write",
			func(dir string) error { return os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600) }},
		{"link in the place of a file", "holds truth.jsonl, which is no regular file", func(dir string) error {
			return os.Symlink(secret, filepath.Join(dir, "truth.jsonl"))
		}},
		{"folder in the place of a file", "holds truth.jsonl, which is no regular file",
			func(dir string) error { return os.Mkdir(filepath.Join(dir, "truth.jsonl"), 0o700) }},
		{"list that leads elsewhere", "holds mine, which omnipitch did not write", func(dir string) error {
			err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600)
			return joined(err, os.WriteFile(filepath.Join(dir, filesList),
				[]byte(filesHead+"\n../secret\n"+secret+"\ntruth.jsonl\n"), 0o600))
		}},
		{"list that is a link", "holds omnipitch-files.txt, which omnipitch did not write", func(dir string) error {
			return os.Symlink(secret, filepath.Join(dir, filesList))
		}},
		{"list of somebody else", "holds omnipitch-files.txt, which omnipitch did not write", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, filesList), []byte("truth.jsonl\n"), 0o600)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{filesList: filesHead + "\ntruth.jsonl\nlevels.jsonl\n",
				"levels.jsonl": "{}\n"} {
				if strings.HasPrefix(c.name, "list") {
					continue
				}
				put(t, filepath.Join(dir, name), text)
			}
			noError(t, c.change(dir))
			before := contents(t, dir)
			code, stdout, stderr := record(t, dir, "--overwrite")
			wantSentence(t, code, console.ExitBadInput, stdout, stderr, regexp.QuoteMeta(c.want))
			if !maps.Equal(before, contents(t, dir)) {
				t.Errorf("the folder has changed: %v", slices.Sorted(maps.Keys(contents(t, dir))))
			}
			if text, err := os.ReadFile(secret); err != nil || string(text) != "precious" {
				t.Errorf("a file elsewhere has changed: %q, %v", text, err)
			}
		})
	}
}

// joined returns the first error.
func joined(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestOneRunAFolder starts two runs into one folder. The second must be refused for that reason, even with --overwrite.
func TestOneRunAFolder(t *testing.T) {
	dir := t.TempDir()
	first := launch(t, "", "run", "planar", "--json", "--ros1", "off", "--out", dir)
	until(t, "the first run to write", func() bool {
		info, err := os.Stat(filepath.Join(dir, "truth.jsonl"))
		return err == nil && info.Size() > 0 || first.ended()
	})
	for _, args := range [][]string{nil, {"--overwrite"}} {
		code, stdout, stderr := record(t, dir, args...)
		wantSentence(t, code, console.ExitBadInput, stdout, stderr, `--out .*: another omnipitch is writing into it`)
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
	until(t, "the run to end", mount.ended)
	stderr := withoutProgress(mount.stderr())
	if strings.Contains(stderr, "unshare") || strings.Contains(stderr, "mount:") {
		t.Skipf("no mounts of one's own here: %s", stderr)
	}
	wantSentence(t, mount.exitCode(), console.ExitUnavailable, mount.stdout(), stderr,
		`--out [^:]*: write [^:/]*: no space left on device\n$`)
}

// TestNohup checks that a run ignores SIGHUP if its parent process ignored it, as nohup does.
func TestNohup(t *testing.T) {
	dir := t.TempDir()
	p := start(t, "", "nohup", program(t), "run", "planar", "--json", "--ros1", "off", "--speed", "4", "--for", "4s",
		"--out", dir)
	until(t, "the run to begin", func() bool {
		_, err := os.Stat(filepath.Join(dir, "truth.jsonl"))
		return err == nil || p.ended()
	})
	p.signal(syscall.SIGHUP)
	if sum := p.summary(); sum.Sim != 4 {
		t.Errorf("the run ended at %v s, want 4 s", sum.Sim)
	}
}
