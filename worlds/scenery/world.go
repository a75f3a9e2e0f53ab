package scenery

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/outline"
	"github.com/omnipitch/omnipitch/worlds"
)

// New builds the scenery of a world, with the world's light, hall, boards and props. model is the physics model of the
// world.
func New(w *worlds.World, model *physics.Model) *Scenery { return new(Cache).New(w, model) }

// New is like the function New, but reuses parts of sceneries that were built earlier with the same Cache.
func (c *Cache) New(w *worlds.World, model *physics.Model) *Scenery {
	hall := w.Hall
	if w.Look != worlds.LookNatural { // whose ceiling is far away
		hall.Beams = 0
	}
	s := c.build(model, &looks{appearancesOf(w), boardsOf(w), w.Ball.BallLook, hall, w.AllObstacles()})
	s.Light(w.Light)
	s.Paint(w.Ball.Color, w.FloorColor())
	s.Furnish(w.Hall)
	s.layFloor(w.Floor.Pattern)
	s.Scene.Floor.Image = w.FloorImage()
	s.Scene.Natural = w.Look == worlds.LookNatural
	s.Scene.CubeMaps = needsCubeMaps(w)
	for i := range w.Props {
		p := &w.Props[i]
		s.props = append(s.props, s.add(p.Name, p.Group(), p.Hang.Spatial()))
	}
	pieces := w.Pieces()
	for i, fine := 0, finenessOf(pieces); i < len(pieces); i++ {
		s.props = append(s.props, s.addPiece(&pieces[i], fine))
	}
	return s
}

// appearancesOf returns the appearance of each robot. It depends on the robot's sensors and paint.
func appearancesOf(w *worlds.World) []Appearance {
	all := make([]Appearance, len(w.Robots))
	for i := range w.Robots {
		r := &w.Robots[i]
		appearance := Appearance{Keeper: r.Kicker == nil, Skin: r.Skin}
		if l := r.Look(); l != nil {
			appearance.Shapes, appearance.Links, appearance.Team = l.Body, l.Joints, l.Team
		}
		for j := range r.Sensors {
			c := &r.Sensors[j]
			switch c.Kind {
			case sensors.OmniKind:
				// if Catadioptric fails, the check of the sensor itself reports the error
				if m, err := c.Catadioptric(); err == nil {
					appearance.OmniFocusZ, appearance.Mirror = c.Mount.Z, m
				}
			default:
				appearance.Cameras = append(appearance.Cameras, lenses(c)...)
			}
		}
		all[i] = appearance
	}
	return all
}

// lenses returns the poses of the optical frames of a camera without a mirror: one, or two of a stereo pair.
func lenses(c *sensors.Config) []spatial.Pose {
	poseBC := c.Mount.Pose().Mul(spatial.BodyToOptical())
	switch c.Kind {
	case sensors.CameraKind, sensors.KinectKind:
		return []spatial.Pose{poseBC}
	case sensors.StereoKind:
		return []spatial.Pose{poseBC, poseBC.Mul(c.RightPose())}
	}
	return nil
}

// needsCubeMaps reports whether the images of any camera are made from cube maps.
func needsCubeMaps(w *worlds.World) bool {
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if w.Robots[i].Sensors[j].NeedsCubeMap() {
				return true
			}
		}
	}
	return false
}

// boardsOf returns the chessboards of a world.
func boardsOf(w *worlds.World) []Board {
	all := make([]Board, len(w.Boards))
	for i := range w.Boards {
		b := &w.Boards[i]
		all[i] = Board{Name: b.Name, Columns: b.Columns, Rows: b.Rows, Square: b.Square, PoseWB: b.Hang.Spatial()}
	}
	return all
}

// Bodies returns the bodies of robots, obstacles and props in the form that sensors need, in light with the given
// brightness.
func (s *Scenery) Bodies(brightness render.Brightness) sensors.Bodies {
	all := s.Scene.Bodies
	b := sensors.Bodies{Scene: s.Scene, Ball: &all[s.Ball()], Plates: map[int][2]*render.Body{},
		Links: map[int][]outline.Placed{},
		Legs:  map[int][2]outline.Placed{}, Light: brightness,
		People: s.people.all, Shaped: s.shaped, Poses: s.moving}
	for i := range s.robots {
		b.Robots = append(b.Robots, &all[s.Robot(i)])
		if side, top, ok := s.Plates(i); ok {
			b.Plates[i] = [2]*render.Body{&all[side], &all[top]}
		}
	}
	for i, l := range s.links {
		moved := s.physics.Robots[l.robot].Moved(l.joint, s.physics.JointsOf(l.robot, s.physics.Start()))
		b.Links[l.robot] = append(b.Links[l.robot], outline.Placed{Body: &all[s.first+i], PoseBP: moved})
	}
	for i := range s.obstacles {
		b.Obstacles = append(b.Obstacles, &all[s.Obstacle(i)])
	}
	for _, i := range s.props {
		b.Props = append(b.Props, &all[i])
	}
	for i, walker := range s.people.walkers {
		left, k := s.people.legs+2*i, s.people.scale[i]
		b.Legs[walker] = [2]outline.Placed{{Body: &all[left], PoseBP: legPose(k, 1, 0)},
			{Body: &all[left+1], PoseBP: legPose(k, -1, 0)}}
	}
	return b
}

// Site returns where a sensor of a robot is mounted, and which parts of the robot the sensor does not see. The argument
// all holds all sensors of the robot, and sensor is the index of the sensor among them.
func (s *Scenery) Site(robot int, all []sensors.Config, sensor int) sensors.Site {
	cfg, body := &all[sensor], s.Robot(robot)
	site := sensors.Site{Robot: &s.physics.Robots[robot], Model: s.physics, Scene: s.Scene, Body: &s.Scene.Bodies[body],
		Links: s.Links(robot)}
	switch cfg.Kind {
	case sensors.OmniKind:
		site.Hidden = s.hiddenFrom(s.carrier(robot, cfg), cfg.Mount.Pose().Pos, Mirror)
	case sensors.CameraKind, sensors.KinectKind, sensors.StereoKind:
		own := 0
		for i := range all[:sensor] {
			own += len(lenses(&all[i]))
		}
		if cfg.Head == nil || cfg.Head.OnJoints() {
			site.Hidden = s.hiddenFrom(s.carrier(robot, cfg), cfg.Mount.Pose().Pos, CameraPart(own))
		} else { // which parts of its robot the camera sees changes with the head
			site.Hidden = []render.Hidden{{Body: body, Part: CameraPart(own)}}
		}
		if cfg.Kind == sensors.StereoKind {
			site.Hidden = append(site.Hidden, render.Hidden{Body: body, Part: CameraPart(own + 1)})
		}
	}
	return site
}

// carrier returns the index in the render.Scene of the body on which a sensor of a robot is: the robot, or what a joint
// moves.
func (s *Scenery) carrier(robot int, cfg *sensors.Config) int {
	for i, l := range s.links {
		if l.robot == robot && s.physics.Robots[robot].Joints[l.joint].Name == cfg.Mount.Joint {
			return s.first + i
		}
	}
	return s.Robot(robot)
}

// Labels returns the names of the labels in the ground truth of images. There are labels for parts that belong to no
// body, and for bodies.
func (s *Scenery) Labels() map[uint16]string {
	labels := map[uint16]string{render.LabelNothing: "nothing", render.LabelHall: "hall", render.LabelFloor: "floor",
		render.LabelMark: "marking"}
	for i, b := range s.Scene.Bodies {
		labels[render.LabelBody+uint16(i)] = b.Name
	}
	return labels
}

// BodyName returns the name of a body in a snapshot's touches and events: the name of a robot or an obstacle, "ball",
// or "hall" for static bodies.
func (s *Scenery) BodyName(id physics.BodyID) string { return s.physics.BodyName(id) }
