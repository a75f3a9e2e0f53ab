package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/dataset"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/render/backend"
)

type datasetCmd struct {
	drawingFlags
	World    string   `arg:"" help:"Name of a built-in world, or the path of a world file. It must have random values."`
	Frames   int      `required:"" placeholder:"N" help:"Number of images. If the folder holds fewer images of the same data set, only the missing ones are made."`
	Out      string   `required:"" placeholder:"DIR" help:"Folder for the data set: a new or empty folder, or one that the same arguments have started."`
	Format   []string `default:"coco" placeholder:"FORMAT" help:"Formats of the labels, separated by commas: coco, yolo, masks, depth (with normals), flow. frames.jsonl, with all labels that are no images, is always written. Default: ${default}."`
	Sensor   []string `sep:"none" placeholder:"ROBOT.SENSOR" help:"Camera that takes the images. May be repeated; all cameras take images of the same moments. Default: all cameras."`
	Seed     *uint64  `help:"Seed of the first scene; the following scenes count up from it. Default: the world's seed."`
	PerScene int      `default:"60" placeholder:"N" help:"Images per scene. The images of a scene share light, colours, wear and cameras, whose setup takes one or two seconds; positions and velocities differ. Default: ${default}."`
	Split    string   `default:"0.8,0.1,0.1" placeholder:"SHARES" help:"Shares of the scenes for train, val and test. Default: ${default}."`
	Level    string   `default:"raw" enum:"raw,ideal" help:"raw: images with the defects of the cameras; ideal: without. Default: ${default}."`
	JPEG     int      `name:"jpeg" placeholder:"QUALITY" help:"Write images as JPEG with this quality, 1 to 100. Default: PNG, which is lossless."`
	Jobs     *int     `placeholder:"N" help:"Number of scenes rendered at a time. It does not change the data set. Default: one per core."`
	JSON     bool     `name:"json" help:"Print the outcome as one JSON object."`
}

// config returns the configuration of the data set that the flags describe.
func (c *datasetCmd) config() (*dataset.Config, error) {
	if c.Out == "" {
		return nil, output.NoFolder("--out")
	}
	d := &dataset.Config{
		Name: c.World, Frames: c.Frames, PerScene: c.PerScene, Cameras: c.Sensor, Level: abstraction.Level(c.Level),
		JPEG:     c.JPEG,
		Renderer: c.Renderer, Jobs: runtime.NumCPU(), Version: version(),
	}
	if c.Jobs != nil {
		d.Jobs = *c.Jobs
	}
	for _, f := range c.Format {
		d.Formats = append(d.Formats, dataset.Format(f))
	}
	shares := strings.Split(c.Split, ",")
	if len(shares) != len(d.Split) {
		return nil, fmt.Errorf("--split = %q: must be three shares, such as 0.8,0.1,0.1", c.Split)
	}
	for i, text := range shares {
		share, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return nil, fmt.Errorf("--split = %q: %q is no number", c.Split, text)
		}
		d.Split[i] = share
	}
	return d, d.Validate()
}

// Check checks the flags without reading the world.
func (c *datasetCmd) Check() error {
	_, err := c.config()
	return err
}

func (c *datasetCmd) Run(ctx context.Context, con console.Streams) error {
	d, err := c.config()
	if err != nil {
		return err
	}
	if d.World, err = loadWorld(ctx, con, c.World, c.Seed); err != nil {
		return err
	}
	status := console.NewStatus(con, d.World.Name)
	defer status.Close()
	d.Status = status.Set
	made, err := d.Make(ctx, c.Out)
	status.Close()
	if err != nil {
		return err
	}
	if made.Warning != "" {
		fmt.Fprintf(con.Err, "%s: %s\n", made.Folder, made.Warning)
	}
	if c.JSON {
		return console.WriteJSON(con.Out, made)
	}
	printRenderer(con.Notes(), backend.Choose(c.Renderer, nil))
	fmt.Fprintf(con.Out, "%s: %d frames of %d scenes, of which %d were there\n", made.Folder, made.Frames, made.Scenes,
		made.Found)
	for _, part := range dataset.Parts {
		fmt.Fprintf(con.Out, "  %-6s %d\n", part, made.Parts[part])
	}
	var objects []string
	for category, n := range made.Objects {
		objects = append(objects, fmt.Sprintf("%s %d", category, n))
	}
	slices.Sort(objects)
	fmt.Fprintf(con.Out, "  objects: %s\n", strings.Join(objects, ", "))
	return nil
}
