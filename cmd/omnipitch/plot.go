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
	Files []string       `arg:"" name:"file" help:"A recording, FILE.mcap or FILE.mcap.partial. Several recordings are plotted together."`
	Of    []string       `placeholder:"NAME,…" help:"Quantities to plot: ball.speed, cyan1.pose.x, '*.speed', cyan1.command.vx, or a field of a topic such as /cyan1/odom.pose.pose.position.x. Without --of the command lists all quantities."`
	Out   *string        `placeholder:"FILE" help:"File to write: FILE.png or FILE.svg for a plot, FILE.csv for a table. An existing file is replaced. Default: print CSV."`
	From  time.Duration  `default:"0s" placeholder:"DURATION" help:"Time in the recorded run at which the plot starts, such as 90s."`
	For   *time.Duration `placeholder:"DURATION" help:"Length of the plotted time. Default: to the end."`
}

// csvFile is the extension of files with tables.
const csvFile = ".csv"

// Check checks the flags without reading any file.
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
		f, err := openRecording(ctx, con, name, series.Open)
		if err != nil {
			return err
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

// shortName returns the name of a file for a plot. It leaves out the folder, unless another file of the plot has the
// same base name.
func (c *plotCmd) shortName(file string) string {
	for _, other := range c.Files {
		if other != file && filepath.Base(other) == filepath.Base(file) {
			return file
		}
	}
	return strings.TrimSuffix(filepath.Base(file), ".mcap")
}

// outFile marks an error of writing the file of --out as BadInput.
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
		fmt.Fprintf(tw, "%s\t%s\n", console.OneLine(n.Name), console.OneLine(n.Unit))
	}
	return tw.Flush()
}
