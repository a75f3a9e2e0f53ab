package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/cmd/internal/assess"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
)

// photographFlags are the flags for judging a detector on photographs, without a simulation.
type photographFlags struct {
	Photographs *string  `placeholder:"DIR" help:"Judge a detector on the JPEG and PNG images in DIR instead of running a world. A text file beside each image has its labels in YOLO's format; classes.txt has the names of the classes. Only --detections, --overlap, --false, --least, --json, --out and --overwrite apply."`
	Detections  *string  `placeholder:"DIR" help:"What the detector has found: for each image a text file of its name in YOLO's format, with a confidence at the end of each line."`
	Overlap     float64  `default:"0.5" placeholder:"SHARE" help:"Least intersection over union of a detection and the label that it finds. Default: ${default}."`
	False       float64  `default:"0.1" placeholder:"N" help:"False detections per photograph and class, which set the threshold of the class. Default: ${default}."`
	Least       []string `placeholder:"CLASS=SHARE" sep:"none" help:"Fail if a smaller share of the labels of a class is found. May be repeated."`
}

// check checks the flags of c without reading any file.
func (f *photographFlags) check(c *assessCmd) error {
	if f.Photographs == nil {
		if f.Detections != nil || len(f.Least) > 0 {
			return errors.New("--detections, --least: need --photographs")
		}
		return nil
	}
	if err := c.withoutWorld("--photographs"); err != nil {
		return err
	}
	switch {
	case f.Detections == nil:
		return errors.New("--photographs: needs --detections, the folder with what the detector has found")
	case !(f.Overlap > 0 && f.Overlap <= 1):
		return fmt.Errorf("--overlap = %v: must lie in (0, 1]", f.Overlap)
	case !(f.False >= 0 && f.False <= 1000):
		return fmt.Errorf("--false = %v: must lie in [0, 1000]", f.False)
	}
	for _, text := range f.Least {
		if _, err := assess.ParseLeast(text); err != nil {
			return fmt.Errorf("--least %w", err)
		}
	}
	return nil
}

// withoutWorld returns an error if a flag is given that has no effect beside the given one, which runs no world. Flags
// that have one are allowed.
func (c *assessCmd) withoutWorld(flag string, allowed ...string) error {
	for _, other := range []struct {
		name  string
		given bool
	}{
		{"a world", c.World != ""}, {"--topic", len(c.Topic) > 0}, {"--robot", c.Robot != nil},
		{"--sensor", c.Sensor != nil}, {"--range", c.Range != nil}, {"--tour", c.Tour != "none"},
		{"--for", c.For != nil}, {"--speed", c.Speed != nil}, {"--seed", c.Seed != nil}, {"--level", len(c.Level) > 0},
		{"--programs", c.Programs != nil}, {"--fit", c.Fit != nil}, {"--pairs", c.Pairs != nil},
	} {
		if other.given && !slices.Contains(allowed, other.name) {
			return fmt.Errorf("%s: runs no world: not with %s", flag, other.name)
		}
	}
	return nil
}

// judgePhotographs judges the detections in photographs.
func (c *assessCmd) judgePhotographs(con console.Streams) error {
	if c.Out != nil {
		if err := output.Check("--out", *c.Out, c.Overwrite); err != nil {
			return err
		}
	}
	all, classes, err := assess.ReadPhotographs(*c.Photographs, *c.Detections)
	if err != nil {
		return console.BadInput(err)
	}
	r := assess.JudgeBoxes(all, classes, assess.BoxConfig{Overlap: c.Overlap, False: c.False})
	var missed error
	for _, text := range c.Least {
		l, err := assess.ParseLeast(text)
		if err != nil {
			return console.BadInputf("--least %w", err)
		}
		sentence, err := r.Missed(l)
		if err != nil {
			return console.BadInputf("--least: %w", err)
		}
		if sentence != "" {
			missed = errors.Join(missed, errors.New(sentence))
		}
	}
	if err := c.write(r); err != nil {
		return err
	}
	if c.JSON {
		err = console.WriteJSON(con.Out, r)
	} else {
		r.Words(con.Out)
		if c.Out != nil {
			fmt.Fprintf(con.Out, "page: %s\n", pageIn(*c.Out))
		}
	}
	return errors.Join(err, missed)
}
