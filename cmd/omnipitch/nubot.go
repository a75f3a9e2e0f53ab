package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/labels"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// fitNuBot fits NuBot's model of a mirror, which the omni-vision node of team NuBot uses, to a camera.
func (c *calibrationCmd) fitNuBot(fit *cameraFit, site *cameraSite, rays calibration.Rays) error {
	const reach = 9 // half the length of a field, m
	g, err := calibration.FitGround(rays, site.camera.PoseBC(), reach)
	if err != nil {
		return err
	}
	own, err := site.ownPixels()
	if err != nil {
		return err
	}
	inner, err := g.Covering(own)
	if err != nil {
		return err
	}
	f := &site.world.Field
	fit.residual = g.Residual
	fit.write = func(files *calibration.Files, _ io.Writer) error {
		return calibration.WriteNuBot(files, c.nubotFolder(site), g, inner, f.Marks(), f.Length, f.Width)
	}
	return nil
}

// printNuBotHints prints the command that starts the omni-vision or front-vision node. It prints a warning if the
// camera is turned differently than the node assumes, or has another height above the ball, because no file of the node
// can describe either.
func (c *calibrationCmd) printNuBotHints(con console.Streams, site *cameraSite) {
	folder, number := filepath.Split(c.nubotFolder(site))
	if own := site.robotName(); site.world.NumberAssigned(site.robot) {
		fmt.Fprintf(con.Notes(), "%s: %s gives %s no number, so it has number %s: number = N under [[robot]] gives it "+
			"another\n", c.Camera, site.world.Name, own, number)
	}
	if site.camera.Config().Mirror == nil {
		fmt.Fprintf(con.Notes(), "%s: for AGENT=%s rosrun front_vision front_vision_node %s\n", c.Camera, number,
			c.nubotFolder(site))
		return
	}
	fmt.Fprintf(con.Notes(), "%s: for AGENT=%s rosrun omni_vision omni_vision_node %s\n", c.Camera, number,
		filepath.Clean(folder))
	const tolerated = 0.05 // degrees
	off := calibration.FrontAngle(site.camera.PoseBC()) * 180 / math.Pi
	if math.Abs(off) > tolerated {
		yaw := math.Remainder(site.camera.Config().Mount.Yaw*180/math.Pi+off, 360)
		fmt.Fprintf(con.Err, "%s: warning: NuBot's node assumes that the front is to the right: its headings will be "+
			"off by "+
			"%.4g°, unless mount.yaw_deg = %.4g\n", c.Camera, math.Abs(off), yaw)
	}
	const mirror, ball = 0.78, 0.11 // height of the mirror and radius of the ball, metres (ballfinder.cpp: Process)
	height, radius := site.camera.PoseBC().Pos[2], site.world.Ball.Radius
	// A ball at the distance d hides the floor at d/(1 − radius/height). The node multiplies that by (1 − ball/mirror).
	far := (1-ball/mirror)/(1-radius/height) - 1
	if height > radius && math.Abs(far) > 0.01 {
		way := "far"
		if far < 0 {
			way = "near"
		}
		fmt.Fprintf(con.Err, "%s: warning: NuBot's node assumes a mirror %v m above the floor and a ball with a radius "+
			"of %v m: it places balls %.2g %% too %s, unless mount.z_m = %.3g\n", c.Camera, mirror, ball,
			100*math.Abs(far), way, radius*mirror/ball)
	}
}

// nubotFolder returns the folder for the robot of a camera. The name of the folder is the number of the robot, which
// the nodes read from the variable AGENT. If robots of both teams have the same number, the folder is inside a folder
// for the team.
func (c *calibrationCmd) nubotFolder(site *cameraSite) string {
	out, own := *c.Out, &site.world.Robots[site.robot]
	teams := map[int]physics.Team{}
	for i := range site.world.Robots {
		r := &site.world.Robots[i]
		if team, ok := teams[r.Number]; ok && team != r.Team {
			out = filepath.Join(*c.Out, string(own.Team))
		}
		teams[r.Number] = r.Team
	}
	return filepath.Join(out, strconv.Itoa(own.Number))
}

// cameraSite is a camera on its robot, with the scenery of the world.
type cameraSite struct {
	world   *worlds.World
	robot   int
	scenery *scenery.Scenery
	camera  *sensors.Camera
}

// newCameraSite returns the camera with this index on the robot with this index. It returns an error if the sensor is
// of a kind without images.
func newCameraSite(w *worlds.World, robot, sensor int) (*cameraSite, error) {
	s := &cameraSite{world: w, robot: robot, scenery: scenery.New(w, w.Model())}
	all := w.Robots[robot].Sensors
	device, err := sensors.New(&all[sensor], s.scenery.Site(robot, all, sensor))
	if err != nil {
		return nil, err
	}
	s.camera = device.(*sensors.Camera)
	return s, nil
}

func (s *cameraSite) robotName() string { return s.world.Robots[s.robot].Name }

// ownPixels returns for every pixel, row by row from the top, whether the pixel shows the camera's own robot. Pixels
// that show the rods of a mirror do not count, because rods cross the whole image.
func (s *cameraSite) ownPixels() ([]bool, error) {
	labeler, err := labels.New(s.scenery.Scene)
	if err != nil {
		return nil, err
	}
	bodies := s.scenery.Scene.Bodies
	body := s.scenery.Robot(s.robot)
	codes := make([][]int16, len(bodies))
	for _, p := range bodies[body].Parts {
		code := labels.None
		if p.Name != scenery.Rod {
			code = 0
		}
		codes[body] = append(codes[body], code)
	}
	posesWB := slices.Repeat([]spatial.Pose{spatial.Identity()}, len(bodies))
	at := sensors.Instant{Snapshot: &physics.Snapshot{Robots: []physics.RobotState{{PoseWB: posesWB[body]}}}}
	view := s.camera.View(abstraction.Ideal, &at)
	var shown labels.Picture
	labeler.Labels(&view, posesWB, codes, func(other int) bool { return other == body }, &shown)
	width, height := view.Model.Size()
	own := make([]bool, width*height)
	for i := range own {
		own[i] = shown.Codes[i] != labels.None
	}
	return own, nil
}
