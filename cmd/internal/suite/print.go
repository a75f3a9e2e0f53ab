package suite

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// maxPrinted is the number of failed runs per world that Print describes in full. Of the other failed runs it lists
// only the seeds.
const maxPrinted = 20

// Print prints how many runs of each world passed and failed. Then it prints the failures, and the commands that repeat
// the failed runs.
func (o *Outcome) Print(out io.Writer) error {
	w := &console.CheckedWriter{W: out}
	for i := range o.Worlds {
		o.Worlds[i].print(w)
	}
	for _, note := range o.Notes {
		fmt.Fprintln(w, note)
	}
	for _, drew := range o.Renderers() {
		fmt.Fprintf(w, "renderer: %s\n", drew)
	}
	c := o.Counts()
	fmt.Fprintf(w, "%s in %.1f s: %s\n", counted(c.Runs, "run"), o.Wall.Seconds(), c)
	return w.Err()
}

func (w *WorldOutcome) print(out io.Writer) {
	c := w.Counts()
	fmt.Fprintf(out, "%s: %s: %s\n", w.Argument, counted(c.Runs, "run"), c)
	var left []string
	printed := 0
	for i := range w.Results {
		r := &w.Results[i]
		if !r.Failed() {
			continue
		}
		if printed == maxPrinted {
			left = append(left, strconv.FormatUint(r.Seed, 10))
			continue
		}
		printed++
		fmt.Fprintf(out, "  seed %d failed\n", r.Seed)
		for _, reason := range r.reasons() {
			fmt.Fprintf(out, "    %s\n", strings.ReplaceAll(strings.TrimSpace(reason), "\n", "\n    "))
		}
		if len(r.Pictures) > 0 {
			fmt.Fprintf(out, "    pictures: %s\n", strings.Join(r.Pictures, " "))
		}
		if r.Recording != "" {
			fmt.Fprintf(out, "    recording: %s\n", r.Recording)
		}
		fmt.Fprintf(out, "    again: %s\n", r.Again)
	}
	if len(left) > 0 {
		fmt.Fprintf(out, "  failed too: --seeds %s\n", strings.Join(left, ","))
	}
}

// String returns a text with the number of passed runs, and with each other count that is not 0.
func (c Counts) String() string {
	parts := []string{fmt.Sprintf("%d passed", c.Passed)}
	for _, row := range []struct {
		n    int
		what string
	}{{c.Failed, "failed"}, {c.NotRun, "not run to the end"}} {
		if row.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", row.n, row.what))
		}
	}
	return strings.Join(parts, ", ")
}

// counted returns a count with its noun in the singular or plural, such as "2 runs".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// repeatCommand returns the command line that repeats a run of a world, for a POSIX shell.
func repeatCommand(w *World, seed uint64, flags []string) string {
	words := append([]string{"omnipitch", "test", w.Argument, "--seeds", strconv.FormatUint(seed, 10)}, flags...)
	for i, word := range words {
		words[i] = console.Quote(word)
	}
	return strings.Join(words, " ")
}
