package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestAssessPairs fits a world model to a file, and includes the fit in a world.
func TestAssessPairs(t *testing.T) {
	text := strings.Builder{}
	text.WriteString("time_s,robot_x_m,robot_y_m,reported_x_m,reported_y_m,true_x_m,true_y_m\n")
	for i := range 40 {
		fmt.Fprintf(&text, "%d,0,0,%g,0.1,2.5,0\n%d,0,0,,,2.5,0\n", i, 2.4+0.01*float64(i), i)
	}
	pairs, fit := must.File(t, "pairs.csv", text.String()), filepath.Join(t.TempDir(), "fit.toml")
	code, out, errs := command(t, "assess", "--pairs", pairs, "--robot", "cyan1", "--sensor", "omni", "--fit", fit)
	wantOutput(t, "assess --pairs", code, console.ExitDone, out+errs, "40 pairs, 40 missed of 80; 0 of 40 reports are false",
		"correlation 1000 ms, a guess: column object is needed", "2.5 to 2.5", "error model of cyan1.omni: "+fit)
	prints(t, console.ExitDone, "", "check", aWorld(t, `include = ["`+fit+`"]`+assessedWorld))
	bad := must.File(t, "bad.csv", strings.Replace(text.String(), "2.4,", "north,", 1))
	for _, c := range []struct{ args, want string }{
		{"--pairs " + bad, bad + `: line 2: reported_x_m = "north": must be a number from -1000 to 1000`},
		{"--pairs " + pairs + "x", "--pairs: open " + pairs + "x: "},
		{"--pairs " + pairs + " --fit " + fit, "--pairs: --fit needs --robot and --sensor"},
		{"--pairs " + pairs + " --json", "--pairs: prints text: not with --out or --json"},
		{"--pairs " + pairs + " --topic t", "--pairs: runs no world: not with --topic"},
		{"ladder --pairs " + pairs, "--pairs: runs no world: not with a world"},
		{"--pairs " + pairs + " --photographs d --detections d", "--photographs: runs no world: not with --pairs"},
	} {
		code, out, errs := command(t, append([]string{"assess"}, strings.Fields(c.args)...)...)
		wantOutput(t, c.args, code, console.ExitBadInput, out+errs, c.want)
	}
}
