package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/export"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

type exportCmd struct {
	File      string        `arg:"" help:"A recording, FILE.mcap or FILE.mcap.partial, or another MCAP file of ROS 1 messages."`
	Out       string        `required:"" placeholder:"FILE.bag" help:"What to write: a bag of ROS 1."`
	Topic     []string      `placeholder:"PATTERN" sep:"none" help:"Export topics such as /cyan1/* alone; may be given several times. Default: all."`
	From      time.Duration `default:"0s" placeholder:"DURATION" help:"Begin so long after the recording began, such as 90s."`
	For       time.Duration `default:"0s" placeholder:"DURATION" help:"Sim time that is exported; default: to the end."`
	Overwrite bool          `help:"Replace a file of this name."`
}

// Check judges what the flags say by themselves.
func (c *exportCmd) Check() error {
	switch {
	case c.Out == "":
		return errors.New("--out: needs the name of a file")
	case !strings.EqualFold(filepath.Ext(c.Out), ".bag"):
		return fmt.Errorf("--out = %q: must end in .bag", c.Out)
	}
	if err := c.selection().Validate(); err != nil {
		return fmt.Errorf("--topic, --from, --for: %w", err)
	}
	return nil
}

func (c *exportCmd) selection() export.Selection {
	return export.Selection{Topics: c.Topic, From: c.From, For: c.For}
}

func (c *exportCmd) Run(ctx context.Context, con console.Streams) error {
	r, err := recording.Open(c.File)
	if err != nil {
		return exit.BadInput(err)
	}
	defer r.Close()
	if damage := r.Damage(); damage != nil {
		fmt.Fprintln(con.Err, damage)
	}
	out, err := aside.Create(c.Out, c.Overwrite)
	if err != nil {
		return exit.BadInputf("--out %s: %w", c.Out, err)
	}
	defer out.Discard()
	err = export.Bag(ctx, r, c.selection(), out)
	if ctx.Err() != nil {
		return errors.New("interrupted: nothing was written")
	}
	if err != nil {
		return exit.BadInput(err)
	}
	if err := out.Finish(); err != nil {
		return exit.Lackingf("--out %s: %w", c.Out, err)
	}
	return nil
}
