package dataset

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/output"
)

// imagesFolder contains the images.
const imagesFolder = "images/"

// framesFile has a line of JSON for each image, in the order of their numbers. Files that a line names are complete.
const framesFile = "frames.jsonl"

// Frame describes an image.
type Frame struct {
	Number int      `json:"frame"`            // from 0
	File   string   `json:"file"`             // the image
	Beside []string `json:"beside,omitempty"` // files of labels
	Part   string   `json:"part"`             // of Parts
	Scene  int      `json:"scene"`            // from 0
	Moment int      `json:"moment"`           // of the scene, from 0
	// Seed is the seed of the scene's random values. PoseSeed is the seed of the moment's positions and events.
	Seed     uint64  `json:"seed"`
	PoseSeed uint64  `json:"pose_seed"`
	Robot    string  `json:"robot"`
	Sensor   string  `json:"sensor"`
	Level    string  `json:"level"`
	Stamp    float64 `json:"stamp_s"`       // sim time in the scene, at the centre of the exposure interval
	FlowTime float64 `json:"flow_s"`        // time interval of the optical flow
	Note     []Event `json:"drawn"`         // the random events at time 0 of this moment
	Set      *Taken  `json:"set,omitempty"` // only for a camera that controls its exposure
	Width    int     `json:"width_px"`
	Height   int     `json:"height_px"`
	// Camera is the camera's model; poses are at the stamp, in the world frame.
	Camera     *output.CameraModel `json:"camera"`
	RobotPose  *output.Pose        `json:"robot_pose"`
	CameraPose *output.Pose        `json:"camera_pose"`
	Objects    []Object            `json:"objects"`
}

// Event is an executed action: its key, and the fields of its Go type in SI units and radians.
type Event struct {
	Action string          `json:"action"`
	Fields json.RawMessage `json:"fields"`
}

// Taken are a camera's settings.
type Taken struct {
	Exposure float64    `json:"exposure"`
	Gain     float64    `json:"gain"`
	Balance  [3]float64 `json:"balance"` // gains of red, green and blue
}

// maxLine is the largest length of a line, in bytes. It suffices for a 4096 × 4096 image in which every other pixel
// begins a run.
const maxLine = 64 << 20

// openIndex opens the folder's index, and truncates an incomplete or unexpected last line. It fails if the file is not
// a data set's index.
func (o *folder) openIndex() (*output.Lines, error) {
	file, err := o.root.OpenFile(framesFile, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	x := &output.Lines{File: file}
	lines, end := bufio.NewReaderSize(file, 1<<16), int64(0)
	for {
		text, err := readLine(lines)
		if err != nil {
			break
		}
		if _, err := parseFrame(text, x.Next, o.categories); err != nil {
			break
		}
		end += int64(len(text))
		x.Next++
	}
	if err = file.Truncate(end); err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return x, nil
}

// readLine returns a complete line, with its newline.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxLine:
			return nil, fmt.Errorf("a line is longer than %d bytes", maxLine)
		}
	}
}

// parseFrame parses a line of the index, which must have the given number.
func parseFrame(text []byte, number int, categories []Category) (*Frame, error) {
	var f Frame
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	switch {
	case f.Number != number:
		return nil, fmt.Errorf("frame = %d: must be %d", f.Number, number)
	case !slices.Contains(Parts[:], f.Part):
		return nil, fmt.Errorf("part = %.40q: must be one of %s", f.Part, strings.Join(Parts[:], ", "))
	case !strings.HasPrefix(f.File, imagesFolder+f.Part+"/"):
		return nil, fmt.Errorf("file = %.40q: must be in %s%s", f.File, imagesFolder, f.Part)
	case f.Width < 1 || f.Height < 1:
		return nil, fmt.Errorf("%d × %d pixels: must be at least 1", f.Width, f.Height)
	}
	for i := range f.Objects {
		if categoryOf(f.Objects[i].Category, categories) == nil {
			return nil, fmt.Errorf("objects[%d].category = %.40q: there is no such category", i, f.Objects[i].Category)
		}
	}
	return &f, nil
}

// frames calls the function f for each of the first limit frames in the folder.
func (o *folder) frames(limit int, f func(*Frame) error) error {
	file, err := o.root.Open(framesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, 1<<16)
	for n := range limit {
		text, err := readLine(lines)
		if err != nil {
			return fmt.Errorf("%s ends after %d lines: %w", framesFile, n, err)
		}
		x, err := parseFrame(text, n, o.categories)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", framesFile, n+1, err)
		}
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}
