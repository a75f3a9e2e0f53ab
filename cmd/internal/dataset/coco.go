package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/output"
)

// cocoImage is an image in a COCO file. Fields that COCO does not define come last.
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

// cocoObject is an annotation. Fields that COCO does not define come last.
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
		categories, err := json.Marshal(o.categories)
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
				if err := list.add(x.Objects[i].coco(x, list.n+1, o.categories)); err != nil {
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
func (o *Object) coco(f *Frame, id int, categories []Category) *cocoObject {
	x := &cocoObject{
		ID: id, Image: f.Number + 1, Category: categoryOf(o.Category, categories).ID, Area: float64(o.Pixels),
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

// writeYOLO writes the file that gives Ultralytics' YOLO the paths of images and the names of classes. Paths are
// relative to the file's folder.
func (o *folder) writeYOLO() error {
	var out bytes.Buffer
	for _, part := range Parts {
		fmt.Fprintf(&out, "%s: images/%s\n", part, part)
	}
	fmt.Fprintln(&out, "names:")
	for i := range o.categories {
		fmt.Fprintf(&out, "  %d: %s\n", o.categories[i].ID-1, o.categories[i].Name)
	}
	for _, part := range Parts { // all folders exist, possibly without images
		if err := o.root.MkdirAll("images/"+part, 0o755); err != nil {
			return err
		}
	}
	return o.write("data.yaml", out.Bytes())
}

// runs are COCO's run-length encoding of a mask: alternating numbers of pixels outside and inside, column by column
// from the top left. A list of these numbers is COCO's uncompressed form.
type runs []int

// maskRuns returns the runs of the pixels whose value is code. All these pixels must be within box (x, y, width,
// height).
func maskRuns(codes []uint16, width, height int, code uint16, box [4]int) runs {
	var all runs
	end := 0 // pixel index after the last run
	for x := box[0]; x < box[0]+box[2]; x++ {
		for y := box[1]; y < box[1]+box[3]; y++ {
			if codes[y*width+x] != code {
				continue
			}
			start := x*height + y
			for y+1 < box[1]+box[3] && codes[(y+1)*width+x] == code {
				y++
			}
			n := x*height + y + 1 - start
			if start == end && len(all) > 0 { // the run continues from the bottom of one column to the top of the next
				all[len(all)-1] += n
			} else {
				all = append(all, start-end, n)
			}
			end = start + n
		}
	}
	if rest := width*height - end; rest > 0 || len(all) == 0 {
		all = append(all, rest)
	}
	return all
}

// text returns the compressed form. From the fourth count on, the difference to the count two before is stored. Each
// number is written in groups of five bits, lowest first, as characters from '0'; the sixth bit means that more follow.
// Source: COCO API, common/maskApi.c, rleToString.
func (r runs) text() string {
	var out []byte
	for i, count := range r {
		x := count
		if i > 2 {
			x -= r[i-2]
		}
		for more := true; more; {
			c := x & 0x1f
			x >>= 5
			if more = x != 0; c&0x10 != 0 {
				more = x != -1
			}
			if more {
				c |= 0x20
			}
			out = append(out, byte(c)+48)
		}
	}
	return string(out)
}
