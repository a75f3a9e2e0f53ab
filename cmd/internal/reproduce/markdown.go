package reproduce

import (
	"fmt"
	"io"
	"strings"
)

// PlotFile returns the file name of an experiment's plot.
func (d *Done) PlotFile(plot string) string { return "reproduce-" + d.Name + "-" + plot + ".png" }

// WriteMarkdown writes the report as a page for the docs, with plots as separate files.
func (r *Report) WriteMarkdown(w io.Writer) error {
	b := &strings.Builder{}
	b.WriteString("# Results\n\n" +
		"What papers on soccer robots and their simulators report, and what comes out here. `omnipitch reproduce` " +
		"carries each experiment out in a world that ships, and wrote this page; it says what each verdict\n" +
		"rests on. [Reproduce](reproduce.md) has the command.\n\n")
	fmt.Fprintf(b, "%s. %d of the papers' values and trends are reproduced, %d are better, %d differ.\n", r.Machine,
		r.Count(Reproduced), r.Count(Better), r.Count(Differs))
	if r.Quick {
		b.WriteString("\nMade with `--quick`: with fewer repetitions than the page of docs.\n")
	}
	b.WriteString("\n| experiment | source | world |\n| --- | --- | --- |\n")
	for _, d := range r.Trials {
		fmt.Fprintf(b, "| [%s](#%s): `omnipitch reproduce %s` | %s | `%s` |\n", d.Title, anchor(d.Title), d.Name,
			d.Source, d.World)
	}
	for _, d := range r.Trials {
		fmt.Fprintf(b, "\n## %s\n%s\n\n| | paper | here | verdict |\n| --- | --- | --- | --- |\n", d.Title, d.Setup)
		for _, f := range d.Findings {
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(f.Name), cell(f.Reported), cell(f.Found()),
				cell(f.verdict()))
		}
		for _, text := range d.Notes {
			fmt.Fprintf(b, "\n%s\n", text)
		}
		for i := range d.Plots {
			p := &d.Plots[i]
			fmt.Fprintf(b, "\n<img src=\"%s\" width=\"600\" alt=\"%s\">\n", d.PlotFile(p.Name), p.Title)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verdict formats the verdict with its rule and explanation.
func (f Finding) verdict() string {
	text := string(f.Verdict)
	if f.Rule != "" {
		text += " (" + f.Rule + ")"
	}
	if f.Why != "" {
		text += ": " + f.Why
	}
	return text
}

// cell escapes a text for a table cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// anchor returns the link target of a heading.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return -1
	}, strings.ToLower(title))
}
