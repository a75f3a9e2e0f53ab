package bench

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

//go:embed page.html
var pageText string

var benchPage = page.New(pageText, template.FuncMap{
	"value": func(r Result) string { return fmt.Sprintf("%.3g", r.Value) },
	"unit":  Result.unit,
})

// pageFlag says where a page of results is written.
type pageFlag struct {
	HTML *string `name:"html" placeholder:"FILE" help:"Write the results and their plots into a page of HTML, FILE, or bench.html in a folder. A page that other benches have written is kept, and gets this one's section."`
}

// section is what a page has of one bench, between comments by which it is found again.
type section struct {
	Name string
	HTML template.HTML
}

// ID is the section's anchor.
func (s section) ID() string { return strings.ReplaceAll(s.Name, " ", "-") }

// sectionForm finds sections on a page. What is between the comments is written by this program alone: no text in it,
// being escaped, is a comment.
var sectionForm = regexp.MustCompile(`(?s)<!-- bench ([a-z0-9 ]+) -->.*?<!-- end of bench -->\n`)

// path is where the page is, or is to be; empty: nowhere.
func (f *pageFlag) path() string {
	if f.HTML == nil {
		return ""
	}
	if info, err := os.Stat(*f.HTML); err == nil && info.IsDir() {
		return filepath.Join(*f.HTML, "bench.html")
	}
	return *f.HTML
}

// check makes sure, before anything is measured, that the page can be written, and replaces no other file.
func (f *pageFlag) check() error {
	if f.HTML == nil {
		return nil
	}
	if *f.HTML == "" {
		return console.BadInput(errors.New(`--html = "": must name a file`))
	}
	if info, err := os.Stat(filepath.Dir(f.path())); err != nil {
		return console.BadInputf("--html: %w", err)
	} else if !info.IsDir() {
		return console.BadInputf("--html = %q: %s is no folder", *f.HTML, filepath.Dir(f.path()))
	}
	_, err := f.sections()
	return err
}

// sections returns those that are on the page already.
func (f *pageFlag) sections() (all []section, err error) {
	text, err := os.ReadFile(f.path())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, console.BadInputf("--html: %w", err)
	}
	for _, found := range sectionForm.FindAllSubmatch(text, -1) {
		all = append(all, section{string(found[1]), template.HTML(found[0])})
	}
	if len(all) == 0 && len(text) > 0 {
		return nil, console.BadInputf("--html = %q: is there and is no page of benches, so it is not overwritten: "+
			"remove it, or name another file", f.path())
	}
	return all, nil
}

// write puts the results of a bench and its plots onto the page, in the place of those of its last run.
func (f *pageFlag) write(r *Report, shown []experiment.Plot) error {
	if f.HTML == nil {
		return nil
	}
	all, err := f.sections()
	if err != nil {
		return err
	}
	charts, err := page.Charts(shown)
	if err != nil {
		return err
	}
	mine := section{Name: r.Bench}
	var text bytes.Buffer
	fmt.Fprintf(&text, "<!-- bench %s -->\n", r.Bench)
	if err := benchPage.ExecuteTemplate(&text, "section", struct {
		*Report
		ID, When, Version string
		Charts            []page.Chart
	}{r, mine.ID(), time.Now().Format("2006-01-02 15:04"), revision(), charts}); err != nil {
		return err
	}
	text.WriteString("<!-- end of bench -->\n")
	mine.HTML = template.HTML(text.String())
	all = append(slices.DeleteFunc(all, func(s section) bool { return s.Name == r.Bench }), mine)
	slices.SortFunc(all, func(a, b section) int { return strings.Compare(a.Name, b.Name) })
	err = page.WriteFile(f.path(), func(w io.Writer) error { return benchPage.Execute(w, all) })
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// revision is what this program is built from.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown revision"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return info.Main.Version
}
