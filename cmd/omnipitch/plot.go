package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/robotio/series"
)

type plotCmd struct {
	Files []string       `arg:"" name:"file" help:"A recording, FILE.mcap or FILE.mcap.partial; of several the same numbers are shown together."`
	Of    []string       `placeholder:"NAME,…" help:"Which numbers: ball.speed, cyan1.pose.x, '*.speed', cyan1.command.vx, or a topic's field as /cyan1/odom.pose.pose.position.x. Without it the command lists those that there are."`
	Out   *string        `placeholder:"FILE" help:"Draw into FILE.png or FILE.svg, or write the numbers into FILE.csv, in the place of such a file; without it they are printed as CSV."`
	From  time.Duration  `default:"0s" placeholder:"DURATION" help:"Begin so long after the recorded run began, such as 90s."`
	For   *time.Duration `placeholder:"DURATION" help:"Time that is shown; default: up to the end."`
}

// csvFile is the ending of files of numbers.
const csvFile = ".csv"

// Check judges what the flags say by themselves.
func (c *plotCmd) Check() error {
	switch {
	case c.From < 0:
		return fmt.Errorf("--from = %v: must not be negative", c.From)
	case c.For != nil && *c.For <= 0:
		return fmt.Errorf("--for = %v: must be longer than 0", *c.For)
	case c.Out != nil && !slices.Contains(append([]string{csvFile}, page.Formats...), filepath.Ext(*c.Out)):
		return fmt.Errorf("--out = %q: must end with .png, .svg or .csv", *c.Out)
	case c.Out != nil && len(c.Of) == 0:
		return errors.New("--out: needs --of")
	}
	return nil
}

func (c *plotCmd) Run(ctx context.Context, con console.Streams) error {
	var files []page.File
	to := time.Duration(math.MaxInt64)
	if c.For != nil && *c.For < to-c.From {
		to = c.From + *c.For
	}
	for _, name := range c.Files {
		f, err := series.Open(name)
		if err != nil {
			return console.BadInput(err)
		}
		defer f.Close()
		if damage := f.Damage(); damage != nil {
			fmt.Fprintln(con.Err, damage)
		}
		if len(c.Of) == 0 {
			if err := listNumbers(con.Out, f); err != nil {
				return err
			}
			continue
		}
		all, err := f.Read(ctx, c.Of, c.From, to)
		if ctx.Err() != nil {
			return errors.New("interrupted: nothing was written")
		}
		if err != nil {
			return console.BadInputf("--of: %w", err)
		}
		files = append(files, page.File{Name: c.shortName(name), Series: all})
	}
	switch {
	case len(c.Of) == 0:
		return nil
	case c.Out == nil:
		return page.WriteCSV(con.Out, files)
	case filepath.Ext(*c.Out) != csvFile:
		return outFile(page.Write(*c.Out, page.OverTime(files)))
	}
	return outFile(page.WriteFile(*c.Out, func(w io.Writer) error { return page.WriteCSV(w, files) }))
}

// shortName names a file in a plot: without its folder, unless that tells it from another one.
func (c *plotCmd) shortName(file string) string {
	for _, other := range c.Files {
		if other != file && filepath.Base(other) == filepath.Base(file) {
			return file
		}
	}
	return strings.TrimSuffix(filepath.Base(file), ".mcap")
}

// outFile blames the user for a file that cannot be made.
func outFile(err error) error {
	if err == nil {
		return nil
	}
	return console.BadInputf("--out: %w", err)
}

func listNumbers(out io.Writer, f *series.File) error {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "NUMBER\tUNIT")
	for _, n := range f.Numbers() {
		fmt.Fprintf(tw, "%s\t%s\n", n.Name, n.Unit)
	}
	return tw.Flush()
}
