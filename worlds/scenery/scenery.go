package scenery

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

// Mirror names a robot's mirror and its holder: the parts that the robot's own mirror camera does not see.
const Mirror = "mirror"

// Rod names the rods that hold a mirror.
const Rod = "rod"

// CameraPart names the box and the arm of the i-th of a Appearance's Cameras, which that camera itself does not see.
func CameraPart(i int) string { return fmt.Sprintf("camera%d", i) }

// Scenery is the visible form of a physics.Model.
type Scenery struct {
	Scene     *render.Scene
	physics   *physics.Model
	robots    int
	obstacles int
	people    people
	still     []spatial.Pose // of what never moves
	hung      []spatial.Pose // boards, then what was added
	begun     []spatial.Pose // the same, as the world begins
	hidden    *hiding
	shading   *render.Shading // that there is now; nil for the Scene's
}

// Build builds the scenery of a physics scene. appearances holds one per robot, in the scene's order; the others get
// DefaultAppearance. The boards, of which the physics knows nothing, hang where they are put.
func Build(scene *physics.Model, appearances []Appearance, boards ...Board) *Scenery {
	return new(Cache).build(scene, &looks{appearances: appearances, boards: boards})
}

// looks is what a physics.Model does not say of a scenery.
type looks struct {
	appearances []Appearance // of robots
	boards      []Board
	ball        worlds.BallLook
	hall        worlds.Hall
	obstacles   []worlds.Obstacle
}

func (c *Cache) build(scene *physics.Model, l *looks) *Scenery {
	b := newBuilder(c)
	b.field(&scene.Field)
	for i := range scene.Robots {
		r := &scene.Robots[i]
		appearance := DefaultAppearance(r)
		if i < len(l.appearances) {
			appearance = l.appearances[i]
		}
		b.robot(r, appearance)
	}
	for i := range scene.Obstacles {
		if o := &scene.Obstacles[i]; i < len(l.obstacles) && l.obstacles[i].Person() {
			b.obstaclePerson(o, &l.obstacles[i])
		} else {
			b.obstacle(o)
		}
	}
	b.ball(scene.Ball.Radius, l.ball)
	for i := range scene.Robots {
		b.frame(&scene.Robots[i])
	}
	walking := b.walkers(scene.Obstacles, l.obstacles)
	s := &Scenery{physics: scene, Scene: b.scene, people: walking, robots: len(scene.Robots),
		obstacles: len(scene.Obstacles), hidden: &c.hidden}
	for i := range l.hall.Balls {
		s.still = append(s.still, b.beside(&l.hall.Balls[i], i))
	}
	s.still = append(s.still, b.surround(scene, l)...)
	for i := range l.boards {
		b.board(&l.boards[i])
		s.hung = append(s.hung, l.boards[i].PoseWB)
	}
	s.begun = slices.Clone(s.hung)
	return s
}

// Light lights the Scene, before a renderer gets it; it is lit by render.DefaultLighting until then.
func (s *Scenery) Light(l render.Lighting) { s.Scene.Light = l.Light() }

// Paint paints the ball and the carpet of the Scene, before a renderer gets it. A Color that is none leaves what there
// is.
func (s *Scenery) Paint(ball, carpet render.Color) {
	if c, err := ball.Linear(); err == nil {
		paintBall(&s.Scene.Shading, c)
	}
	if c, err := carpet.Linear(); err == nil {
		s.Scene.Carpet = c
	}
}

// Furnish sets what is around the field, before a renderer gets the Scene.
func (s *Scenery) Furnish(h worlds.Hall) {
	s.Scene.Floor.Wear = h.Wear
	use(&s.Scene.Floor, &s.physics.Field, &h)
	if c, err := h.Net.Linear(); err == nil {
		s.Scene.Materials[net].Color = c
	}
	if h.Spectators {
		s.Scene.Room.Picture, s.Scene.Room.PictureWidth = crowd(s.Scene.Room.Height, h.Seed), crowdWidth
	}
}

// add puts a thing of which the physics knows nothing where it stays, before a renderer gets the Scene.
func (s *Scenery) add(name string, g *render.Group, poseWB spatial.Pose) {
	s.Scene.Bodies[s.Scene.Add(name, g)].Cameras = Eyes(s.physics, poseWB)
	s.hung, s.begun = append(s.hung, poseWB), append(s.begun, poseWB)
}

// Eyes is where robots are expected, and with them their cameras: on the carpet, and where they start. poseWB is that
// of the body that they look at.
func Eyes(scene *physics.Model, poseWB spatial.Pose) *render.CameraRegion {
	const top, around = 2.5, 1 // metres: above the floor, as robots are 2 m high at most, and around where they start
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

// Hang puts a board somewhere else, from the next Poses on.
func (s *Scenery) Hang(board int, poseWB spatial.Pose) { s.hung[board] = poseWB }

// Reset puts everything where it hung as the world began, in the light and the colours of then.
func (s *Scenery) Reset() {
	copy(s.hung, s.begun)
	s.shading = nil
}

// Field, Robot, Obstacle and Ball return the index of a body in the render.Scene. Robots and obstacles count as in the
// physics.Model.
func (s *Scenery) Field() int             { return 0 }
func (s *Scenery) Robot(robot int) int    { return 1 + robot }
func (s *Scenery) Obstacle(index int) int { return 1 + s.robots + index }
func (s *Scenery) Ball() int              { return 1 + s.robots + s.obstacles }

// Plates returns the indices of the bodies of a goalkeeper's extension in the render.Scene: the side plate and the top
// plate; false for a robot without one.
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

// Poses returns the pose of every body of the Scene at a snapshot. It reuses the memory of into.
func (s *Scenery) Poses(snapshot *physics.Snapshot, into []spatial.Pose) []spatial.Pose {
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
	into = s.people.appendLegs(into, s.Obstacle(0), snapshot)
	return append(append(into, s.still...), s.hung...)
}
