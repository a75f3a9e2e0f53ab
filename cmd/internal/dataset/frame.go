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
	"sync"

	"github.com/omnipitch/omnipitch/cmd/internal/output"
)

// imagesFolder is where images are.
const imagesFolder = "images/"

// framesFile has a line of JSON for each image, in the order of their numbers. What it names is there as a whole.
const framesFile = "frames.jsonl"

// Frame is what is known of an image.
type Frame struct {
	Number int      `json:"frame"`            // from 0
	File   string   `json:"file"`             // the image
	Beside []string `json:"beside,omitempty"` // files of its labels
	Part   string   `json:"part"`             // of Parts
	Scene  int      `json:"scene"`            // from 0
	Moment int      `json:"moment"`           // of the scene, from 0
	// Seed is the world's with which the scene was drawn, PoseSeed the one with which the places of this moment and its
	// events were.
	Seed     uint64  `json:"seed"`
	PoseSeed uint64  `json:"pose_seed"`
	Robot    string  `json:"robot"`
	Sensor   string  `json:"sensor"`
	Level    string  `json:"level"`
	Stamp    float64 `json:"stamp_s"`       // sim time in the scene, the middle of the exposure
	FlowTime float64 `json:"flow_s"`        // flow is by how much what pixels show has moved for so long
	Note     []Event `json:"drawn"`         // the events of time 0 of this moment's draw
	Set      *Taken  `json:"set,omitempty"` // of a camera that controls its exposure
	Width    int     `json:"width_px"`
	Height   int     `json:"height_px"`
	// Camera is the camera's model; poses are at the stamp, in the world's frame.
	Camera     *output.CameraModel `json:"camera"`
	RobotPose  *output.Pose        `json:"robot_pose"`
	CameraPose *output.Pose        `json:"camera_pose"`
	Objects    []Object            `json:"objects"`
}

// Event is an action that was done, by its key, with the fields of its type in Go, SI units and radians.
type Event struct {
	Action string          `json:"action"`
	Fields json.RawMessage `json:"fields"`
}

// Taken is what a camera had set.
type Taken struct {
	Exposure float64    `json:"exposure"`
	Gain     float64    `json:"gain"`
	Balance  [3]float64 `json:"balance"` // gain of red, green and blue
}

// index writes lines in the order of their numbers, each as soon as those before it are there. Its methods may be
// called from any goroutine.
type index struct {
	file *os.File

	mu      sync.Mutex
	next    int
	waiting map[int][]byte // behind next
}

// maxLine bounds a line: an image of 4096 × 4096 pixels whose objects have a run at every other.
const maxLine = 64 << 20

// openIndex opens the folder's index, and cuts off what is not a whole line of the frame that follows. It fails for one
// that is not of a data set.
func (o *folder) openIndex() (*index, error) {
	file, err := o.root.OpenFile(framesFile, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	x := &index{file: file, waiting: map[int][]byte{}}
	lines, end := bufio.NewReaderSize(file, 1<<16), int64(0)
	for {
		text, err := readLine(lines)
		if err != nil {
			break
		}
		if _, err := parseFrame(text, x.next); err != nil {
			break
		}
		end += int64(len(text))
		x.next++
	}
	if err = file.Truncate(end); err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return x, nil
}

// readLine returns a whole line with its end.
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

// parseFrame reads a line of the index, which is of a frame of that number.
func parseFrame(text []byte, number int) (*Frame, error) {
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
		return nil, fmt.Errorf("%d × %d pixels: must be 1 at least", f.Width, f.Height)
	}
	for i := range f.Objects {
		if categoryOf(f.Objects[i].Category) == nil {
			return nil, fmt.Errorf("objects[%d].category = %.40q: there is no such category", i, f.Objects[i].Category)
		}
	}
	return &f, nil
}

// add adds a frame. It tells how many there are now, without a gap.
func (x *index) add(f *Frame) (whole int, err error) {
	text, err := json.Marshal(f)
	if err != nil {
		return 0, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waiting[f.Number] = append(text, '\n')
	for {
		text, ok := x.waiting[x.next]
		if !ok {
			return x.next, nil
		}
		delete(x.waiting, x.next)
		if _, err := x.file.Write(text); err != nil {
			return x.next, err
		}
		x.next++
	}
}

// frames calls f with each frame that the folder has, up to a number.
func (o *folder) frames(most int, f func(*Frame) error) error {
	file, err := o.root.Open(framesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, 1<<16)
	for n := range most {
		text, err := readLine(lines)
		if err != nil {
			return fmt.Errorf("%s ends after %d lines: %w", framesFile, n, err)
		}
		x, err := parseFrame(text, n)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", framesFile, n+1, err)
		}
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}
