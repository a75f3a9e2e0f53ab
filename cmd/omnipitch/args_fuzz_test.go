package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/allocs"
)

// FuzzArguments checks that no command line makes the parser panic, write or allocate without bound. A refused line
// must give bad input with an explanation, and an accepted one must be executable. Line ends separate arguments.
func FuzzArguments(f *testing.F) {
	for _, line := range []string{
		"", "--help", "run", "run\n--help", "run\nnubot-attack", "rnu\nx", "run\na\nb",
		"run\nplanar\n--for\n10s\n--speed\nmax\n--seed\n7\n--level\n*=objects\n--ros1\noff\n--json",
		"run\nplanar\n--for=0", "run\nplanar\n--for=-1s", "run\nplanar\n--for\n-1s", "run\n--\n--for\n-1s", "-1",
		"run\nplanar\n--json\n-1", "--version",
		"run\nplanar\n--for=1e400s", "run\nplanar\n--speed=1e400", "run\nplanar\n--speed=nan",
		"run\nplanar\n--seed=99999999999999999999", "run\nplanar\n--out=", "run\nplanar\n--out\nd\n--overwrite",
		"run\nplanar\n--overwrite",
		"run\nplanar\n--ros1=embedded:0\n--rosbridge=on\n--foxglove=[::1]:80\n--origin=https://example.org\n--origin=*",
		"run\nplanar\n--ros1=embedded:65536", "run\nplanar\n--ros1=off\n--player=0\n--listen=::1",
		"run\nplanar\n--listen=0.0.0.0", "run\nplanar\n--listen=::1%lo",
		"run\nplanar\n--origin=http://[",
		"run\nplanar\n--level\nx", "run\nplanar\n--level=a=b\n--level=", "run\n--\n--for",
		"run\nplanar\n--window=maybe",
		"snapshot\nlenses\n--out\nd\n--at\n2s\n--renderer\nraycast", "snapshot\nx\n--out=", "check\na\nb\nc", "check",
		"calibration\nnubot-attack\ncyan1.omni\n--format\nocamcalib\n--out\nx", "calibration\na\nb\n--format=nubot",
		"bench\nrender\n--rounds\n0", "bench\nlevels\n--robots\n1,2,x", "bench\ntimesync\n--loads=raw,,\n--plot=",
		"bench\nros1\n--for=-1s",
		"bench\nros1-peer\na\nb\nc", "master\n--port\n-1", "master\n--port=99999\n--listen=x", "ros\nlist\n--json",
		"ros\ninfo", "ros\nprofiles\nnubot",
		"worlds", "worlds\nshow\nplanar", "\x00\n\xff\n--\xff=\xff", "run\n@/etc/passwd", "run\n${env}",
		"--renderer=opengl", "-h", "-",
	} {
		f.Add(line)
	}
	for _, line := range []string{ // as many arguments of one kind as are accepted, and more
		"check" + strings.Repeat("\na", maxArgs-1), "check" + strings.Repeat("\na", maxArgs),
		"run\nplanar" + strings.Repeat("\n--level="+strings.Repeat("b", 50), maxArgs-2),
		"bench\nlevels" + strings.Repeat("\n--robots="+strings.Repeat("1,", 25), maxArgs-2),
		"run\nplanar\n--" + strings.Repeat("ab", maxArgBytes/2-10), "run\n" + strings.Repeat("a", maxArgBytes+1),
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if len(line) >= 1<<20 {
			t.Skip() // no system accepts a longer command line
		}
		args := strings.Split(line, "\n")
		allocs.AtMost(t, allocs.ParseLimit, func() {
			kctx, _, err := parse(args, console.Streams{Out: io.Discard, Err: io.Discard})
			switch {
			case err != nil:
				if kctx != nil || console.ExitCode(err) != console.ExitBadInput ||
					strings.TrimSpace(err.Error()) == "" {
					t.Errorf("%q: exit code %d, %v", args, console.ExitCode(err), err)
				}
				if errors.As(err, new(interface{ RuntimeError() })) {
					t.Errorf("%q: %v", args, err)
				}
			case kctx != nil && !kctx.Selected().Target.Addr().CanInterface():
				t.Errorf("%q: selects nothing that can be run", args)
			}
		})
	})
}
