package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

var (
	pageLink    = regexp.MustCompile(`\]\(([^()#\s]*)(?:#([^()\s]+))?\)`)
	pageHeading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	code        = regexp.MustCompile("`([^`]+)`")
)

// anchors returns the fragments of links to the headings of a page, as GitHub makes them.
func anchors(t *testing.T, page string) (all []string) {
	t.Helper()
	for _, h := range pageHeading.FindAllStringSubmatch(read(t, page), -1) {
		id := strings.ReplaceAll(strings.ToLower(h[1]), " ", "-")
		all = append(all, regexp.MustCompile(`[^\pL\pN_-]`).ReplaceAllString(id, ""))
	}
	return all
}

// TestLinksLeadSomewhere checks that the files and headings exist to which links in README.md and docs lead.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, page := range append(must.Get(filepath.Glob("../../docs/*.md"))(t), "../../README.md") {
		for _, l := range pageLink.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(l[1], "://") {
				continue
			}
			links++
			to := page
			if l[1] != "" {
				to = filepath.Join(filepath.Dir(page), l[1])
			}
			if found := must.Get(filepath.Glob(to))(t); len(found) == 0 {
				t.Errorf("%s links to %s, which does not exist", page, l[1])
			} else if l[2] != "" && !slices.Contains(anchors(t, to), l[2]) {
				t.Errorf("%s links to %s#%s: the page has no such heading", page, l[1], l[2])
			}
		}
	}
	if links < 300 {
		t.Errorf("only %d links", links)
	}
}

// TestPapersNameWhatIsThere checks that each row of docs/papers.md names a page, a world or a command that exists, or
// says that it is not simulated.
func TestPapersNameWhatIsThere(t *testing.T) {
	rows := 0
	for line := range strings.Lines(read(t, "../../docs/papers.md")) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], " ---") || strings.HasPrefix(cells[2], " in Omnipitch") {
			continue
		}
		rows++
		here := cells[2]
		names := pageLink.MatchString(here) || strings.Contains(here, "not simulated") ||
			strings.Contains(here, "a device")
		for _, c := range code.FindAllStringSubmatch(here, -1) {
			if args, ok := strings.CutPrefix(c[1], "omnipitch "); ok {
				_, _, err := parse(strings.Fields(args), console.Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
				must.Do(t, err)
				names = true
			}
		}
		if _, after, ok := strings.Cut(here, " world"); ok || strings.HasPrefix(here, " world") {
			for _, c := range code.FindAllStringSubmatch(after, -1) {
				if strings.HasPrefix(c[1], "omnipitch ") {
					continue
				}
				names = true
				if _, err := worlds.Source(c[1]); err != nil {
					t.Errorf("%q: %v", line, err)
				}
			}
		}
		if !names {
			t.Errorf("%q names nothing", line)
		}
	}
	if rows < 80 {
		t.Errorf("only %d rows", rows)
	}
}
