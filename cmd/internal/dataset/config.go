// Package dataset makes labelled images of a world with random values, for training a vision. Each scene has new random
// values, and in each moment of a scene the bodies are at new random positions. The result depends only on the
// arguments, not on the number of processors or on interruptions.
//
// The seed of a scene determines its random values: light, colours, wear, people, cameras and the faults of cameras.
// For each moment of the scene, new random values are chosen for the positions of ball, robots and obstacles, and for
// the events at time 0, which make robots move and light change. The image is taken one frame period later, so that
// moving bodies have moved since the frame before. Each camera takes an image in each moment. Coordinate frames are
// those of package output; pixel (0, 0) is the centre of the top-left pixel.
package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/worlds"
)

// Format is a format of labels.
type Format string

const (
	COCO  Format = "coco"  // boxes, masks and key points in one JSON file per part
	YOLO  Format = "yolo"  // a text file of boxes per image
	Masks Format = "masks" // a class image and an instance image
	Depth Format = "depth" // ranges, depths and normals
	Flow  Format = "flow"  // optical flow
)

// Formats lists all formats.
var Formats = []Format{COCO, YOLO, Masks, Depth, Flow}

// Parts are the parts of a data set.
var Parts = [3]string{"train", "val", "test"}

// Config describes a data set.
type Config struct {
	World    *worlds.World     // world whose seed is that of the first scene
	Name     string            // the world's name or path
	Frames   int               // total number of images
	PerScene int               // number of moments in a scene
	Split    [3]float64        // fractions of scenes in Parts
	Formats  []Format          // at least one
	Cameras  []string          // ROBOT.SENSOR; empty: all
	Level    abstraction.Level // raw or ideal
	JPEG     int               // quality of JPEG images; 0: PNG
	Renderer string            // one of backend.Names
	Jobs     int               // number of scenes rendered concurrently
	Version  string            // of the program
	Status   func(text string)
}

// MostFrames is the largest number of images: file names have seven digits.
const MostFrames = 10_000_000

// Validate returns all errors in the configuration. It fills in default cameras.
func (c *Config) Validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, x := range []struct {
		flag     string
		is, most int
	}{{"--frames", c.Frames, MostFrames}, {"--per-scene", c.PerScene, 10_000}, {"--jobs", c.Jobs, 1024}} {
		if x.is < 1 || x.is > x.most {
			fail("%s = %d: must lie in [1, %d]", x.flag, x.is, x.most)
		}
	}
	if c.JPEG < 0 || c.JPEG > 100 {
		fail("--jpeg = %d: must lie in [1, 100]", c.JPEG)
	}
	if c.Level != abstraction.Raw && c.Level != abstraction.Ideal {
		fail("--level = %q: must be raw or ideal", c.Level)
	}
	switch sum := c.Split[0] + c.Split[1] + c.Split[2]; {
	case !(min(c.Split[0], c.Split[1], c.Split[2]) >= 0): // also NaN
		fail("--split = %s: must be shares of 0 or more", splitText(c.Split))
	case !(math.Abs(sum-1) < 1e-6):
		fail("--split = %s: must sum to 1", splitText(c.Split))
	}
	if len(c.Formats) == 0 {
		fail("--format: must name one of %s", joined(Formats))
	}
	for i, f := range c.Formats {
		if !slices.Contains(Formats, f) {
			fail("--format = %q: must be one of %s", f, joined(Formats))
		} else if slices.Contains(c.Formats[:i], f) {
			fail("--format = %s: is named twice", f)
		}
	}
	return errors.Join(errs...)
}

// choose looks up the cameras in the world.
func (c *Config) choose() error {
	var all []string
	for i := range c.World.Robots {
		r := &c.World.Robots[i]
		for k := range r.Sensors {
			if abstraction.Features.In(r.Sensors[k].Kind.Levels()) {
				all = append(all, r.Name+"."+r.Sensors[k].Name)
			}
		}
	}
	if len(all) == 0 {
		return console.BadInputf("%s: has no camera", c.Name)
	}
	if len(c.Cameras) == 0 {
		c.Cameras = all
	}
	for i, name := range c.Cameras {
		switch {
		case !slices.Contains(all, name):
			return console.BadInputf("--sensor %s: is no camera of %s, whose cameras are %s", name, c.Name,
				strings.Join(all, ", "))
		case slices.Contains(c.Cameras[:i], name):
			return console.BadInputf("--sensor %s: is named twice", name)
		}
	}
	if n := len(c.World.Kinds()); n > mostKinds {
		return console.BadInputf("%s: has %d kinds of bodies: must be at most %d in a data set", c.Name, n, mostKinds)
	}
	if !c.World.Random() {
		return console.BadInputf("%s: nothing in it is random, so all frames would be the same: use distributions "+
			"for positions, "+
			"light and colours (docs/world-files.md#random-values), or the world vision-training",
			c.Name)
	}
	if last := uint64(c.scenes()); c.World.Seed > math.MaxInt64-last {
		return console.BadInputf("--seed = %d: the last of %d scenes would have a seed beyond 2^63-1", c.World.Seed,
			last)
	}
	return nil
}

// perScene returns the number of images of a scene.
func (c *Config) perScene() int { return c.PerScene * len(c.Cameras) }

// scenes returns the number of scenes.
func (c *Config) scenes() int { return (c.Frames + c.perScene() - 1) / c.perScene() }

func (c *Config) writes(f Format) bool { return slices.Contains(c.Formats, f) }

func joined[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, x := range all {
		texts[i] = string(x)
	}
	return strings.Join(texts, ", ")
}

func splitText(s [3]float64) string { return fmt.Sprintf("%g,%g,%g", s[0], s[1], s[2]) }

// Category is a class of objects.
type Category struct {
	ID        int      `json:"id"` // from 1, as in COCO; the class in YOLO files is ID − 1
	Name      string   `json:"name"`
	Super     string   `json:"supercategory"`
	KeyPoints []string `json:"keypoints"` // names of the object's key points, in order
	Skeleton  [][2]int `json:"skeleton"`  // pairs of key points, counted from 1, that a line joins
}

// Categories of objects. Robots of the two teams are different categories, because users can join two categories more
// easily than separate one.
const (
	ball = iota
	cyanRobot
	magentaRobot
	goal
	person
	obstacle
	ballBeside
)

// Categories lists the categories of all worlds, in the order of their IDs. A world adds its own kinds.
var Categories = []Category{
	ball:         {1, "ball", "ball", []string{"centre"}, [][2]int{}},
	cyanRobot:    {2, "robot_cyan", "robot", []string{"base", "top", "front"}, [][2]int{{1, 2}, {1, 3}}},
	magentaRobot: {3, "robot_magenta", "robot", []string{"base", "top", "front"}, [][2]int{{1, 2}, {1, 3}}},
	goal: {4, "goal", "goal", []string{"left_foot", "left_top", "right_top", "right_foot"},
		[][2]int{{1, 2}, {2, 3}, {3, 4}}},
	person:     {5, "person", "person", []string{"base", "top"}, [][2]int{{1, 2}}},
	obstacle:   {6, "obstacle", "obstacle", []string{"base", "top"}, [][2]int{{1, 2}}},
	ballBeside: {7, "ball_beside", "ball", []string{"centre"}, [][2]int{}},
}

// mostKinds is the largest number of a world's own kinds, because a pixel of the class image has one byte.
const mostKinds = 200

// CategoriesOf returns all categories of a world: those of all worlds, and then its own kinds in alphabetical order.
func CategoriesOf(w *worlds.World) []Category {
	all := slices.Clone(Categories)
	for _, kind := range w.Kinds() {
		if categoryOf(kind, all) == nil {
			all = append(all, Category{len(all) + 1, kind, kind, []string{"base", "top"}, [][2]int{{1, 2}}})
		}
	}
	return all
}

// Values of the class image. The value of a category is its ID plus firstCategory.
const (
	classNothing  = iota // not imaged by the optics
	classHall            // walls and ceiling
	classFloor           // carpet and bare floor
	classMarking         // of the field
	classOther           // boards, props, and loose objects
	classSelf            // the camera's own robot
	firstCategory = 10
)

// pixelClasses are the names of the values of the class image, except for categories.
var pixelClasses = map[int]string{
	classNothing: "nothing", classHall: "hall", classFloor: "floor", classMarking: "marking", classOther: "other",
	classSelf: "self",
}

// ClassNames returns the names of all values of the class image.
func ClassNames(categories []Category) map[int]string {
	all := map[int]string{}
	for number, name := range pixelClasses {
		all[number] = name
	}
	for i := range categories {
		all[firstCategory+categories[i].ID] = categories[i].Name
	}
	return all
}
