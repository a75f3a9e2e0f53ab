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
	World    string   `arg:"" help:"Name of a shipped world, or a path; something in it must be random."`
	Frames   int      `required:"" placeholder:"N" help:"How many images. A folder that holds fewer of the same data set gets those that it lacks."`
	Out      string   `required:"" placeholder:"DIR" help:"Folder for the data set: a new or an empty one, or one that the same arguments have begun."`
	Format   []string `default:"coco" placeholder:"FORMAT" help:"What labels are written: coco, yolo, masks, depth (with normals), flow, with commas or again. Default: ${default}. frames.jsonl, with all that is not an image, is always there."`
	Sensor   []string `sep:"none" placeholder:"ROBOT.SENSOR" help:"A camera that takes the images; may be given several times, and all see the same moments. Default: all cameras."`
	Seed     *uint64  `help:"Seed of the first scene, from which the others count; default: the world's."`
	PerScene int      `default:"60" placeholder:"N" help:"Moments of a scene: of one draw of light, colours, wear and cameras, which takes a second or two, with places and motions of their own. Default: ${default}."`
	Split    string   `default:"0.8,0.1,0.1" placeholder:"SHARES" help:"Shares of train, val and test, by scenes. Default: ${default}."`
	Level    string   `default:"raw" enum:"raw,ideal" help:"raw: images with the cameras' faults; ideal: without. Default: ${default}."`
	JPEG     int      `name:"jpeg" placeholder:"QUALITY" help:"Write images as JPEG of this quality, 1 to 100. Default: PNG, to the bit what the camera delivers."`
	Jobs     *int     `placeholder:"N" help:"How many scenes are drawn at once; the data set is the same. Default: one for each core."`
	JSON     bool     `name:"json" help:"Print what there is as one JSON object."`
}

// config returns what the flags say by themselves.
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

// Check judges what the flags say by themselves.
func (c *datasetCmd) Check() error {
	_, err := c.config()
	return err
}

func (c *datasetCmd) Run(ctx context.Context, con console.Streams) error {
	d, err := c.config()
	if err != nil {
		return err
	}
	if d.World, err = loadWorld(ctx, c.World, c.Seed); err != nil {
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
	for _, category := range dataset.Categories {
		objects = append(objects, fmt.Sprintf("%s %d", category.Name, made.Objects[category.Name]))
	}
	slices.Sort(objects)
	fmt.Fprintf(con.Out, "  objects: %s\n", strings.Join(objects, ", "))
	return nil
}
