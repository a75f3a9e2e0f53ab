package main

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// newcomersPage matches the pages for users of other simulators, and the tutorials.
var newcomersPage = regexp.MustCompile(`/(from|tutorial)-[\w-]+\.md$`)

// longPages take more than a minute each. Without -long, only their omnipitch command lines are parsed.
var longPages = []string{"tutorial-scene.md", "tutorial-vision.md", "tutorial-strategy.md"}

// TestPagesForNewcomers follows these pages from beginning to end. It writes their files, starts their simulations, and
// runs every other command that a page shows after "$ ". The command must print the lines that the page shows, in the
// same order; … marks omitted lines.
func TestPagesForNewcomers(t *testing.T) {
	needROS(t)
	program(t)
	if _, err := buildRefbot(); err != nil { // next to the command, where the programs of worlds are found
		t.Fatal(err)
	}
	all := must.Get(filepath.Glob("../../docs/*.md"))(t)
	pages := slices.DeleteFunc(all, func(page string) bool { return !newcomersPage.MatchString(page) })
	if len(pages) == 0 {
		t.Fatal("no pages")
	}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			files, commands := filesOf(t, page), commandsOf(t, page)
			if slices.Contains(longPages, filepath.Base(page)) && !*long {
				parseCommands(t, commands)
				needLong(t, "verify-long")
			}
			t.Chdir(t.TempDir())
			t.Setenv("PATH", built+":"+os.Getenv("PATH"))
			uri, _ := freeMaster(t)
			var simulation *process
			for _, c := range commands {
				for len(files) > 0 && files[0].line < c.line {
					files[0].write(t)
					files = files[1:]
				}
				if world, ok := strings.CutPrefix(c.text, "omnipitch run "); ok {
					if simulation != nil {
						simulation.interrupt()
					}
					words := shellWords(world)
					simulation = simulateWorld(t, uri, words[0], words[1:]...)
					continue
				}
				p := start(t, uri, "sh", "-c", c.text)
				<-p.done
				printed := strings.Split(p.stdout()+p.stderr(), "\n")
				if line, ok := missing(c.lines, printed); !ok {
					t.Fatalf("%s: %s: the page shows\n%s\nwhich is not in, or not in this order,\n%s", c.place, c.text,
						line, strings.Join(printed, "\n"))
				}
			}
			if simulation != nil {
				simulation.interrupt()
			}
		})
	}
}

// parseCommands parses the omnipitch command lines among commands.
func parseCommands(t *testing.T, commands []shownCommand) {
	t.Helper()
	for _, c := range commands {
		if !strings.HasPrefix(c.text, "omnipitch ") || strings.ContainsAny(c.text, "|&;") {
			continue
		}
		if _, _, err := parse(c.args, console.Streams{Out: io.Discard, Err: io.Discard}); err != nil {
			t.Errorf("%s: %s: %v", c.place, c.text, err)
		}
	}
}

// missing returns the first shown line that was not printed after the lines before it. A line may end with …, or be
// only ….
func missing(shown, printed []string) (line string, ok bool) {
	for _, line := range shown {
		begin, open := strings.CutSuffix(withoutVariables(line), "…")
		i := slices.IndexFunc(printed, func(p string) bool {
			p = withoutVariables(p)
			return p == begin || open && strings.HasPrefix(p, begin)
		})
		if i < 0 {
			return line, false
		}
		if begin != "" {
			printed = printed[i+1:]
		}
	}
	return "", true
}

// fileName matches the first line of a code block that is a file or a continuation of one.
var fileName = regexp.MustCompile(`^    (?:#|<!--) ([\w-]+\.(?:toml|py|urdf))(, further down)?(?: -->)?$`)

// shownFile is a file that a page shows, or lines that the page appends to it.
type shownFile struct {
	line int // line on the page
	name string
	adds bool
	text string
}

// write writes the file, or appends the lines.
func (f *shownFile) write(t *testing.T) {
	t.Helper()
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if f.adds {
		flags = os.O_WRONLY | os.O_APPEND
	}
	file := must.Get(os.OpenFile(f.name, flags, 0o644))(t)
	defer file.Close()
	must.Get(file.WriteString(strings.TrimRight(f.text, "\n") + "\n"))(t)
}

// filesOf returns the files that a page shows, in order. They are code blocks, up to the next command or text, that
// begin with a comment with the file's name.
func filesOf(t *testing.T, page string) (files []shownFile) {
	t.Helper()
	text := must.Get(os.ReadFile(page))(t)
	open := false
	for i, line := range strings.Split(string(text), "\n") {
		code, ok := strings.CutPrefix(line, "    ")
		if m := fileName.FindStringSubmatch(line); m != nil {
			files, open = append(files, shownFile{line: i + 1, name: m[1], adds: m[2] != ""}), true
			if m[2] != "" {
				continue
			}
		} else if line != "" && !ok || strings.HasPrefix(code, "$ ") {
			open = false
		}
		if open {
			files[len(files)-1].text += code + "\n"
		}
	}
	return files
}

// ownTeamSeeds holds more seeds when `make verify-own-team` sets it.
var ownTeamSeeds = flag.String("ownteam.seeds", "", "seeds with which TestOwnTeam plays each game, such as 1..20, "+
	"beside a busy loop a core; empty: the page's commands alone")

// TestOwnTeam follows docs/own-team.md. It makes the messages, builds the programs, and lets each score against
// scripted players. Only the output goes to other folders.
func TestOwnTeam(t *testing.T) {
	if *ownTeamSeeds == "" {
		needLong(t, "verify-long")
	}
	needROS(t)
	program(t)
	out := t.TempDir()
	elsewhere := strings.NewReplacer("$PWD/out/", out+"/", "out/", out+"/", "bin/", built+"/")
	if *ownTeamSeeds != "" {
		load(t)
	}
	games := 0
	for _, c := range commandsOf(t, "../../docs/own-team.md") {
		test := strings.Contains(c.text, "omnipitch test ")
		if c.lines == nil && (test || strings.Contains(c.text, "omnipitch run ")) {
			continue // the same game, repeated or in a window
		}
		line := elsewhere.Replace(c.text)
		if test {
			games++
			if *ownTeamSeeds != "" {
				line, c.lines = line+" --seeds "+*ownTeamSeeds, nil
			}
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = "../..", environment("GOFLAGS=-buildvcs=false")
		printed, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %s: %v\n%s", c.place, c.text, err, printed)
		}
		if line, ok := missing(c.lines, strings.Split(string(printed), "\n")); !ok {
			t.Errorf("%s: %s: the page shows\n%s\nwhich is not in\n%s", c.place, c.text, line, printed)
		}
	}
	if games != 3 {
		t.Errorf("%d games, want one in each language", games)
	}
}

// TestOwnTeamIsShort checks that the first programs of docs/own-team.md are shorter than 150 lines each, as the page
// says.
func TestOwnTeamIsShort(t *testing.T) {
	for _, name := range []string{"go/main.go", "python/team.py", "cpp/team.cpp"} {
		text := must.Get(os.ReadFile(filepath.Join("../../docs/own-team", name)))(t)
		if n := strings.Count(string(text), "\n"); n >= 150 {
			t.Errorf("%s has %d lines", name, n)
		}
	}
}

// detectorWhole makes TestDetector run the page in full. `make verify-detector` sets it.
var detectorWhole = flag.Bool("detector.whole", false, "TestDetector does all that docs/detector.md says, in "+
	"out/detector, where it goes on with what is there; without it a few images show that its programs work")

// fewImages replaces parts of the page's commands that contain a text. An empty replacement leaves the command out.
// Plain images are the cheapest. Two scenes give one for training and one for choosing the threshold.
var fewImages = []struct{ has, from, to string }{
	{"detector/training.toml", "training.toml --frames 5000 --per-scene 20",
		"plain.toml --frames 12 --per-scene 2 --split 0.5,0.5,0"},
	{"detector/plain.toml", "", ""},
	{"for w in", "", ""},
	{"out/detector/plain", "", ""},
	{"evaluate.py", "out/detector/busy out/detector/evening out/detector/windows --least 0.95 --most 0.1",
		"out/detector/natural"},
	{"assess", "--for 60s", "--for 1s"},
}

// TestDetector follows docs/detector.md: it makes data sets, trains detectors, evaluates them, and assesses one as a
// node.
func TestDetector(t *testing.T) {
	if !*detectorWhole {
		needLong(t, "verify-long")
	}
	needROS(t)
	program(t)
	elsewhere, done := strings.NewReplacer("bin/omnipitch", built+"/omnipitch"), 0
	if !*detectorWhole {
		out := t.TempDir()
		elsewhere = strings.NewReplacer("$PWD/out/", out+"/", "out/", out+"/", "bin/omnipitch", built+"/omnipitch")
		must.Do(t, os.Mkdir(filepath.Join(out, "detector"), 0o755))
	}
	for _, c := range commandsOf(t, "../../docs/detector.md") {
		line := c.text
		if !*detectorWhole {
			line = withFewImages(t, line)
		}
		if line == "" {
			continue
		}
		cmd := exec.Command("sh", "-c", elsewhere.Replace(line))
		cmd.Dir, cmd.Env = "../..", environment()
		begun := time.Now()
		printed, err := cmd.CombinedOutput()
		switch {
		case err == nil:
		case !*detectorWhole && strings.Contains(line, " assess ") && strings.Contains(string(printed),
			"\npage: "): // so little training teaches no detector to find balls
		default:
			t.Fatalf("%s: %s: %v\n%s", c.place, line, err, printed)
		}
		if strings.Contains(line, ".py") || strings.Contains(line, " assess ") {
			t.Logf("%.0f s: %s\n%s", time.Since(begun).Seconds(), line, printed)
		}
		done++
	}
	if want := 4; done < want {
		t.Errorf("%d commands: want %d at least", done, want)
	}
}

// withFewImages returns a command of the page, shortened to a few images.
func withFewImages(t *testing.T, line string) string {
	for _, f := range fewImages {
		switch {
		case !strings.Contains(line, f.has):
		case f.from == "":
			return ""
		case !strings.Contains(line, f.from):
			t.Fatalf("%s: has no %q", line, f.from)
		default:
			return strings.Replace(line, f.from, f.to, 1)
		}
	}
	return line
}

// TestDetectorsWorlds loads the worlds that docs/detector.md names. The ball colours of the evaluation worlds must not
// occur in the training worlds.
func TestDetectorsWorlds(t *testing.T) {
	ballColors := func(name string, seeds uint64) map[render.Color]bool {
		w := must.Get(worlds.Load("../../docs/detector/" + name + ".toml"))(t)
		all := map[render.Color]bool{}
		for seed := range seeds {
			drawn := must.Get(w.WithSeed(seed + 1))(t)
			for i := range drawn.Events {
				if _, a, err := drawn.Events[i].Action(); err == nil {
					if c, ok := a.(*action.SetBallColor); ok {
						all[c.Color] = true
					}
				}
			}
		}
		return all
	}
	trained := ballColors("training", 60)
	if len(trained) != 6 || len(ballColors("plain", 60)) != 6 {
		t.Errorf("training: balls in %d colours: want the 6 of vision-training", len(trained))
	}
	for name, want := range map[string]int{"busy": 2, "evening": 3, "windows": 3} {
		colors := ballColors(name, 20)
		if len(colors) != want {
			t.Errorf("%s: balls in %d colours, want %d", name, len(colors), want)
		}
		for c := range colors {
			if trained[c] {
				t.Errorf("%s: a ball is %v, as in training", name, c)
			}
		}
	}
	if _, err := worlds.Load("../../docs/detector/assess.toml"); err != nil {
		t.Error(err)
	}
}
