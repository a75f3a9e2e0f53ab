package dataset

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/output"
)

// cocoImage is an image in a COCO file. Additional fields come last.
type cocoImage struct {
	ID         int                 `json:"id"`
	File       string              `json:"file_name"` // path within the folder images
	Width      int                 `json:"width"`
	Height     int                 `json:"height"`
	Scene      int                 `json:"scene"`
	Sensor     string              `json:"sensor"`
	Camera     *output.CameraModel `json:"camera"`
	CameraPose *output.Pose        `json:"camera_pose"`
}

// cocoObject is an annotation. Additional fields come last.
type cocoObject struct {
	ID        int        `json:"id"`
	Image     int        `json:"image_id"`
	Category  int        `json:"category_id"`
	Box       [4]float64 `json:"bbox"`
	Area      float64    `json:"area"`
	Mask      cocoMask   `json:"segmentation"`
	Crowd     int        `json:"iscrowd"`
	KeyPoints []float64  `json:"keypoints"`
	Known     int        `json:"num_keypoints"`

	Instance int          `json:"instance"`
	Name     string       `json:"name"`
	Team     string       `json:"team,omitempty"`
	Visible  float64      `json:"visible"`
	Cut      bool         `json:"cut"`
	Pose     *output.Pose `json:"pose_c"`
}

// cocoMask is a compressed run-length encoding.
type cocoMask struct {
	Size   [2]int `json:"size"` // height and width
	Counts string `json:"counts"`
}

// writeCOCO writes the COCO file of a part of the data set, from the frames in the folder. The ID of an image is its
// frame number plus 1. The IDs of annotations start at 1 in each file. Source: COCO, "Data format", cocodataset.org.
func (o *folder) writeCOCO(c *Config, part string) error {
	of := func(f func(*Frame) error) error {
		return o.frames(c.Frames, func(x *Frame) error {
			if x.Part != part {
				return nil
			}
			return f(x)
		})
	}
	return o.stream(fmt.Sprintf("annotations/instances_%s.json", part), func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<16)
		head, err := json.Marshal(map[string]any{"description": fmt.Sprintf("%s, seed %d, by %s", c.World.Name,
			c.World.Seed, c.Version), "version": "1.0"})
		if err != nil {
			return err
		}
		categories, err := json.Marshal(Categories)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "{\"info\": %s,\n\"licenses\": [],\n\"categories\": %s,\n\"images\": [", head, categories)
		list := list{out: out}
		if err := of(func(x *Frame) error {
			return list.add(&cocoImage{x.Number + 1, strings.TrimPrefix(x.File, imagesFolder), x.Width, x.Height,
				x.Scene, x.Robot + "." + x.Sensor, x.Camera, x.CameraPose})
		}); err != nil {
			return err
		}
		fmt.Fprint(out, "],\n\"annotations\": [")
		list.n = 0
		if err := of(func(x *Frame) error {
			for i := range x.Objects {
				if err := list.add(x.Objects[i].coco(x, list.n+1)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		fmt.Fprint(out, "]}\n")
		return out.Flush()
	})
}

// list writes the elements of a JSON array.
type list struct {
	out *bufio.Writer
	n   int
}

func (l *list) add(x any) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	separator := ",\n"
	if l.n == 0 {
		separator = "\n"
	}
	l.n++
	l.out.WriteString(separator)
	_, err = l.out.Write(text)
	return err
}

// coco converts an object of a frame to an annotation.
func (o *Object) coco(f *Frame, id int) *cocoObject {
	x := &cocoObject{
		ID: id, Image: f.Number + 1, Category: categoryOf(o.Category).ID, Area: float64(o.Pixels),
		Box:  [4]float64{float64(o.Box[0]), float64(o.Box[1]), float64(o.Box[2]), float64(o.Box[3])},
		Mask: cocoMask{[2]int{f.Height, f.Width}, o.Runs.text()}, KeyPoints: []float64{},
		Instance: o.Instance, Name: o.Name, Team: o.Team, Visible: math.Round(o.Visible*1e4) / 1e4, Cut: o.Cut,
		Pose: o.Pose,
	}
	for _, p := range o.Points {
		x.KeyPoints = append(x.KeyPoints, p[:]...)
		if p[2] > 0 {
			x.Known++
		}
	}
	return x
}
