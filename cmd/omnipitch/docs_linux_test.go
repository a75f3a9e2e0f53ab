package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// shownCommand is a command line on a page, and the output that the page shows.
type shownCommand struct {
	place string // page:line
	line  int
	text  string // the whole line
	args  []string
	lines []string
}

// shownCommands returns the commands in code blocks of README.md and docs, without the pages of
// [TestPagesForNewcomers]. A line that begins with "$ " is a command. Its output may follow, up to the next command or
// the end of the block. A line that begins with bin/omnipitch is a command without output.
func shownCommands(t *testing.T) (all []shownCommand) {
	t.Helper()
	pages := must.Get(filepath.Glob("../../docs/*.md"))(t)
	for _, page := range append(pages, "../../README.md") {
		if newcomersPage.MatchString(page) {
			continue
		}
		for _, c := range commandsOf(t, page) {
			if name, _, _ := strings.Cut(c.text, " "); name == "bin/omnipitch" || name == "omnipitch" {
				all = append(all, c)
			}
		}
	}
	return all
}

// commandsOf returns the commands in the code blocks of a page.
func commandsOf(t *testing.T, page string) (all []shownCommand) {
	t.Helper()
	text := must.Get(os.ReadFile(page))(t)
	open := false // output of the last command may follow
	for i, line := range strings.Split(string(text), "\n") {
		code, ok := strings.CutPrefix(line, "    ")
		shown, asked := strings.CutPrefix(code, "$ ")
		_, rest, _ := strings.Cut(shown, " ")
		switch {
		case !ok:
			open = false
		case asked, strings.HasPrefix(shown, "bin/omnipitch "):
			all = append(all, shownCommand{place: filepath.Base(page) + ":" + strconv.Itoa(i+1), line: i + 1,
				text: shown, args: shellWords(rest)})
			open = asked
		case open:
			all[len(all)-1].lines = append(all[len(all)-1].lines, code)
		}
	}
	return all
}

// shellWords splits a command line at spaces outside single quotes. A comment ends it.
func shellWords(line string) (words []string) {
	for _, m := range regexp.MustCompile(`'[^']*'|[^ ']+`).FindAllString(line, -1) {
		if strings.HasPrefix(m, "#") {
			break
		}
		words = append(words, strings.Trim(m, "'"))
	}
	return words
}

// withoutVariables removes from a line what varies between runs and machines: wall times, factors, shares, ports, and
// the width of columns.
func withoutVariables(line string) string {
	for _, v := range []struct{ pattern, with string }{
		{`(simulated|runs) in [\d.]+ s`, "$1 in N s"}, {`factor [\d.]+`, "factor N"}, {`[\d.e+-]+ (µs|ms|%)`, "N $1"},
		{`127\.0\.0\.1:\d+`, "127.0.0.1:N"}, {` +`, " "},
	} {
		line = regexp.MustCompile(v.pattern).ReplaceAllString(line, v.with)
	}
	return strings.TrimSpace(line)
}

// TestDocsShowWhatCommandsDo executes a fast form of every command in README.md and docs. It compares the output with
// the page, where … marks omitted lines.
func TestDocsShowWhatCommandsDo(t *testing.T) {
	all := shownCommands(t)
	if len(all) < 30 {
		t.Fatalf("only %d commands", len(all))
	}
	pages := must.Get(filepath.Glob("../../docs/*.md"))(t)
	for i := range pages {
		pages[i] = must.Get(filepath.Abs(pages[i]))(t)
	}
	marks := read(t, "../../render/calibration/testdata/falcons-1.csv")
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"marks.csv":     marks,
		"my-tests.toml": testedWorld,
		"my-world.toml": "name = \"my-world\"\ninclude = [\"nubot-attack\"]\n",
		"derby.toml": "name = \"derby\"\nfield = \"msl-18x21\"\n" + strings.Repeat("\n", 6) +
			"[[robot]]\nname = \"cyan1\"\nmodel = \"nubot\"\n  [[robot.sensor]]\n  name = \"omni\"\n  rate_hz = " +
			"-10\n  levle = \"raw\"\n",
	} {
		must.Write(t, name, text)
	}
	for _, page := range pages {
		for _, f := range filesOf(t, page) {
			f.write(t)
		}
	}
	for _, c := range all {
		if kctx, _, err := parse(c.args, console.Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}); err != nil ||
			kctx == nil {
			t.Errorf("%s: omnipitch %s: %v", c.place, strings.Join(c.args, " "), err)
			continue
		}
		args, why := short(c)
		if args == nil {
			t.Logf("%s: omnipitch %s: is parsed alone: %s", c.place, strings.Join(c.args, " "), why)
			continue
		}
		var both bytes.Buffer
		want := console.ExitDone
		if slices.Contains(args, "derby.toml") {
			want = console.ExitBadInput
		}
		if slices.ContainsFunc(c.lines, func(line string) bool { return strings.HasSuffix(line, " runs failed") }) {
			want = console.ExitFailed
		}
		con := console.Streams{Out: &both, Err: &both}
		code := run(t.Context(), args, con)
		if code != want {
			t.Errorf("%s: omnipitch %s: exit code %d\n%s", c.place, strings.Join(args, " "), code, &both)
			continue
		}
		got := strings.Split(withoutProgress(both.String()), "\n")
		for _, want := range c.lines {
			i := slices.IndexFunc(got,
				func(line string) bool { return withoutVariables(line) == withoutVariables(want) })
			if i < 0 && want != "…" {
				t.Errorf("%s: omnipitch %s: the page shows\n%s\nwhich is not in, or not in this order,\n%s", c.place,
					strings.Join(args, " "), want, &both)
				break
			}
			got = got[i+1:]
		}
	}
}

// short returns a fast form of a command, or the reason why there is none.
func short(c shownCommand) (args []string, why string) {
	has := func(flag string) bool { return slices.Contains(c.args, flag) }
	const slow = `^(test shot\.toml --seeds|test dark-hall|run scripted-match --for 60s|sweep chase )`
	line := strings.Join(c.args, " ")
	again := strings.Contains(line, "chase/again/") // a file of the sweep chase
	if !*long && (again || c.lines != nil && regexp.MustCompile(slow).MatchString(line)) {
		return nil, "make verify-long runs it"
	}
	switch c.args[0] {
	case "run":
		if has("--programs") {
			return nil, "the tests of its programs run it"
		}
		if has("--workers") {
			return nil, "TestRenderWorkers does"
		}
		for i := 0; i < len(c.args); i++ {
			switch arg := c.args[i]; {
			case arg == "--window", arg == "--record-exact": // TestWindow opens one; TestRecordings records
			case slices.Contains([]string{"--speed", "--ros1", "--for", "--rosbridge", "--foxglove", "--web",
				"--player", "--rcsssmj", "--record", "--refbox", "--gamecontroller", "--gamecontroller-server",
				"--refbox-server", "--refbox-cyan"}, arg) && (arg != "--for" || c.lines == nil):
				i++
			default:
				args = append(args, arg)
			}
		}
		if c.lines == nil {
			args = append(args, "--for", "20ms", "--speed", "max", "--level", "*=truth", "--ros1", "off")
			if has("--web") {
				args = append(args, "--web", "0")
			}
			if has("--rcsssmj") {
				args = append(args, "--rcsssmj", "0")
			}
			if has("--rosbridge") || has("--foxglove") {
				args = append(args, "--ros1", "embedded:0", "--rosbridge", "0", "--foxglove", "0")
			}
			return args, ""
		}
		return append(args, "--speed", "20", "--ros1", "embedded:0"), ""
	case "assess":
		return nil, "TestAssess does"
	case "export":
		return nil, "TestExport does"
	case "refbox":
		return nil, "TestRefbox does"
	case "replay", "info", "diff", "plot":
		return nil, "TestRecordings does"
	case "snapshot":
		return []string{"check", c.args[1]}, ""
	case "bench":
		return nil, "cmd/internal/bench tests it"
	case "dataset":
		return nil, "TestDataset does"
	case "reproduce":
		if !has("--list") {
			return nil, "TestReproduce and cmd/internal/reproduce do"
		}
	case "calibration":
		if has("--seeds") {
			return nil, "it takes more than a minute"
		}
		if has("refbot") {
			return nil, "TestCalibrationForRefbot does"
		}
		if !*long && (has("nubot") || has("bit-bots")) { // colour tables take seconds
			return nil, "make verify-long runs it"
		}
	case "coach":
		return nil, "TestCoach speaks to a simulation"
	case "ros":
		if len(c.args) > 1 && c.args[1] != "profiles" || has("--compare") {
			return nil, "asks a system that runs; TestROS and TestCompare do"
		}
	case "test":
		if has("--programs") {
			return nil, "TestProgramsPage runs it"
		}
		if strings.HasPrefix(c.args[1], "msl-match") || slices.Contains(
			[]string{"technical-challenge-refbot", "encirclement-refbot", "laser-course"}, c.args[1]) {
			return nil, "cmd/refbot plays it"
		}
		if i := slices.Index(c.args, "--seeds"); i > 0 && c.lines == nil { // its output is not shown
			args = slices.Clone(c.args)
			args[i+1] = "1,2"
			return args, ""
		}
	case "master":
		return nil, "runs until Ctrl-C"
	case "worker":
		return nil, "TestSweep and TestRenderWorkers start some"
	case "sweep":
		if has("--listen") || has("--nats") || c.lines == nil {
			return nil, "TestSweep and docs/sweep.md do"
		}
	}
	return c.args, ""
}
