package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/omnipitch/omnipitch/cmd/internal/assess"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
)

// checkPairs checks the flags that go with --pairs.
func (c *assessCmd) checkPairs() error {
	switch {
	case c.Pairs == nil:
		return nil
	case c.Out != nil || c.JSON:
		return errors.New("--pairs: prints text: not with --out or --json")
	case c.Fit != nil && (c.Robot == nil || c.Sensor == nil):
		return errors.New("--pairs: --fit needs --robot and --sensor, which its file names")
	}
	return c.withoutWorld("--pairs", "--pairs", "--robot", "--sensor", "--fit")
}

// fitPairs fits an error model to pairs, prints how well it fits, and writes the file of --fit.
func (c *assessCmd) fitPairs(con console.Streams) error {
	file, err := os.Open(*c.Pairs)
	if err != nil {
		return console.BadInputf("--pairs: %w", err)
	}
	defer file.Close()
	samples, err := assess.ReadPairs(file)
	if err != nil {
		return console.BadInputf("%s: %w", *c.Pairs, err)
	}
	fit, err := assess.FitPairs(samples)
	if err != nil {
		return console.BadInputf("%s: %w", *c.Pairs, err)
	}
	fit.Words(con.Out)
	if c.Fit == nil {
		return nil
	}
	write := func(w io.Writer) error { return fit.WriteTOML(w, *c.Robot, *c.Sensor) }
	if err := page.WriteFile(*c.Fit, write); err != nil {
		return fmt.Errorf("--fit: %w", err)
	}
	fmt.Fprintf(con.Notes(), "error model of %s.%s: %s\n", *c.Robot, *c.Sensor, *c.Fit)
	return nil
}
