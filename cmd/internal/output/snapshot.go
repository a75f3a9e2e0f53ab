package output

import (
	"context"
	"errors"
	"fmt"
	"image/png"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// Snapshot writes into the folder given by out: one frame of every camera at every level, the meaning of the labels,
// and the ground truth. It then closes the folder. It calls the function status with a text about its progress.
func Snapshot(ctx context.Context, sim *omnipitch.Sim, out *Folder, status func(text string)) error {
	s := snapshot{sim: sim, out: out, status: status}
	return errors.Join(out.failed(s.write(ctx)), out.Close())
}

type snapshot struct {
	sim    *omnipitch.Sim
	out    *Folder
	status func(text string)
	index  *Lines
	frames int
}

func (s *snapshot) write(ctx context.Context) error {
	type mounted struct {
		robot int
		*sensors.Camera
	}
	var cameras []mounted
	pictures := 0
	for number, r := range s.sim.World().Robots {
		for i := range r.Sensors {
			if camera, ok := s.sim.Sensors().Camera(r.Name, r.Sensors[i].Name); ok {
				cameras = append(cameras, mounted{number, camera})
				pictures += len(camera.Config().Kind.Levels())
			}
		}
	}
	drawn := 0
	next := func() error {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted after %d of %d images", drawn, pictures)
		}
		drawn++
		s.status(fmt.Sprintf("drawing image %d of %d", drawn, pictures))
		return nil
	}
	var err error
	if s.index, err = s.out.openIndex(); err != nil {
		return err
	}
	defer s.index.File.Close()
	for _, c := range cameras {
		if err = s.writeCamera(c.robot, c.Camera, next); err != nil {
			break
		}
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	// These files are written even after an interruption, because the frames that were written before it are complete.
	return errors.Join(err, s.out.writeCameras(s.sim, nil), s.out.writeJSON("labels.json",
		s.sim.Sensors().Scenery().Labels()),
		s.out.writeJSON("truth.json", truthOf(s.sim)))
}

// writeCamera writes the frames of one camera at every level. number is the index of the robot. The function next is
// called before each frame. A level without images gets an image, too: the output of the camera, drawn over the image
// of level ideal.
func (s *snapshot) writeCamera(number int, camera *sensors.Camera, next func() error) error {
	robot, sensor := s.sim.World().Robots[number].Name, camera.Config().Name
	ideal, err := s.sim.Sensors().Capture(robot, sensor, abstraction.Ideal)
	if err != nil {
		return err
	}
	defer ideal.Release()
	var interrupted error
	for _, level := range camera.Config().Kind.Levels() {
		if err := next(); err != nil {
			interrupted = err
		}
		if interrupted != nil && level != abstraction.Ideal { // the image of level ideal has been written already
			continue
		}
		o := ideal
		if level != abstraction.Ideal {
			if o, err = s.sim.Sensors().Capture(robot, sensor, level); err != nil {
				return err
			}
		}
		name := fmt.Sprintf("%s.%s.%s", robot, sensor, level)
		files := []string{name + ".json", name + ".png"}
		switch {
		case o.Objects != nil:
			err = errors.Join(s.out.writeJSON(name+".json", objectsOf(o)),
				s.out.writePNG(name+".png", overlay(ideal.Color, camera, o.Objects), png.DefaultCompression))
		case o.Features != nil:
			err = errors.Join(s.out.writeJSON(name+".json", featuresOf(o)),
				s.out.writePNG(name+".png", featuresOverlay(ideal.Color, o.Features), png.DefaultCompression))
		default:
			files, err = s.out.writePictures(name, o, png.DefaultCompression)
		}
		if err == nil {
			x, now := indexOf(s.sim, o, 1), s.sim.Truth()
			x.File, x.Beside, x.Truth = files[0], files[1:], &truthRefJSON{File: "truth.json", Step: now.Step}
			x.setPoses(o, now.Robots[number].PoseWB)
			_, err = s.index.Add(s.frames, x)
			s.frames++
		}
		if o != ideal {
			o.Release()
		}
		if err != nil {
			return err
		}
	}
	return interrupted
}

// truthJSON is the ground truth as it is written into files. Positions and rotations are in the world frame, all values
// in SI units. Quaternions have w first.
type truthJSON struct {
	Seed      *uint64        `json:"seed,omitempty"` // for worlds with random values
	Step      int64          `json:"step"`
	Time      float64        `json:"time_s"`
	Ball      *ballJSON      `json:"ball,omitempty"`
	Robots    []robotJSON    `json:"robots"`
	Obstacles []obstacleJSON `json:"obstacles"`
	Events    []eventJSON    `json:"events,omitempty"` // events of the step that ends at this time
}

// eventJSON is an event of the simulation, for instance the start or the end of a contact between two bodies. Some
// events concern only one robot.
type eventJSON struct {
	Kind     string     `json:"kind"`
	Bodies   []string   `json:"bodies"`
	Position mgl64.Vec3 `json:"position_m"`
	Closing  float64    `json:"closing_m_s,omitempty"`
	Impulse  float64    `json:"impulse_n_s,omitempty"`
}

type ballJSON struct {
	Position mgl64.Vec3 `json:"position_m"`
	Velocity mgl64.Vec3 `json:"velocity_m_s"`
	HeldBy   string     `json:"held_by,omitempty"`
	InGoal   string     `json:"in_goal,omitempty"` // the team that scored
}

type robotJSON struct {
	Name        string     `json:"name"`
	Team        string     `json:"team"`
	Position    mgl64.Vec3 `json:"position_m"`
	Heading     float64    `json:"heading_rad"`
	Orientation [4]float64 `json:"orientation_wxyz"`
	Velocity    mgl64.Vec3 `json:"velocity_m_s"`
	Omega       float64    `json:"omega_rad_s"`
	Stuck       bool       `json:"stuck,omitempty"`
	Frame       string     `json:"frame,omitempty"` // extension of the goalkeeper: left, right or up
}

type obstacleJSON struct {
	Name     string     `json:"name"`
	Position mgl64.Vec3 `json:"position_m"`
	Heading  float64    `json:"heading_rad"`
}

func truthOf(sim *omnipitch.Sim) truthJSON {
	w, s := sim.World(), sim.Truth()
	t := truthJSON{Step: s.Step, Time: s.Time.Seconds(), Ball: &ballJSON{Position: s.Ball.PosW,
		Velocity: s.Ball.TwistInW.Lin}}
	if w.Random() {
		t.Seed = &w.Seed
	}
	if s.Ball.HeldBy >= 0 {
		t.Ball.HeldBy = w.Robots[s.Ball.HeldBy].Name
	}
	for _, goal := range w.Field.Goals() {
		if w.Field.InGoal(goal, s.Ball.PosW, w.Ball.Radius) {
			t.Ball.InGoal = string(physics.Magenta)
			if goal.Side > 0 {
				t.Ball.InGoal = string(physics.Cyan)
			}
		}
	}
	if w.Ball.Absent {
		t.Ball = nil
	}
	for i := range s.Robots {
		r := &s.Robots[i]
		if r.PoseWB.Absent() {
			continue
		}
		q := r.PoseWB.Rot
		t.Robots = append(t.Robots, robotJSON{
			Name: w.Robots[i].Name, Team: string(w.Robots[i].Team), Position: r.PoseWB.Pos, Heading: r.PoseWB.Heading(),
			Orientation: [4]float64{q.W, q.V[0], q.V[1], q.V[2]}, Velocity: r.TwistWBInW.Lin,
			Omega: r.TwistWBInW.Ang[2],
			Stuck: r.Stuck, Frame: [...]string{"", "left", "right", "up"}[r.Extension],
		})
	}
	for i, of := range w.AllObstacles() {
		if o := &s.Obstacles[i]; !o.PoseWO.Absent() {
			t.Obstacles = append(t.Obstacles, obstacleJSON{of.Name, o.PoseWO.Pos, o.PoseWO.Heading()})
		}
	}
	for i := range s.Events {
		e := &s.Events[i]
		event := eventJSON{Kind: e.Kind.String(), Bodies: []string{sim.Sensors().Scenery().BodyName(e.A)},
			Position: e.PosW,
			Closing:  e.Closing, Impulse: e.Impulse}
		if e.Kind.Pairwise() {
			event.Bodies = append(event.Bodies, sim.Sensors().Scenery().BodyName(e.B))
		}
		t.Events = append(t.Events, event)
	}
	return t
}
