package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/audit"
)

type auditCmd struct {
	File string `arg:"" help:"A recording with exact states, FILE.mcap or FILE.mcap.partial, of a world with an automatic referee."`
	JSON bool   `name:"json" help:"Print it as one JSON object."`
}

func (c *auditCmd) Run(ctx context.Context, con console.Streams) error {
	r, err := audit.File(ctx, c.File)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: nothing was printed")
	case err != nil:
		return console.BadInput(err)
	}
	if r.Damage != "" {
		fmt.Fprintln(con.Err, r.Damage)
	}
	show := c.print
	if c.JSON {
		show = c.printJSON
	}
	if err := show(con.Out, r); err != nil {
		return err
	}
	if n := len(r.Findings); n > 0 {
		return fmt.Errorf("%s: the referee and the states disagree %s", c.File, times(n))
	}
	return nil
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (c *auditCmd) print(out io.Writer, r *audit.Report) error {
	for _, f := range r.Findings {
		fmt.Fprintln(out, f)
	}
	var rules []string
	agree := 0
	for _, rule := range slices.Sorted(maps.Keys(r.Agreed)) {
		agree += r.Agreed[rule]
		rules = append(rules, fmt.Sprintf("%d %s", r.Agreed[rule], rule))
	}
	fmt.Fprintf(out, "%.2f s, %d steps: %d of %d decisions agree with the states, and %d commands of restarts\n",
		r.Time.Seconds(), r.Steps, agree, r.Decisions, r.Restarts)
	if len(rules) > 0 {
		fmt.Fprintf(out, "agreed: %s\n", strings.Join(rules, ", "))
	}
	if r.Commands > 0 {
		fmt.Fprintf(out, "somebody else has commanded the game %s: what that led to was not judged\n",
			times(r.Commands))
	}
	_, err := fmt.Fprintf(out, "differ: %d, unjustified: %d, missed: %d\n", r.Count(audit.Differs),
		r.Count(audit.Unjustified), r.Count(audit.Missed))
	return err
}

func (c *auditCmd) printJSON(out io.Writer, r *audit.Report) error {
	type finding struct {
		audit.Finding
		Time float64 `json:"time_s"`
	}
	findings := []finding{}
	for _, f := range r.Findings {
		findings = append(findings, finding{f, f.Time.Seconds()})
	}
	return json.NewEncoder(out).Encode(struct {
		File      string         `json:"file"`
		Time      float64        `json:"time_s"`
		Steps     int64          `json:"steps"`
		Decisions int            `json:"decisions"`
		Agreed    map[string]int `json:"agreed"` // by rule
		Restarts  int            `json:"restart_commands"`
		Commands  int            `json:"commands_of_others"`
		Findings  []finding      `json:"findings"`
		Damage    string         `json:"damage,omitempty"`
	}{c.File, r.Time.Seconds(), r.Steps, r.Decisions, r.Agreed, r.Restarts, r.Commands, findings, r.Damage})
}
