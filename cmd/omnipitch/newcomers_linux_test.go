package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// newcomersPage matches the pages for those who come from elsewhere.
var newcomersPage = regexp.MustCompile(`/from-[\w-]+\.md$`)

// TestPagesForNewcomers does what these pages say: it writes their files, starts each simulation that they start, and carries out every other command
// that is shown with "$ " beside it. What the page shows has to be printed, in that order; … stands for what is left out.
func TestPagesForNewcomers(t *testing.T) {
	needROS(t)
	program(t)
	all, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := slices.DeleteFunc(all, func(page string) bool { return !newcomersPage.MatchString(page) })
	if len(pages) == 0 {
		t.Fatal("no pages")
	}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			files, commands := filesOf(t, page), commandsOf(t, page)
			t.Chdir(t.TempDir())
			t.Setenv("PATH", built+":"+os.Getenv("PATH"))
			for name, text := range files {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			uri, _ := freeMaster(t)
			var simulation *process
			for _, c := range commands {
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
				printed := strings.Split(p.text(&p.out)+p.text(&p.errs), "\n")
				if line, ok := missing(c.lines, printed); !ok {
					t.Fatalf("%s: %s: the page shows\n%s\nwhich is not in, or not in this order,\n%s", c.place, c.text, line, strings.Join(printed, "\n"))
				}
			}
			if simulation != nil {
				simulation.interrupt()
			}
		})
	}
}

// missing returns the first of the shown lines that was not printed after those before it. A line may end with …, and be one.
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

// fileName is the first line of a code block that is a file.
var fileName = regexp.MustCompile(`^    # ([\w-]+\.(?:toml|py))$`)

// filesOf returns the files that a page shows, by their names: code blocks, up to the next command or text, that begin with a comment that names them.
func filesOf(t *testing.T, page string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	files, name := map[string]string{}, ""
	for line := range strings.SplitSeq(string(text), "\n") {
		code, ok := strings.CutPrefix(line, "    ")
		if m := fileName.FindStringSubmatch(line); m != nil {
			name = m[1]
		} else if line != "" && !ok || strings.HasPrefix(code, "$ ") {
			name = ""
		}
		if name != "" {
			files[name] += code + "\n"
		}
	}
	return files
}
