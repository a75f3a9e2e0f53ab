package scenery

import (
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

// Mirror is the name of the part that consists of a robot's mirror and its holder. The robot's own mirror camera does
// not see this part.
const Mirror = "mirror"

// Rod is the name of the parts that are the rods of a mirror.
const Rod = "rod"

// CameraPart returns the name of the part that consists of the box and the arm of a camera. The argument i is the index
// of the camera in Appearance.Cameras. The camera itself does not see this part.
func CameraPart(i int) string { return fmt.Sprintf("camera%d", i) }

// Scenery is the visible form of a physics.Model.
type Scenery struct {
	Scene     *render.Scene
	physics   *physics.Model
	robots    int
	shaped    []int // robots with a look
	obstacles int
	people    people
	links     []jointed      // whose bodies follow the plates
	first     int            // index of the first of them in the Scene
	still     []spatial.Pose // poses of static bodies
	props     []int          // indices of props in the Scene
	hung      []spatial.Pose // poses of boards, followed by the poses of things that were added
	begun     []spatial.Pose // poses of hung at the start of the world
	hidden    *hiding
	shading   *render.Shading // present light and colours; nil while they are those of the Scene
}

// Build builds the scenery of a physics model. appearances has one entry for each robot, in the model's order. Robots
// for which it has no entry get DefaultAppearance. boards are chessboards, which are not in the physics model; they
// hang at their own poses.
func Build(scene *physics.Model, appearances []Appearance, boards ...Board) *Scenery {
	return new(Cache).build(scene, &looks{appearances: appearances, boards: boards})
}

// looks holds what a scenery needs in addition to a physics.Model.
type looks struct {
	appearances []Appearance // one per robot
	boards      []Board
	ball        worlds.BallLook
	hall        worlds.Hall
	obstacles   []worlds.Obstacle
}

func (c *Cache) build(scene *physics.Model, l *looks) *Scenery {
	b := newBuilder(c)
	l.hall.SetRoom(&b.scene.Room)
	b.field(&scene.Field)
	var shaped []int
	for i := range scene.Robots {
		r := &scene.Robots[i]
		appearance := DefaultAppearance(r)
		if i < len(l.appearances) {
			appearance = l.appearances[i]
		}
		b.robot(r, appearance)
		if appearance.Shapes == nil && appearance.Skin.Look != nil {
			shaped = append(shaped, i)
		}
	}
	for i := range scene.Obstacles {
		switch o := &scene.Obstacles[i]; {
		case i >= len(l.obstacles):
			b.obstacle(o, nil)
		case l.obstacles[i].Person():
			b.obstaclePerson(o, &l.obstacles[i])
		default:
			b.obstacle(o, l.obstacles[i].Material)
		}
	}
	b.ball(scene.Ball.Radius, l.ball)
	for i := range scene.Robots {
		b.frame(&scene.Robots[i])
	}
	var links []jointed
	first := len(b.scene.Bodies)
	for i := range min(len(scene.Robots), len(l.appearances)) {
		links = append(links, b.links(i, &scene.Robots[i], &l.appearances[i])...)
	}
	walking := b.walkers(scene.Obstacles, l.obstacles)
	s := &Scenery{physics: scene, Scene: b.scene, people: walking, robots: len(scene.Robots), shaped: shaped,
		obstacles: len(scene.Obstacles), hidden: &c.hidden, links: links, first: first}
	for i := range l.hall.Balls {
		s.still = append(s.still, b.beside(&l.hall.Balls[i], i))
	}
	s.still = append(s.still, b.surround(scene, l)...)
	s.still = append(s.still, b.beams(scene, l.hall.Beams)...)
	for i := range l.boards {
		b.board(&l.boards[i])
		s.hung = append(s.hung, l.boards[i].PoseWB)
	}
	s.begun = slices.Clone(s.hung)
	return s
}

// Light sets the light of the Scene. It must be called before a renderer gets the Scene. The default light is
// render.DefaultLighting.
func (s *Scenery) Light(l render.Lighting) { s.Scene.Light = l.Light() }

// Paint sets the colours of the ball and of the carpet of the Scene. It must be called before a renderer gets the
// Scene. An invalid Color leaves the present colour as it is.
func (s *Scenery) Paint(ball, carpet render.Color) {
	if c, err := ball.Linear(); err == nil {
		paintBall(&s.Scene.Shading, c)
	}
	if c, err := carpet.Linear(); err == nil {
		s.Scene.Carpet = c
	}
}

// Furnish sets the surroundings of the field. It must be called before a renderer gets the Scene.
func (s *Scenery) Furnish(h worlds.Hall) {
	s.Scene.Floor.Wear, s.Scene.Floor.Texture = h.Wear, h.Texture
	addWear(&s.Scene.Floor, &s.physics.Field, &h)
	if c, err := h.Net.Linear(); err == nil {
		s.Scene.Materials[net].Color = c
	}
	if p := wallPicture(&s.Scene.Room, &h); p != nil {
		s.Scene.Room.Picture, s.Scene.Room.PictureWidth = p, wallWidth
	}
}

// layFloor sets the material of the floor. It must be called before a renderer gets the Scene.
func (s *Scenery) layFloor(p render.FloorPattern) {
	s.Scene.Floor.Pattern = p
	if p != render.Carpet { // only a carpet has fibres and rolls
		s.Scene.Floor.Sheen, s.Scene.Floor.Seams = 0, render.Seams{}
	}
}

// add adds a thing at a fixed pose and returns its index in the render.Scene. It must be called before a renderer gets
// the Scene.
func (s *Scenery) add(name string, g *render.Group, poseWB spatial.Pose) int {
	body := s.Scene.Add(name, g)
	s.Scene.Bodies[body].Cameras = cameraRegion(s.physics, poseWB)
	s.hung, s.begun = append(s.hung, poseWB), append(s.begun, poseWB)
	return body
}

// cameraRegion returns the region in which cameras of robots are expected: above the carpet, and around the start poses
// of the robots. poseWB is the pose of the body at which the cameras look.
func cameraRegion(scene *physics.Model, poseWB spatial.Pose) *render.CameraRegion {
	const top, around = 2.5, worlds.CameraMargin // top: above the floor, m; robots are at most 2 m high
	x, y := scene.Field.Length/2+scene.Field.Border, scene.Field.Width/2+scene.Field.Border
	lo, hi := vec(-x, -y, 0), vec(x, y, top)
	for i := range scene.Robots {
		p := scene.Robots[i].Pose.Pos
		for axis := range 2 {
			lo[axis], hi[axis] = min(lo[axis], p[axis]-around), max(hi[axis], p[axis]+around)
		}
	}
	return render.NewCameraRegion(poseWB, lo, hi)
}

// Hang moves a board to a pose. The next call of Poses returns the new pose.
func (s *Scenery) Hang(board int, poseWB spatial.Pose) { s.hung[board] = poseWB }

// Reset restores the poses of boards, the light and the colours that the world had at its start.
func (s *Scenery) Reset() {
	copy(s.hung, s.begun)
	s.shading = nil
}

// Field, Robot, Obstacle and Ball return the index of a body in the render.Scene. The arguments of Robot and Obstacle
// are indices in the physics.Model.
func (s *Scenery) Field() int             { return 0 }
func (s *Scenery) Robot(robot int) int    { return 1 + robot }
func (s *Scenery) Obstacle(index int) int { return 1 + s.robots + index }
func (s *Scenery) Ball() int              { return 1 + s.robots + s.obstacles }

// Plates returns the indices in the render.Scene of the side plate and of the top plate of a goalkeeper's extension.
// The result ok is false for a robot without an extension.
func (s *Scenery) Plates(robot int) (side, top int, ok bool) {
	if s.physics.Robots[robot].Extension == nil {
		return 0, 0, false
	}
	at := s.Ball() + 1
	for i := range robot {
		if s.physics.Robots[i].Extension != nil {
			at += 2
		}
	}
	return at, at + 1, true
}

// Links returns the indices in the render.Scene of the bodies that the joints of a robot move.
func (s *Scenery) Links(robot int) (all []int) {
	for i, l := range s.links {
		if l.robot == robot {
			all = append(all, s.first+i)
		}
	}
	return all
}

// Poses returns the poses of all bodies of the Scene for a snapshot. It reuses the memory of the given slice.
func (s *Scenery) Poses(snapshot *physics.Snapshot, into []spatial.Pose) []spatial.Pose {
	return append(append(s.moving(snapshot, into), s.still...), s.hung...)
}

// moving is like Poses, but leaves out the last bodies, which no snapshot moves.
func (s *Scenery) moving(snapshot *physics.Snapshot, into []spatial.Pose) []spatial.Pose {
	into = append(into[:0], spatial.Identity())
	for i := range snapshot.Robots {
		into = append(into, snapshot.Robots[i].PoseWB)
	}
	for i := range snapshot.Obstacles {
		into = append(into, snapshot.Obstacles[i].PoseWO)
	}
	s.people.lower(into[s.Obstacle(0):], snapshot)
	into = append(into, spatial.Pose{Pos: snapshot.Ball.PosW, Rot: snapshot.Ball.RotW})
	for i := range snapshot.Robots {
		if s.physics.Robots[i].Extension != nil {
			into = appendFrame(into, &s.physics.Robots[i], &snapshot.Robots[i])
		}
	}
	for _, l := range s.links {
		moved := s.physics.Robots[l.robot].Moved(l.joint, s.physics.JointsOf(l.robot, snapshot))
		into = append(into, snapshot.Robots[l.robot].PoseWB.Mul(moved))
	}
	into = s.people.appendLegs(into, s.Obstacle(0), snapshot)
	return into
}

// Shading returns the present light and colours. It returns nil while they are those of the Scene. The returned value
// never changes.
func (s *Scenery) Shading() *render.Shading { return s.shading }

// SetLight sets the light that Shading returns from now on. The light must have as many spots as the light of the
// Scene, and must have shadows if the Scene's light has shadows.
func (s *Scenery) SetLight(l render.Lighting) {
	s.change(func(to *render.Shading) { to.Light = l.Light() })
}

// PaintBall sets the ball's colour that Shading returns from now on. It fails if the colour is invalid.
func (s *Scenery) PaintBall(c render.Color) error {
	linear, err := c.Linear()
	if err == nil {
		s.change(func(to *render.Shading) {
			to.Materials = slices.Clone(to.Materials)
			paintBall(to, linear)
		})
	}
	return err
}

// PaintCarpet sets the carpet's colour that Shading returns from now on. It fails if the colour is invalid.
func (s *Scenery) PaintCarpet(c render.Color) error {
	linear, err := c.Linear()
	if err == nil {
		s.change(func(to *render.Shading) { to.Carpet = linear })
	}
	return err
}

func (s *Scenery) change(change func(*render.Shading)) {
	next := s.Scene.Shading
	if s.shading != nil {
		next = *s.shading
	}
	change(&next)
	s.shading = &next
}

func paintBall(s *render.Shading, linear mgl32.Vec3) { dye(&s.Materials[leather], linear) }

// Exchange saves or restores the poses of boards, and the light and colours that Shading returns.
func (s *Scenery) Exchange(c *keyframe.Codec) {
	for i := range s.hung {
		c.Pose(&s.hung[i].Pos, &s.hung[i].Rot)
	}
	changed := s.shading != nil
	c.Bool(&changed)
	if c.Restoring() {
		s.shading = nil
	}
	if !changed {
		return
	}
	if c.Restoring() {
		s.shading = s.Scene.Shading.Clone()
	}
	s.shading.Exchange(c)
	if c.Restoring() {
		paintBall(s.shading, s.shading.Materials[leather].Color)
	}
}
