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
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// framesFile is the name of the index file of a folder. It has one line of JSON per camera frame, in the order in which
// the frames were delivered.
const framesFile = "frames.jsonl"

// indexJSON is the line of one frame in the index file. Poses are in the world frame.
type indexJSON struct {
	File   string   `json:"file"`
	Beside []string `json:"beside,omitempty"` // names of the files with further images of the frame
	frameJSON
	Episode  int           `json:"episode"` // starts at 1
	Fault    string        `json:"fault,omitempty"`
	Exposure *exposureJSON `json:"exposure,omitempty"` // only for frames with images
	// RobotPose and CameraPose are poses at the time of the stamp. RobotPose is the pose of the robot's body.
	// CameraPose is the pose of the camera's optical frame. In the optical frame, z points along the optical axis and x
	// points to the right of the image. For a camera with a mirror, z points away from what the image centre shows.
	RobotPose  *Pose         `json:"robot_pose,omitempty"`
	CameraPose *Pose         `json:"camera_pose,omitempty"`
	LidarPose  *Pose         `json:"lidar_pose,omitempty"` // instead, for a point cloud; x forward, z up
	Truth      *truthRefJSON `json:"truth,omitempty"`
}

// exposureJSON is the exposure of the first row of an image. The exposure of the last row starts later, by Readout.
type exposureJSON struct {
	Begin    float64       `json:"begin_s"`
	Length   float64       `json:"length_s"`
	Readout  float64       `json:"readout_s"`
	Settings *settingsJSON `json:"settings,omitempty"` // only for a camera with automatic exposure
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

// PoseOf converts a pose to the form in which files have it.
func PoseOf(p spatial.Pose) *Pose {
	return &Pose{p.Pos, [4]float64{p.Rot.W, p.Rot.V[0], p.Rot.V[1], p.Rot.V[2]}}
}

// truthRefJSON says where files have the ground truth at the stamp of a frame.
type truthRefJSON struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // starts at 1; absent if the file has no lines
	Step int64  `json:"step"`
}

// indexOf returns the line of a frame in the index file. The caller adds the names of files and the state at the stamp.
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

// setPoses sets the poses of the robot and of the camera at the stamp. poseWB is the pose of the robot's body in the
// world frame.
func (x *indexJSON) setPoses(o *sensors.Observation, poseWB spatial.Pose) {
	x.RobotPose = PoseOf(poseWB)
	if _, ok := o.Reading.(*sensors.PointCloud); ok {
		x.LidarPose = PoseOf(poseWB.Mul(o.PoseBC))
	} else {
		x.CameraPose = PoseOf(poseWB.Mul(o.PoseBC))
	}
}

// openIndex creates the index file.
func (o *Folder) openIndex() (*Lines, error) {
	file, err := o.create(framesFile)
	return &Lines{File: file}, err
}

// Lines writes lines of JSON into a file in the order of their numbers. A line is written once all earlier lines are
// known. The methods may be called from any goroutine.
type Lines struct {
	File *os.File
	Next int // number of the next line to write, from 0

	mu      sync.Mutex
	waiting map[int][]byte // lines that wait for an earlier line
}

// Add adds the line with this number. A nil value leaves the line out. Add returns the number of lines before the first
// gap.
func (x *Lines) Add(number int, value any) (whole int, err error) {
	var text []byte
	if value != nil {
		if text, err = json.Marshal(value); err != nil {
			return 0, err
		}
		text = append(text, '\n')
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.waiting == nil {
		x.waiting = map[int][]byte{}
	}
	x.waiting[number] = text
	for {
		text, ok := x.waiting[x.Next]
		if !ok {
			return x.Next, nil
		}
		delete(x.waiting, x.Next)
		if _, err := x.File.Write(text); err != nil {
			return x.Next, err
		}
		x.Next++
	}
}

// historyLength is the sim time for which states are kept, because frames may be delivered that late. It is the maximum
// latency plus the same time again for the jitter of the latency.
const historyLength = 4 * time.Second

// poseHistory holds the poses of the robots in recent states. Only the goroutine that steps the simulation uses it.
type poseHistory struct {
	step time.Duration
	ring []poseRecord
}

type poseRecord struct {
	at      time.Duration
	line    int // line of this state in the truth file; 0 if it has none
	posesWB []spatial.Pose
}

func newPoseHistory(sim *omnipitch.Sim) *poseHistory {
	m := &poseHistory{step: sim.World().Time.Step}
	m.ring = make([]poseRecord, historyLength/m.step+1)
	for i := range m.ring {
		m.ring[i].at = -1
	}
	m.note(sim, 0) // this state is for frames that are captured before the first line of the truth file
	return m
}

func (m *poseHistory) recordAt(at time.Duration) *poseRecord {
	return &m.ring[int(at/m.step)%len(m.ring)]
}

// note stores the poses in the current state. line is the line of this state in the truth file.
func (m *poseHistory) note(sim *omnipitch.Sim, line int) {
	s := sim.Truth()
	x := m.recordAt(s.Time)
	x.at, x.line, x.posesWB = s.Time, line, x.posesWB[:0]
	for i := range s.Robots {
		x.posesWB = append(x.posesWB, s.Robots[i].PoseWB)
	}
}

// setTruth sets the poses in the line x, and the reference to the truth. It takes them from the state at the stamp of
// the frame o. If this state is no longer kept, x stays as it is.
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

// camerasFile holds the models of the cameras.
const camerasFile = "cameras.json"

// CameraModel is the optical model of a camera. Pixel coordinates (0, 0) are the centre of the top-left pixel.
type CameraModel struct {
	Width  int `json:"width_px"`
	Height int `json:"height_px"`
	// Model is plumb_bob, rational_polynomial, equidistant, mei or ocamcalib. It is empty if no model fits.
	Model string `json:"model"`

	FX float64 `json:"fx_px,omitempty"`
	FY float64 `json:"fy_px,omitempty"`
	CX float64 `json:"cx_px"`
	CY float64 `json:"cy_px"`
	// coefficients in the order of ROS's camera_info; for mei they are ξ, k1, k2, p1, p2
	Distortion []float64 `json:"distortion,omitempty"`

	OCam *ocamJSON `json:"ocamcalib,omitempty"` // for model ocamcalib
	// Off is the largest error of the model over the image, in pixels. If a mirror has no single viewpoint, Off is the
	// largest error for points on the floor.
	Off float64 `json:"off_px"`
}

// ocamJSON is the polynomial model of OCamCalib. It describes mirrors, and lenses that no other model describes: see
// docs/cameras.md.
type ocamJSON struct {
	C    float64 `json:"c"`
	D    float64 `json:"d"`
	E    float64 `json:"e"`
	Axis float64 `json:"axis"` // −1: the image centre shows +z of the optical frame; 1: it shows −z
	// Inverse is a polynomial that gives the distance from the image centre in pixels, as a function of the angle
	// atan(axis·z / √(x² + y²)).
	Inverse []float64 `json:"inverse"`
	Direct  []float64 `json:"direct"`
}

// writeCameras writes the models of the cameras that the function shown selects. If shown is nil, it writes the models
// of all cameras.
func (o *Folder) writeCameras(sim *omnipitch.Sim, shown func(robot, sensor string) bool) error {
	all := map[string]*CameraModel{}
	for i := range sim.World().Robots {
		r := &sim.World().Robots[i]
		for k := range r.Sensors {
			if camera, ok := sim.Sensors().Camera(r.Name, r.Sensors[k].Name); ok &&
				(shown == nil || shown(r.Name, r.Sensors[k].Name)) {
				all[r.Name+"."+r.Sensors[k].Name] = ModelOf(camera)
			}
		}
	}
	return o.writeJSON(camerasFile, all)
}

// ModelOf returns the model of a camera's optics.
func ModelOf(camera *sensors.Camera) *CameraModel {
	p, name, d := optics.Lens(camera.Model())
	if name != "" {
		return &CameraModel{Width: p.Width, Height: p.Height, Model: name, FX: p.FX, FY: p.FY, CX: p.CX, CY: p.CY,
			Distortion: d}
	}
	x := &CameraModel{Width: p.Width, Height: p.Height}
	model, err := calibration.Central(camera.Model(), camera.PoseBC())
	if err != nil {
		return x
	}
	const grid = 60 // rays per side
	fit, err := calibration.FitOCam(calibration.Sample(model, grid))
	if err != nil {
		return x
	}
	x.Model, x.CX, x.CY, x.Off = "ocamcalib", fit.CenterColumn, fit.CenterRow, fit.Max
	x.OCam = &ocamJSON{fit.C, fit.D, fit.E, fit.Axis, fit.Inverse, fit.Direct}
	return x
}
