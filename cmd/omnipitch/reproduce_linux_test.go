package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/reproduce"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestReproduce checks that the command lists experiments and refuses impossible ones before anything runs. It must
// write a page, Markdown with plots, and JSON.
func TestReproduce(t *testing.T) {
	call := func(args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = run(t.Context(), append([]string{"reproduce"}, args...), console.Streams{Out: &o, Err: &e})
		return code, o.String(), e.String()
	}
	code, out, _ := call("--list")
	for _, e := range reproduce.Experiments {
		if !strings.Contains(out, e.Name+" ") || !strings.Contains(out, e.World) {
			t.Errorf("%s is not in the list:\n%s", e.Name, out)
		}
	}
	if code != console.ExitDone {
		t.Errorf("exit code %d", code)
	}

	busy := t.TempDir()
	mine := filepath.Join(busy, "mine.txt")
	must.Write(t, mine, "mine")
	for _, c := range []struct {
		args string
		want string
	}{
		{"ramps", `"ramps": must be among `},
		{"ramp --world nowhere", "nowhere"},
		{"ramp path --world planar", "the one experiment"},
		{"ramp --overwrite", "--overwrite: needs --out"},
		{"ramp --out=", "--out"},
		{"ramp --out " + busy, "mine.txt"},
		{"ramp --out " + busy + " --overwrite", "mine.txt"},
	} {
		if code, out, errs := call(strings.Fields(c.args)...); code != console.ExitBadInput || !strings.Contains(errs,
			c.want) ||
			out != "" {
			t.Errorf("%q: exit code %d\n%s%s\nwant %q", c.args, code, out, errs, c.want)
		}
	}
	if text, err := os.ReadFile(mine); string(text) != "mine" || err != nil {
		t.Errorf("the file of another is %q, %v", text, err)
	}

	dir := filepath.Join(t.TempDir(), "results")
	code, out, errs := call("ramp", "--out", dir)
	if code != console.ExitDone || !strings.Contains(out, "2 reproduced, 0 better, 0 differ, 0 absent") ||
		!strings.Contains(errs, "ramp: ") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	files := contents(t, dir)
	for name, want := range map[string]string{
		"page.html": "<svg", "results.md": "<img src=\"reproduce-ramp-velocity.png\"",
		"results.json": `"verdict": "reproduced"`, "reproduce-ramp-velocity.png": "\x89PNG",
		"omnipitch-files.txt": "page.html",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s does not have %q", name, want)
		}
	}
	if code, _, errs := call("ramp", "--out", dir); code != console.ExitBadInput {
		t.Errorf("a full folder: exit code %d\n%s", code, errs)
	}
	code, out, _ = call("ramp", "--out", dir, "--overwrite", "--json")
	var report struct {
		Machine     string
		Experiments []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != console.ExitDone || report.Machine == "" ||
		len(report.Experiments) != 1 || report.Experiments[0].Name != "ramp" {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
	if again := contents(t, dir); len(again) != len(files) ||
		!slices.Equal([]byte(again["reproduce-ramp-velocity.png"]), []byte(files["reproduce-ramp-velocity.png"])) {
		t.Errorf("%d files, where there were %d, or another plot", len(again), len(files))
	}
}
