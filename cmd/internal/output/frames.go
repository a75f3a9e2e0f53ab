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

// framesFile is the index of a folder: one JSON line per camera frame, in the order of delivery.
const framesFile = "frames.jsonl"

// indexJSON is the line of a frame in the index. Poses are in the world frame.
type indexJSON struct {
	File   string   `json:"file"`
	Beside []string `json:"beside,omitempty"` // further images of the frame
	frameJSON
	Episode  int           `json:"episode"` // starts at 1
	Fault    string        `json:"fault,omitempty"`
	Exposure *exposureJSON `json:"exposure,omitempty"` // for images
	// Poses at the stamp: of the body of the robot, and of the optical frame of the camera. Its z points along the
	// optical axis. For a camera with a mirror, z points away from what the image centre shows. x points to the right
	// of the image.
	RobotPose  *Pose         `json:"robot_pose,omitempty"`
	CameraPose *Pose         `json:"camera_pose,omitempty"`
	Truth      *truthRefJSON `json:"truth,omitempty"`
}

// exposureJSON is the exposure of the first row of an image. That of the last row starts Readout later.
type exposureJSON struct {
	Begin    float64       `json:"begin_s"`
	Length   float64       `json:"length_s"`
	Readout  float64       `json:"readout_s"`
	Settings *settingsJSON `json:"settings,omitempty"` // of a camera with automatic exposure
}

// settingsJSON holds the exposure settings of a camera.
type settingsJSON struct {
	Exposure float64    `json:"exposure"`
	Gain     float64    `json:"gain"`
	Balance  [3]float64 `json:"balance"` // gains of red, green and blue
}

// Pose is a pose as files have it.
type Pose struct {
	Position    mgl64.Vec3 `json:"position_m"`
	Orientation [4]float64 `json:"orientation_wxyz"`
}

// PoseOf converts a pose for files.
func PoseOf(p spatial.Pose) *Pose {
	return &Pose{p.Pos, [4]float64{p.Rot.W, p.Rot.V[0], p.Rot.V[1], p.Rot.V[2]}}
}

// truthRefJSON says where the truth at the stamp is.
type truthRefJSON struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // starts at 1; absent if the file has no lines
	Step int64  `json:"step"`
}

// indexOf returns the line of a frame, without files and without the state at its stamp.
func indexOf(sim *omnipitch.Sim, o *sensors.Observation, episode int) *indexJSON {
	x := &indexJSON{frameJSON: frameOf(o), Episode: episode, Fault: string(o.Fault)}
	if o.Color == nil && o.Depth == nil {
		return x
	}
	x.Exposure = &exposureJSON{Begin: o.Stamp.Seconds()}
	if camera, ok := sim.Sensors().Camera(o.Robot, o.Sensor); ok && o.Level == abstraction.Raw {
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

// setPoses sets the poses at the stamp.
func (x *indexJSON) setPoses(o *sensors.Observation, poseWB spatial.Pose) {
	x.RobotPose, x.CameraPose = PoseOf(poseWB), PoseOf(poseWB.Mul(o.PoseBC))
}

// index writes lines in the order of their numbers, each as soon as all earlier lines are known. Its methods may be
// called from any goroutine.
type index struct {
	file *os.File

	mu      sync.Mutex
	next    uint64
	waiting map[uint64][]byte // lines after next
}

func (o *Folder) newIndex() (index, error) {
	file, err := o.create(framesFile)
	return index{file: file, waiting: map[uint64][]byte{}}, err
}

// add adds a line; nil if the frame could not be written.
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

// historyLength is the sim time for which states are kept for frames that are not delivered yet: the maximum latency,
// and the same again for its jitter.
const historyLength = 4 * time.Second

// poseHistory holds the poses of the robots in the recent states. It belongs to the goroutine that steps.
type poseHistory struct {
	step time.Duration
	ring []poseRecord
}

type poseRecord struct {
	at      time.Duration
	line    int // line of the truth file; 0: none
	posesWB []spatial.Pose
}

func newPoseHistory(sim *omnipitch.Sim) *poseHistory {
	m := &poseHistory{step: sim.World().Time.Step}
	m.ring = make([]poseRecord, historyLength/m.step+1)
	for i := range m.ring {
		m.ring[i].at = -1
	}
	m.note(sim, 0) // for frames captured before the first line of truth
	return m
}

func (m *poseHistory) recordAt(at time.Duration) *poseRecord {
	return &m.ring[int(at/m.step)%len(m.ring)]
}

// note stores the current state.
func (m *poseHistory) note(sim *omnipitch.Sim, line int) {
	s := sim.Truth()
	x := m.recordAt(s.Time)
	x.at, x.line, x.posesWB = s.Time, line, x.posesWB[:0]
	for i := range s.Robots {
		x.posesWB = append(x.posesWB, s.Robots[i].PoseWB)
	}
}

// setTruth sets the poses and the reference to the truth at the stamp of a frame, if the state is still known.
func (m *poseHistory) setTruth(o *sensors.Observation, robot int, x *indexJSON) {
	then := m.recordAt(o.Stamp)
	if then.at != o.Stamp || robot >= len(then.posesWB) {
		return
	}
	x.setPoses(o, then.posesWB[robot])
	if then.line > 0 {
		x.Truth = &truthRefJSON{truthFile, then.line, int64(o.Stamp / m.step)}
	}
}
