package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/replay"
)

type diffCmd struct {
	A    string `arg:"" help:"A recording, FILE.mcap or FILE.mcap.partial."`
	B    string `arg:"" help:"Another recording."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

func (c *diffCmd) Run(ctx context.Context, con console.Streams) error {
	var both [2]*replay.Recording
	for i, file := range []string{c.A, c.B} {
		rec, err := openRecording(ctx, con, file, replay.Open)
		if err != nil {
			return err
		}
		defer rec.Close()
		if damage := rec.Damage(); damage != nil {
			fmt.Fprintln(con.Err, damage)
		}
		both[i] = rec
	}
	status := console.NewStatus(con, "diff")
	defer status.Close()
	found, err := replay.Compare(ctx, both[0], both[1], status.Set)
	status.Close()
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: nothing was printed")
	case err != nil:
		return console.BadInputf("A is %s, B is %s: %w", c.A, c.B, err)
	}
	show := c.print
	if c.JSON {
		show = c.printJSON
	}
	if err := show(con.Out, found); err != nil {
		return err
	}
	if len(found.Differences) > 0 {
		return fmt.Errorf("%s and %s differ from %s", c.A, c.B, where(found.Differences[0].At))
	}
	return nil
}

// where returns a text that says at which step a difference is.
func where(at *replay.Place) string {
	switch {
	case at == nil:
		return "the beginning"
	case at.Episode > 0:
		return fmt.Sprintf("step %d of episode %d (%v)", at.Step, at.Episode, at.Time)
	}
	return fmt.Sprintf("step %d (%v)", at.Step, at.Time)
}

func (c *diffCmd) print(out io.Writer, found *replay.Comparison) error {
	if len(found.Differences) == 0 {
		fmt.Fprintf(out, "the same run: the same world, inputs, and states of %d steps\n", found.Steps)
	}
	if len(found.Differences)+len(found.Made) == 0 {
		return nil
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "differs\tfirst at\tA: %s\tB: %s\n", c.A, c.B)
	for _, d := range found.Differences {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", strings.TrimSuffix(d.Of+": "+d.What, ": "), where(d.At),
			console.OneLine(d.A), console.OneLine(d.B))
	}
	for _, d := range found.Made {
		fmt.Fprintf(tw, "made with another %s\t\t%s\t%s\n", strings.ReplaceAll(d.Of, "_", " "),
			console.OneLine(d.A), console.OneLine(d.B))
	}
	if err := tw.Flush(); err != nil || found.Unnamed == nil {
		return err
	}
	_, err := fmt.Fprintf(out, "the quantity is unknown: %v\n", found.Unnamed)
	return err
}

// differenceJSON is a difference between two recordings. A difference before the first step has no step.
type differenceJSON struct {
	Of      string   `json:"of"`
	What    string   `json:"what,omitempty"`
	Episode *int     `json:"episode,omitempty"`
	Step    *int64   `json:"step,omitempty"`
	Time    *float64 `json:"time_s,omitempty"`
	A       string   `json:"a"`
	B       string   `json:"b"`
}

func (c *diffCmd) printJSON(out io.Writer, found *replay.Comparison) error {
	convert := func(all []replay.Difference) []differenceJSON {
		list := []differenceJSON{}
		for _, d := range all {
			x := differenceJSON{Of: d.Of, What: d.What, A: d.A, B: d.B}
			if at := d.At; at != nil {
				seconds := at.Time.Seconds()
				x.Episode, x.Step, x.Time = &at.Episode, &at.Step, &seconds
			}
			list = append(list, x)
		}
		return list
	}
	result := struct {
		A           string           `json:"a"`
		B           string           `json:"b"`
		Same        bool             `json:"same"`
		Steps       int64            `json:"same_steps"`
		Differences []differenceJSON `json:"differences"`
		Made        []differenceJSON `json:"made_with"`
		Unnamed     string           `json:"unnamed,omitempty"`
	}{c.A, c.B, len(found.Differences) == 0, found.Steps, convert(found.Differences), convert(found.Made), ""}
	if found.Unnamed != nil {
		result.Unnamed = found.Unnamed.Error()
	}
	return json.NewEncoder(out).Encode(result)
}
