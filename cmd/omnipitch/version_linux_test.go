package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestVersion checks that --version prints what the program is built from.
func TestVersion(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the test has no build information")
	}
	code, stdout, stderr := command(t, "--version")
	if code != console.ExitDone || stdout != versionOf(info)+"\n" || !strings.HasPrefix(stdout,
		"omnipitch "+info.Main.Version) || stderr != "" {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	for _, c := range []struct {
		want     string
		settings []debug.BuildSetting
	}{
		{"omnipitch v1.2.3", nil},
		{"omnipitch v1.2.3, revision abc", []debug.BuildSetting{setting("vcs.revision", "abc"),
			setting("vcs.modified", "false")}},
		{"omnipitch v1.2.3, revision abc of 2026-01-02T03:04:05Z, changed since",
			[]debug.BuildSetting{setting("vcs.modified", "true"), setting("vcs.time", "2026-01-02T03:04:05Z"),
				setting("vcs.revision", "abc")}},
	} {
		if got := versionOf(&debug.BuildInfo{Main: debug.Module{Path: "x", Version: "v1.2.3"},
			Settings: c.settings}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
