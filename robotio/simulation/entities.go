package simulation

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// entity is the ball, a robot or an obstacle. Its frame is E.
type entity struct {
	name             string
	poseWE           spatial.Pose
	twistInW, accelW spatial.Twist // accelW has linear and angular acceleration
	size             mgl64.Vec3    // along the entity's own axes, metres
	round            bool          // the entity is a sphere around its frame; others stand on the origin of their frame
	spawned          bool          // the entity is in the world, but was absent at the start
	info             msg.EntityInfo
}

// bodies returns the ball, the robots and the obstacles in the model's order, absent ones included. Only the goroutine
// that steps may call it, as everything in this file.
func (s *server) bodies() []entity {
	w, truth := s.sim.World(), s.sim.Truth()
	d := 2 * w.Ball.Radius
	all := []entity{{name: "ball", poseWE: spatial.Pose{Pos: truth.Ball.PosW, Rot: truth.Ball.RotW},
		twistInW: truth.Ball.TwistInW, size: mgl64.Vec3{d, d, d}, round: true,
		info: info(msg.CategoryDynamicObject, "ball", "ball")}}
	for i := range truth.Robots {
		r, now := &w.Robots[i], &truth.Robots[i]
		e := entity{name: r.Name, poseWE: now.PoseWB, twistInW: now.TwistWBInW,
			accelW:  spatial.Twist{Lin: now.AccelWBInW, Ang: now.AngAccelWBInW},
			size:    mgl64.Vec3{2 * r.Body.Radius, 2 * r.Body.Radius, r.Body.Height},
			spawned: r.Absent && !now.PoseWB.Absent(),
			info: info(msg.CategoryRobot, fmt.Sprintf("robot %d of team %s", r.Number, r.Team), "robot",
				string(r.Team))}
		if r.Body.Boxed() {
			e.size[0], e.size[1] = r.Body.Length, r.Body.Width
		}
		all = append(all, e)
	}
	for i, o := range w.AllObstacles() {
		now := &truth.Obstacles[i]
		e := entity{name: o.Name, poseWE: now.PoseWO, twistInW: now.TwistWOInW,
			size:    mgl64.Vec3{o.Hull.SizeX, o.Hull.SizeY, o.Hull.Height},
			spawned: o.Absent && !now.PoseWO.Absent(), info: info(msg.CategoryObject, "obstacle", "obstacle")}
		if o.Person() {
			e.info = info(msg.CategoryHuman, o.Looks, "person")
		}
		all = append(all, e)
	}
	for i := range all {
		if set, ok := s.infos[all[i].name]; ok {
			all[i].info = set
		}
	}
	return all
}

func info(category uint8, description string, tags ...string) msg.EntityInfo {
	return msg.EntityInfo{Category: msg.EntityCategory{Category: category}, Description: description, Tags: tags}
}

// entities returns the bodies that are not absent.
func (s *server) entities() []entity {
	return slices.DeleteFunc(s.bodies(), func(e entity) bool { return e.poseWE.Absent() })
}

// entity returns the entity with a name.
func (s *server) entity(name string) (entity, error) {
	all := s.entities()
	i := slices.IndexFunc(all, func(e entity) bool { return e.name == name })
	if i < 0 {
		return entity{}, failf(msg.ResultNotFound, "%.80q: there is no such entity", name)
	}
	return all[i], nil
}

func (s *server) getEntities(q *msg.FiltersRequest, resp *msg.GetEntitiesResponse) error {
	all, err := s.filtered(&q.Filters)
	for i := range all {
		resp.Entities = append(resp.Entities, all[i].name)
	}
	return err
}

func (s *server) getStates(q *msg.FiltersRequest, resp *msg.GetEntitiesStatesResponse) error {
	all, err := s.filtered(&q.Filters)
	for i := range all {
		resp.Entities = append(resp.Entities, all[i].name)
		resp.States = append(resp.States, s.stateOf(&all[i]))
	}
	return err
}

func (s *server) getEntityState(q *msg.EntityRequest, resp *msg.GetEntityStateResponse) error {
	e, err := s.entity(q.Entity)
	if err == nil {
		resp.State = s.stateOf(&e)
	}
	return err
}

func (s *server) stateOf(e *entity) msg.EntityState {
	vec := func(v mgl64.Vec3) msg.Vector3 { return msg.Vector3{X: v[0], Y: v[1], Z: v[2]} }
	return msg.EntityState{Header: msg.Header{Stamp: msg.TimeFrom(s.sim.Truth().Time), FrameID: "world"},
		Pose: poseMessage(e.poseWE), Twist: msg.Twist{Linear: vec(e.twistInW.Lin), Angular: vec(e.twistInW.Ang)},
		Acceleration: msg.Accel{Linear: vec(e.accelW.Lin), Angular: vec(e.accelW.Ang)}}
}

func poseMessage(p spatial.Pose) msg.Pose {
	return msg.Pose{Position: msg.Point{X: p.Pos[0], Y: p.Pos[1], Z: p.Pos[2]},
		Orientation: msg.Quaternion{X: p.Rot.V[0], Y: p.Rot.V[1], Z: p.Rot.V[2], W: p.Rot.W}}
}

func (s *server) setEntityState(q *msg.SetEntityStateRequest, resp *msg.ResultResponse) error {
	e, err := s.entity(q.Entity)
	if err != nil {
		return err
	}
	frame, err := s.frame(q.State.Header.FrameID)
	if err != nil {
		return err
	}
	if q.SetAcceleration {
		resp.Result.ErrorMessage = "acceleration was ignored: it follows from forces"
	}
	if q.SetPose {
		if e.poseWE, err = s.poseInW(frame, &q.State.Pose, msg.EntityInvalidPose); err != nil {
			return err
		}
	}
	if t := &q.State.Twist; q.SetTwist {
		e.twistInW = spatial.Twist{Lin: frame.Rotate(mgl64.Vec3{t.Linear.X, t.Linear.Y, t.Linear.Z}),
			Ang: frame.Rotate(mgl64.Vec3{t.Angular.X, t.Angular.Y, t.Angular.Z})}
	}
	if !q.SetPose && !q.SetTwist {
		return nil
	}
	place := placeAt(e.name, e.poseWE, e.twistInW)
	return s.sim.Do(&place)
}

// frame returns the pose of a frame, which is the world or that of an entity.
func (s *server) frame(name string) (spatial.Pose, error) {
	if slices.Contains(quantity.WorldFrames, name) {
		return spatial.Identity(), nil
	}
	e, err := s.entity(name)
	if err != nil {
		return spatial.Pose{}, failf(msg.ResultNotFound, "frame_id = %.80q: must be world or an entity", name)
	}
	return e.poseWE, nil
}

// poseInW returns the pose of a message in the world frame. It returns a failure with the code invalid if no entity can
// have that pose.
func (s *server) poseInW(frame spatial.Pose, m *msg.Pose, invalid uint8) (spatial.Pose, error) {
	o := &m.Orientation
	rot := mgl64.Quat{V: mgl64.Vec3{o.X, o.Y, o.Z}, W: o.W}
	if length := rot.Len(); !(length > 1e-6 && length < 1e6) {
		return spatial.Pose{}, failf(invalid, "orientation = %v: must be a quaternion of length 1", *o)
	}
	pose := frame.Mul(spatial.Pose{Pos: mgl64.Vec3{m.Position.X, m.Position.Y, m.Position.Z}, Rot: rot.Normalize()})
	place := placeAt("ball", pose, spatial.Twist{})
	if err := action.Check(&place); err != nil {
		return spatial.Pose{}, failf(invalid, "%v", err)
	}
	return pose, nil
}

func placeAt(name string, p spatial.Pose, t spatial.Twist) action.Place {
	return action.Place{Name: name, X: p.Pos[0], Y: p.Pos[1], Z: p.Pos[2], QX: p.Rot.V[0], QY: p.Rot.V[1],
		QZ: p.Rot.V[2], QW: p.Rot.W, VX: t.Lin[0], VY: t.Lin[1], VZ: t.Lin[2], WX: t.Ang[0], WY: t.Ang[1], WZ: t.Ang[2]}
}

func (s *server) getInfo(q *msg.EntityRequest, resp *msg.GetEntityInfoResponse) error {
	e, err := s.entity(q.Entity)
	resp.Info = e.info
	return err
}

func (s *server) setInfo(q *msg.SetEntityInfoRequest, _ *msg.ResultResponse) error {
	if _, err := s.entity(q.Entity); err != nil {
		return err
	}
	if c := q.Info.Category.Category; c > msg.CategoryStaticObject || c == 3 {
		return fmt.Errorf("category = %d: must be 0, 1, 2, 4 or 5", c)
	}
	s.infos[q.Entity] = q.Info
	return nil
}

func (s *server) getBounds(q *msg.EntityRequest, resp *msg.BoundsResponse) error {
	e, err := s.entity(q.Entity)
	if err == nil {
		resp.Bounds = e.bounds()
	}
	return err
}

// bounds returns the entity's bounds in its own frame.
func (e *entity) bounds() msg.Bounds {
	half := e.size.Mul(0.5)
	if e.round {
		return msg.Bounds{Type: msg.BoundsSphere, Points: []msg.Vector3{{}, {X: half[0]}}}
	}
	return boxBounds(mgl64.Vec3{-half[0], -half[1], 0}, mgl64.Vec3{half[0], half[1], e.size[2]})
}

func boxBounds(low, high mgl64.Vec3) msg.Bounds {
	return msg.Bounds{Type: msg.BoundsBox, Points: []msg.Vector3{{X: high[0], Y: high[1], Z: high[2]},
		{X: low[0], Y: low[1], Z: low[2]}}}
}

// box returns the lower and the upper corner of the box around the entity along the world's axes.
func (e *entity) box() (low, high mgl64.Vec3) {
	b := spatial.UprightBox{Centre: e.poseWE.Pos, Half: e.size.Mul(0.5), Heading: e.poseWE.Heading()}
	if !e.round {
		b.Centre[2] += b.Half[2]
	} else {
		b.Heading = 0
	}
	x, y := b.Extent()
	half := mgl64.Vec3{x, y, b.Half[2]}
	return b.Centre.Sub(half), b.Centre.Add(half)
}

// overlaps returns a function that reports whether an entity overlaps with bounds in the world frame. The shape of an
// entity is the box around it along the world's axes. A nil function means that there are no bounds.
func overlaps(b *msg.Bounds) (func(*entity) bool, error) {
	if b.Type == msg.BoundsEmpty {
		return nil, nil
	}
	if b.Type != msg.BoundsBox && b.Type != msg.BoundsSphere {
		return nil, failf(msg.ResultFeatureUnsupported, "bounds.type = %d: must be empty, a box or a sphere", b.Type)
	}
	if len(b.Points) != 2 {
		return nil, fmt.Errorf("bounds.points has %d points: a box and a sphere have two", len(b.Points))
	}
	p, q := mgl64.Vec3{b.Points[0].X, b.Points[0].Y, b.Points[0].Z}, mgl64.Vec3{b.Points[1].X, b.Points[1].Y,
		b.Points[1].Z}
	return func(e *entity) bool {
		low, high := e.box()
		apart, distance := false, 0.0
		for i := range p {
			apart = apart || !(min(p[i], q[i]) <= high[i] && low[i] <= max(p[i], q[i]))
			distance = math.Hypot(distance, p[i]-min(max(p[i], low[i]), high[i]))
		}
		if b.Type == msg.BoundsSphere {
			return distance <= q[0]
		}
		return !apart
	}, nil
}
