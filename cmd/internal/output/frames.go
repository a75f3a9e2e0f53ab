package output

import (
	"encoding/json"
	"os"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// framesFile is the index of a folder: a line of JSON for each frame of a camera, in the order of their delivery.
const framesFile = "frames.jsonl"

// indexJSON is what the index says of a frame. Poses are in the world's frame.
type indexJSON struct {
	File   string   `json:"file"`
	Beside []string `json:"beside,omitempty"` // further images of the same frame
	frameJSON
	Episode  int           `json:"episode"` // counted from 1
	Fault    string        `json:"fault,omitempty"`
	Exposure *exposureJSON `json:"exposure,omitempty"` // of an image
	// Poses at the stamp, of the robot's body and of the camera's optical frame: z along the optical axis or, of a
	// camera with a mirror, away from what the middle of the image shows; x to the image's right.
	RobotPose  *Pose         `json:"robot_pose,omitempty"`
	CameraPose *Pose         `json:"camera_pose,omitempty"`
	Truth      *truthRefJSON `json:"truth,omitempty"`
}

// exposureJSON is when an image was taken: the exposure of its first row. That of the last begins Readout later.
type exposureJSON struct {
	Begin    float64       `json:"begin_s"`
	Length   float64       `json:"length_s"`
	Readout  float64       `json:"readout_s"`
	Settings *settingsJSON `json:"settings,omitempty"` // of a camera that controls them
}

// settingsJSON is what a camera had set.
type settingsJSON struct {
	Exposure float64    `json:"exposure"`
	Gain     float64    `json:"gain"`
	Balance  [3]float64 `json:"balance"` // gain of red, green and blue
}

// Pose is a pose as files hold it.
type Pose struct {
	Position    mgl64.Vec3 `json:"position_m"`
	Orientation [4]float64 `json:"orientation_wxyz"`
}

// PoseOf returns a pose for files.
func PoseOf(p spatial.Pose) *Pose {
	return &Pose{p.Pos, [4]float64{p.Rot.W, p.Rot.V[0], p.Rot.V[1], p.Rot.V[2]}}
}

// truthRefJSON is where the truth at the stamp stands.
type truthRefJSON struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // counted from 1; absent: the file has no lines
	Step int64  `json:"step"`
}

// indexOf says what is known of a frame without the state at its stamp, files aside.
func indexOf(sim *omnipitch.Sim, o *sensors.Observation, episode int) *indexJSON {
	x := &indexJSON{frameJSON: frameOf(o), Episode: episode, Fault: string(o.Fault)}
	if o.Color == nil && o.Depth == nil {
		return x
	}
	x.Exposure = &exposureJSON{Begin: o.Stamp.Seconds()}
	if camera, ok := sim.Camera(o.Robot, o.Sensor); ok && o.Level == abstraction.Raw {
		if s := camera.Config().Shutter; s != nil {
			*x.Exposure = exposureJSON{Begin: (o.Stamp - (s.Exposure+s.Readout)/2).Seconds(),
				Length: s.Exposure.Seconds(), Readout: s.Readout.Seconds()}
		}
		if camera.Automatic() {
			x.Exposure.Settings = &settingsJSON{o.Settings.Exposure, o.Settings.Gain, o.Settings.Balance}
		}
	}
	return x
}

// at adds the poses at the stamp.
func (x *indexJSON) at(o *sensors.Observation, poseWB spatial.Pose) {
	x.RobotPose, x.CameraPose = PoseOf(poseWB), PoseOf(poseWB.Mul(o.PoseBC))
}

// index writes lines in the order of their numbers, each as soon as those before it are there. Its methods may be
// called from any goroutine.
type index struct {
	file *os.File

	mu      sync.Mutex
	next    uint64
	waiting map[uint64][]byte // behind next
}

func (o *Folder) newIndex() (index, error) {
	file, err := o.create(framesFile)
	return index{file: file, waiting: map[uint64][]byte{}}, err
}

// add adds a line, nil if the frame of its number could not be written.
func (x *index) add(number uint64, line *indexJSON) error {
	var text []byte
	if line != nil {
		var err error
		if text, err = json.Marshal(line); err != nil {
			return err
		}
		text = append(text, '\n')
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waiting[number] = text
	for {
		text, ok := x.waiting[x.next]
		if !ok {
			return nil
		}
		delete(x.waiting, x.next)
		x.next++
		if _, err := x.file.Write(text); err != nil {
			return err
		}
	}
}

// remembered is how long states are kept for frames that are on their way: the longest latency, and as much again for
// its jitter.
const remembered = 4 * time.Second

// moments are the robots' poses of the states that were observed last. They belong to the goroutine that steps.
type moments struct {
	step time.Duration
	ring []moment
}

type moment struct {
	at      time.Duration
	line    int // of truth; 0: none
	posesWB []spatial.Pose
}

func newMoments(sim *omnipitch.Sim) *moments {
	m := &moments{step: sim.World().Time.Step}
	m.ring = make([]moment, remembered/m.step+1)
	for i := range m.ring {
		m.ring[i].at = -1
	}
	m.note(sim, 0) // of what was captured before truth is written first
	return m
}

func (m *moments) place(at time.Duration) *moment { return &m.ring[int(at/m.step)%len(m.ring)] }

// note keeps the present state.
func (m *moments) note(sim *omnipitch.Sim, line int) {
	s := sim.Truth()
	x := m.place(s.Time)
	x.at, x.line, x.posesWB = s.Time, line, x.posesWB[:0]
	for i := range s.Robots {
		x.posesWB = append(x.posesWB, s.Robots[i].PoseWB)
	}
}

// of adds to what the index says of a robot's frame what was at its stamp, if that is known.
func (m *moments) of(o *sensors.Observation, robot int, x *indexJSON) {
	then := m.place(o.Stamp)
	if then.at != o.Stamp || robot >= len(then.posesWB) {
		return
	}
	x.at(o, then.posesWB[robot])
	if then.line > 0 {
		x.Truth = &truthRefJSON{truthFile, then.line, int64(o.Stamp / m.step)}
	}
}
