package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/export"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/replay"
)

type exportCmd struct {
	File       string        `arg:"" help:"A recording, FILE.mcap or FILE.mcap.partial, or another MCAP file of ROS messages. For a map also a world: its name or the path of its file."`
	Out        string        `required:"" placeholder:"OUT" help:"File or folder to write. The extension selects the format: OUT.bag, a ROS 1 bag; OUT without extension, a folder with a CSV file per topic; OUT.zip, logs as the MSL referee box writes them, with the ground truth of both teams; OUT.yaml, a map of the place for navigation programs of ROS, with its image OUT.pgm."`
	Format     string        `enum:",bag,csv,msl,rosbag2,map" default:"" placeholder:"FORMAT" help:"Format, regardless of the extension of OUT: bag, csv, msl, map, or rosbag2, a folder that is a ROS 2 bag."`
	Topic      []string      `placeholder:"PATTERN" sep:"none" help:"Export only topics that match, such as /cyan1/*. May be repeated. Default: all topics."`
	From       time.Duration `default:"0s" placeholder:"DURATION" help:"Time in the recording at which the export starts, such as 90s."`
	For        time.Duration `default:"0s" placeholder:"DURATION" help:"Exported sim time. Default: to the end."`
	Rate       float64       `placeholder:"HZ" help:"For logs of the referee box: world states per second. Default: 10."`
	Resolution *float64      `placeholder:"M" help:"For maps: side of a cell in metres. Default: 0.05."`
	Height     *float64      `placeholder:"M" help:"For maps: height above the floor, in metres, at which a beam meets what the map shows. Default: that of the world's first laser, or else 0.2."`
	Overwrite  bool          `help:"Replace an existing file. For a folder, first remove the files of an earlier export; fails if it holds other files."`
}

// exportFormats maps the extension of the file in --out to the format.
var exportFormats = map[string]string{".bag": "bag", "": "csv", ".zip": "msl", ".yaml": "map"}

// defaultLogRate is the default of --rate, in Hz.
const defaultLogRate = 10

// Check checks the flags without reading any file.
func (c *exportCmd) Check() error {
	if c.Out == "" {
		return errors.New("--out: needs a name")
	}
	if c.Format == "" {
		format, ok := exportFormats[strings.ToLower(filepath.Ext(filepath.Clean(c.Out)))]
		if !ok {
			return fmt.Errorf("--out = %q: must end in .bag, .zip or .yaml, or have no extension, unless --format says the "+
				"format", c.Out)
		}
		c.Format = format
	}
	if out, file := filepath.Clean(c.Out), filepath.Clean(c.File); out == file || out+aside.Suffix == file {
		return fmt.Errorf("--out = %q: must not be the recording's own name", c.Out)
	}
	if c.Format == "map" {
		return c.checkMap()
	}
	if c.Resolution != nil || c.Height != nil {
		return errors.New("--resolution, --height: are for maps only: --out must end in .yaml")
	}
	if c.Format == "msl" {
		if len(c.Topic) > 0 {
			return errors.New("--topic: logs of the referee box hold the truth only")
		}
		if c.Rate == 0 {
			c.Rate = defaultLogRate
		}
		if err := c.mslConfig().Validate(); err != nil {
			return fmt.Errorf("--rate: %w", err)
		}
	} else if c.Rate != 0 {
		return errors.New("--rate: is for logs of the referee box only: --out must end in .zip")
	}
	if err := c.selection().Validate(); err != nil {
		return fmt.Errorf("--topic, --from, --for: %w", err)
	}
	return nil
}

// mslConfig returns the configuration for writing logs of the referee box. The names of the logs derive from the name
// of the file in --out.
func (c *exportCmd) mslConfig() export.MSLConfig {
	name := filepath.Base(c.Out)
	return export.MSLConfig{Name: strings.TrimSuffix(name, filepath.Ext(name)), Rate: c.Rate}
}

func (c *exportCmd) selection() export.Selection {
	return export.Selection{Topics: c.Topic, From: c.From, For: c.For}
}

func (c *exportCmd) Run(ctx context.Context, con console.Streams) error {
	if c.Format == "map" {
		return c.occupancyMap(ctx, con)
	}
	r, err := openRecording(ctx, con, c.File, recording.Open)
	switch {
	case errors.Is(err, console.ErrInterrupted):
		return errors.New("interrupted: nothing was written")
	case err != nil:
		return err
	}
	defer r.Close()
	if damage := r.Damage(); damage != nil {
		fmt.Fprintln(con.Err, damage)
	}
	status := console.NewStatus(con, c.File)
	defer status.Close()
	status.Set("writing " + c.Out)
	switch c.Format {
	case "csv":
		err = c.folder(func(create createFunc) ([]string, error) { return export.CSV(ctx, r, c.selection(), create) })
	case "rosbag2":
		leftOut := func(err error) { fmt.Fprintln(con.Err, err) }
		err = c.folder(func(create createFunc) ([]string, error) {
			path, err := filepath.Abs(c.Out)
			if err != nil {
				return nil, err
			}
			return export.Rosbag2(ctx, r, c.selection(), filepath.Base(path), create, leftOut)
		})
	default:
		err = c.file(ctx, r)
	}
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted: nothing was written")
	}
	return err
}

// createFunc creates a file of a folder.
type createFunc = func(name string) (io.WriteCloser, error)

// folder writes a folder of files. The function write writes the files and returns their names. The folder is created
// when the first file is written.
func (c *exportCmd) folder(write func(createFunc) ([]string, error)) error {
	if err := output.Check("--out", c.Out, c.Overwrite); err != nil {
		return err
	}
	var out *output.Folder
	names, err := write(func(name string) (_ io.WriteCloser, err error) {
		if out == nil {
			if out, err = output.Open("--out", c.Out, c.Overwrite); err != nil {
				return nil, err
			}
		}
		return out.Create(name)
	})
	if err != nil {
		err = console.BadInput(err)
	}
	if out == nil {
		return err
	}
	if err != nil {
		for _, name := range names {
			_ = out.Remove(name)
		}
	}
	return errors.Join(err, out.Close())
}

// file writes a file atomically.
func (c *exportCmd) file(ctx context.Context, r *recording.Reader) error {
	out, err := aside.Create(c.Out, c.Overwrite)
	if err != nil {
		return console.BadInputf("--out %s: %w", c.Out, err)
	}
	defer out.Discard()
	if c.Format == "msl" {
		err = c.logs(ctx, out)
	} else {
		err = export.Bag(ctx, r, c.selection(), out)
	}
	if err != nil {
		return console.BadInput(err)
	}
	if err := out.Finish(); err != nil {
		return console.Unavailablef("--out %s: %w", c.Out, err)
	}
	return nil
}

// logs writes logs of the referee box. The logs need the world in the recording.
func (c *exportCmd) logs(ctx context.Context, out *aside.File) error {
	rec, err := replay.Open(c.File)
	if err != nil {
		return err
	}
	defer rec.Close()
	return export.MSL(ctx, rec.Reader, c.selection(), rec.World, c.mslConfig(), out)
}
