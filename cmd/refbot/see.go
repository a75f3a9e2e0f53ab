package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/cmd/refbot/wire"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// sight is the configuration of vision from raw images.
type sight struct {
	Calibration  string   `help:"Localise by raw omni images, and publish poses on vision/pose. FILE is the camera's calib_results.txt, as written by omnipitch calibration --format ocamcalib, or a folder with the files and colour tables of all robots, as written by omnipitch calibration --format refbot."`
	Height       float64  `name:"camera-height" default:"0.78" help:"With --calibration: height of the mirror's viewpoint, m."`
	Yaw          float64  `name:"camera-yaw" default:"-90" help:"With --calibration: rotation of the camera, degrees. At 0 the robot's front is at the top of the image, at -90 on the right."`
	Colors       string   `name:"color-table" help:"With --calibration: detect ball and obstacles in omni images with this colour table, CTable.dat, as written by omnipitch calibration --format nubot for an omni camera, and publish them on vision/ball and vision/obstacles."`
	FrontColors  string   `name:"front-color-table" help:"With --calibration: detect the ball in front images with this colour table, CTableBGR.dat, as written by omnipitch calibration --format nubot for a front camera."`
	Mates        string   `default:"" enum:",cyan,magenta" help:"With --calibration: detect robots with colour cards of this team in front images, and publish them on vision/mates. With --by-images and a strategy without radio, the player knows those within 4 m."`
	ByImages     bool     `name:"by-images" help:"Play by raw images and by the referee's messages on topic game, instead of by perceptions. Needs --calibration with colour tables, the profiles standard and refbot, and a sensor of kind arms; with --league humanoid, instead of that sensor, those of the kinds imu, odometry and joints."`
	Start        []string `sep:"none" placeholder:"NAME=X,Y,HEADING" help:"With --by-images and --league humanoid: where a robot stands at first (repeatable), m and degrees in the frame map. Default: the robot looks around for three seconds, and searches its pose in its own half."`
	Neck         string   `placeholder:"PAN,TILT,X,HEIGHT" help:"With --by-images and --league humanoid: names of the joints that turn the head left and down, and where their axes cross: m ahead of the robot's centre, and m over the floor. Default: head_yaw,head_pitch,0,0.676, as on model humanoid-kid."`
	HeadCamera   string   `placeholder:"NAME,X,HEIGHT" help:"With --by-images and --league humanoid: name of the topics of the camera in the head, and where it is while the head looks straight ahead. Default: camera,0.064,0.735, as on model humanoid-kid."`
	Team         string   `enum:",cyan,magenta" default:"" help:"With --by-images: team of the robots. Default: magenta for names that begin with magenta, else cyan."`
	FrontX       float64  `name:"front-x" default:"0.26" help:"With --front-color-table or --mates: position of the front camera ahead of the robot's centre, m."`
	FrontHeight  float64  `name:"front-height" default:"0.5" help:"With --front-color-table or --mates: height of the front camera, m."`
	FrontPitch   float64  `name:"front-pitch" default:"15" help:"With --front-color-table or --mates: downward pitch of the front camera, degrees."`
	Kinects      []string `name:"kinect" sep:"none" placeholder:"NAME=X,Y,HEIGHT,PITCH,YAW" help:"Detect the ball with this Kinect, also in the air (repeatable). NAME is the name of its topics, the rest its mount: m ahead, m to the left, m over the floor, degrees down, degrees to the left. The ball is published on vision/ball, and its predicted landing on vision/touchdown. A goalkeeper goes to where the ball lands."`
	KinectModel  string   `name:"kinect-model" default:"kinect-v2" enum:"kinect-v2,kinect-v1" help:"With --kinect: model of the camera, which determines its noise."`
	KinectColors string   `name:"kinect-color-table" help:"With --kinect: also use this colour table, CTableBGR.dat, as written by omnipitch calibration --format nubot for a Kinect."`
	Field        string   `default:"" enum:",msl-18x12,nubot-18x12,msl-22x14,challenge-12x8,hsl-9x6,hsl-14x9,hsl-22x14" help:"With --calibration: markings of the field. Default: msl-18x12, with --league humanoid hsl-9x6."`

	starts map[string]locate.Pose // parsed from Start
}

// floorReach is the range within which lines are detected, m. Farther away a pixel covers half a metre.
const floorReach = 7.0

// sees reports whether any camera is configured.
func (s *sight) sees() bool { return s.Calibration != "" || len(s.Kinects) > 0 }

// files are the names of a robot's calibration file and colour tables. The colour tables may be "".
type files struct{ calibration, omni, front string }

// files returns the names of the files of a robot. If --calibration is a folder, the files are in its subfolder that is
// named after the robot.
func (s *sight) files(robot string) (files, error) {
	f := files{s.Calibration, s.Colors, s.FrontColors}
	if info, err := os.Stat(s.Calibration); err != nil {
		return f, fmt.Errorf("--calibration: %w; omnipitch calibration WORLD --format refbot --out %[2]s writes it",
			err, s.Calibration)
	} else if !info.IsDir() {
		return f, nil
	}
	in := filepath.Join(s.Calibration, robot)
	f.calibration = filepath.Join(in, "calib_results.txt")
	for _, table := range []struct {
		name *string
		file string
	}{{&f.omni, "CTable.dat"}, {&f.front, "CTableBGR.dat"}} {
		if path := filepath.Join(in, table.file); *table.name == "" {
			if _, err := os.Stat(path); err == nil {
				*table.name = path
			}
		}
	}
	return f, nil
}

// config returns the configuration of a robot's vision node. It returns an error for an invalid calibration file or
// Kinect.
func (s *sight) config(robot string) (c node.Config, err error) {
	if s.Calibration != "" {
		if c, err = s.omni(robot); err != nil {
			return c, err
		}
	}
	for _, text := range s.Kinects {
		k, err := readKinect(text)
		if err != nil {
			return c, fmt.Errorf("--kinect %.80q: %w", text, err)
		}
		if k.Noise = vision.KinectV2; s.KinectModel == "kinect-v1" {
			k.Noise = vision.KinectV1
		}
		c.Kinects = append(c.Kinects, k)
	}
	c.KinectColors, err = readColors(s.KinectColors, vision.BGR)
	return c, err
}

// omni returns the configuration for the omni camera and the front camera.
func (s *sight) omni(robot string) (node.Config, error) {
	f, err := s.files(robot)
	if err != nil {
		return node.Config{}, err
	}
	file, err := os.Open(f.calibration)
	if err != nil {
		return node.Config{}, err
	}
	defer file.Close()
	markings, _ := locate.MarkingsOf(cmp.Or(s.Field, "msl-18x12"))
	m, err := vision.ReadOmniModel(file)
	if err != nil {
		return node.Config{}, fmt.Errorf("%s: %w", f.calibration, err)
	}
	if !(s.Height > 0 && s.Height <= 10) {
		return node.Config{}, fmt.Errorf("--camera-height %v: must lie in (0, 10]", s.Height)
	}
	if !(s.FrontHeight > 0 && s.FrontHeight <= 10) {
		return node.Config{}, fmt.Errorf("--front-height %v: must lie in (0, 10]", s.FrontHeight)
	}
	mount := vision.OmniMount{Height: s.Height, Yaw: s.Yaw * math.Pi / 180, Mirrored: true}
	c := node.Config{
		Floor: vision.NewFloor(m, mount, floorReach), View: vision.NewOmniView(m, mount),
		Field:      locate.NewField(markings),
		FrontMount: vision.PinholeMount{X: s.FrontX, Height: s.FrontHeight, Pitch: s.FrontPitch * math.Pi / 180},
	}
	if color, ok := map[string]vision.Class{"cyan": vision.ClassCyan, "magenta": vision.ClassMagenta}[s.Mates]; ok {
		c.Mates = &color
	}
	if c.Colors, err = readColors(f.omni, vision.YUV); err == nil {
		c.FrontColors, err = readColors(f.front, vision.BGR)
	}
	if err == nil && s.ByImages && c.Colors == nil {
		err = errors.New("--by-images: needs --color-table")
	}
	return c, err
}

// readKinect parses the mount of a Kinect.
func readKinect(text string) (k node.Kinect, err error) {
	name, rest, found := strings.Cut(text, "=")
	words := strings.Split(rest, ",")
	if !found || name == "" || len(words) != 5 {
		return k, errors.New("must be NAME=X,Y,HEIGHT,PITCH,YAW")
	}
	at, err := numbers(words)
	if err != nil {
		return k, err
	}
	if !(at[2] > 0 && at[2] <= 10) {
		return k, fmt.Errorf("height %v: must lie in (0, 10]", at[2])
	}
	return node.Kinect{Name: name, Mount: vision.PinholeMount{X: at[0], Y: at[1], Height: at[2],
		Pitch: at[3] * math.Pi / 180, Yaw: at[4] * math.Pi / 180}}, nil
}

// numbers parses numbers of metres and degrees.
func numbers(words []string) (all []float64, err error) {
	for _, w := range words {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil || !(math.Abs(x) <= 360) {
			return nil, fmt.Errorf("%.40q: must be a number in [-360, 360]", w)
		}
		all = append(all, x)
	}
	return all, nil
}

// player returns the player of a robot, who decides what it does. The player's number is the number at the end of the
// robot's name.
func (s *sight) player(name string, r *wire.Robot, who *soccer.Player) *node.Player {
	p := &node.Player{Robot: r, Team: msg.TeamCyan, ByImages: s.ByImages, Meets: !who.Talks(),
		Falls: func(f world.Fall) { r.Do(func() { who.Falls(f) }) }}
	if name = strings.TrimPrefix(name, "/"); s.Team == "magenta" || s.Team == "" && strings.HasPrefix(name, "magenta") {
		p.Team = msg.TeamMagenta
	}
	if n, err := strconv.ParseUint(name[len(strings.TrimRight(name, "0123456789")):], 10, 8); err == nil {
		p.Number = uint8(n)
	}
	return p
}

// readColors reads a colour table. It returns nil for an empty name.
func readColors(name string, space vision.ColorSpace) (*vision.ColorTable, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t, err := vision.ReadColorTable(file, space)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}
