package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// newcomersPage matches the pages for users of other simulators, and the tutorials.
var newcomersPage = regexp.MustCompile(`/(from|tutorial)-[\w-]+\.md$`)

// longPages take more than a minute each. Without -long, only their omnipitch command lines are parsed.
var longPages = []string{"tutorial-vision.md", "tutorial-strategy.md"}

// TestPagesForNewcomers follows these pages from beginning to end. It writes their files, starts their simulations, and
// runs every other command that a page shows after "$ ". The command must print the lines that the page shows, in the
// same order; … marks omitted lines.
func TestPagesForNewcomers(t *testing.T) {
	needROS(t)
	program(t)
	if _, err := buildRefbot(); err != nil { // next to the command, where the programs of worlds are found
		t.Fatal(err)
	}
	all := must(filepath.Glob("../../docs/*.md"))(t)
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
var fileName = regexp.MustCompile(`^    # ([\w-]+\.(?:toml|py))(, further down)?$`)

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
	file := must(os.OpenFile(f.name, flags, 0o644))(t)
	defer file.Close()
	must(file.WriteString(strings.TrimRight(f.text, "\n") + "\n"))(t)
}

// filesOf returns the files that a page shows, in order. They are code blocks, up to the next command or text, that
// begin with a comment with the file's name.
func filesOf(t *testing.T, page string) (files []shownFile) {
	t.Helper()
	text := must(os.ReadFile(page))(t)
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
