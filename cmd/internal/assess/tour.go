package assess

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// TourKind is a way to move a robot through scenes.
type TourKind string

const (
	// DriveTour drives the robot over the whole field, at varying speeds.
	DriveTour TourKind = "drive"
	// PlaceTour moves the robot to another pose for each scene, as if somebody carried it there. From this pose the
	// robot drives.
	PlaceTour TourKind = "place"
)

// Parameters of scenes. Guesses: a scene has at least a dozen frames after the vision has noticed it.
const (
	sceneTime  = 1500 * time.Millisecond
	driveQuiet = 300 * time.Millisecond // time after things were placed in which frames are ignored
	placeQuiet = 600 * time.Millisecond // time after the robot was placed in which frames are ignored

	gridStep  = 2.0 // distance between neighbouring positions of the robot on the field, m
	nearest   = 0.7 // least distance of things from the robot, between centres, m
	elbowRoom = 0.7 // least distance between things, m
	topSpeed  = 3.0 // largest speed of the robot and of the ball, m/s
	mostTurn  = 3.0 // rad/s
	legLimit  = 6 * time.Second
)

// Random number streams of a scene.
const (
	streamShuffle uint16 = iota
	streamHeading
	streamSpeed
	streamThing
	streamVelocity
)

// tour moves the robot through scenes. Each scene is random and depends only on the world's seed and the index of the
// scene.
type tour struct {
	a      *Assessment
	kind   TourKind
	noise  random.Source
	grid   []mgl64.Vec2
	scene  uint64
	leg    uint64
	begun  time.Duration // start of the scene
	legAt  time.Duration // start of the leg
	goal   mgl64.Vec2    // of the leg
	things []string      // names of the things that the tour places: the ball, and bodies that nothing else moves
	quiet  time.Duration
	err    error
}

// Tour moves the robot through scenes; call it after Follow. Things are placed around the robot at any bearing, up to
// Config.Range away, and frames shortly after they were placed do not count. Robots with players, and walking people,
// move by themselves.
func (a *Assessment) Tour(kind TourKind) error {
	t := &tour{a: a, kind: kind, noise: random.New(a.world.Seed, a.cfg.Robot, "assess.tour", 0), quiet: driveQuiet,
		things: []string{"ball"}}
	if kind == PlaceTour {
		t.quiet = placeQuiet
	}
	for i := range a.world.Robots {
		if r := &a.world.Robots[i]; i != a.robot && r.Player == nil {
			t.things = append(t.things, r.Name)
		}
	}
	for i := range a.world.Obstacles {
		if o := &a.world.Obstacles[i]; o.Walk == nil {
			t.things = append(t.things, o.Name)
		}
	}
	f := &a.world.Field
	for x := -f.Length/2 + gridStep/2; x < f.Length/2; x += gridStep {
		for y := -f.Width/2 + gridStep/2; y < f.Width/2; y += gridStep {
			t.grid = append(t.grid, mgl64.Vec2{x, y})
		}
	}
	if len(t.grid) == 0 {
		return fmt.Errorf("field %s: is too small for a tour", f.Name)
	}
	for i := len(t.grid) - 1; i > 0; i-- { // Fisher–Yates shuffle
		k := int(t.noise.Uniform(random.Index(streamShuffle, uint64(i))) * float64(i+1))
		t.grid[i], t.grid[k] = t.grid[k], t.grid[i]
	}
	a.tour = t
	a.counts = t.counts
	a.sim.Clock().After(0, t.next)
	a.sim.Clock().Every(sceneTime, t.next)
	if kind == DriveTour {
		a.sim.Clock().Every(100*time.Millisecond, t.drive)
	}
	return nil
}

// counts reports whether a frame with the given stamp counts. Frames count once the things of a scene have been at rest
// for a while. A stamp before the present scene belongs to an earlier scene, whose last frames are evaluated after it
// has ended.
func (t *tour) counts(stamp time.Duration) bool {
	since := stamp - t.begun
	for since < 0 {
		since += sceneTime
	}
	return since >= t.quiet
}

// next begins a scene.
func (t *tour) next(time.Duration) {
	now := t.a.sim.Truth()
	t.scene++
	t.begun = now.Time
	n := t.noise.Frame(t.scene)
	me := now.Robots[t.a.robot].PoseWB
	if t.kind == PlaceTour {
		at := t.grid[int(t.scene)%len(t.grid)]
		me = spatial.Planar(at[0], at[1], 2*math.Pi*n.Uniform(random.Index(streamHeading, 0)))
		turn := mostTurn * (2*n.Uniform(random.Index(streamSpeed, 1)) - 1)
		speed := topSpeed * n.Uniform(random.Index(streamSpeed, 0))
		if n.Uniform(random.Index(streamSpeed, 2)) < 0.25 {
			speed, turn = 0, 0
		}
		ahead := me.Rotate(mgl64.Vec3{1, 0, 0})
		if room := t.room(at, ahead); room < speed*sceneTime.Seconds() { // the robot would leave the field
			speed = room / sceneTime.Seconds()
		}
		t.do(&action.Place{Name: t.a.cfg.Robot, X: at[0], Y: at[1], Heading: me.Heading()})
		t.do(&action.Drive{Robot: t.a.cfg.Robot, VX: speed, Omega: turn})
	}
	t.place(me, now, n)
}

// room returns the distance from a position to the field's lines along a direction.
func (t *tour) room(at mgl64.Vec2, dir mgl64.Vec3) float64 {
	f := &t.a.world.Field
	room := math.Inf(1)
	for i, half := range []float64{f.Length / 2, f.Width / 2} {
		if d := dir[i]; d != 0 {
			room = math.Min(room, (math.Copysign(half, d)-at[i])/d)
		}
	}
	return math.Max(0, room)
}

// place moves the things of the tour to positions around the robot.
func (t *tour) place(me spatial.Pose, now *physics.Snapshot, n random.Source) {
	const tries = 50
	var taken []mgl64.Vec2
	for i := range now.Robots { // robots that move by themselves
		if p := now.Robots[i].PoseWB.Pos; i != t.a.robot && t.a.world.Robots[i].Player != nil {
			taken = append(taken, mgl64.Vec2{p[0], p[1]})
		}
	}
	for i, name := range t.things {
		for try := range tries {
			item := uint64(i*tries + try)
			d := nearest + (t.a.cfg.Range-nearest)*n.Uniform(random.Index(streamThing, 3*item))
			bearing := 2 * math.Pi * n.Uniform(random.Index(streamThing, 3*item+1))
			p := me.Apply(mgl64.Vec3{d * math.Cos(bearing), d * math.Sin(bearing), 0})
			at := mgl64.Vec2{p[0], p[1]}
			if !t.free(at, taken) {
				continue
			}
			taken = append(taken, at)
			put := &action.Place{Name: name, X: at[0], Y: at[1], Heading: 2 * math.Pi *
				n.Uniform(random.Index(streamThing, 3*item+2))}
			// the ball rolls in half of the scenes
			if way := n.Uniform(random.Index(streamVelocity, 0)); name == "ball" && way < 0.5 {
				sin, cos := math.Sincos(4 * math.Pi * way)
				v := topSpeed * n.Uniform(random.Index(streamVelocity, 1))
				put.VX, put.VY = v*cos, v*sin
			}
			t.do(put)
			break
		}
	}
}

// free reports whether a thing may be placed at a position.
func (t *tour) free(at mgl64.Vec2, taken []mgl64.Vec2) bool {
	f := &t.a.world.Field
	if math.Abs(at[0]) > f.Length/2 || math.Abs(at[1]) > f.Width/2 {
		return false
	}
	for _, o := range taken {
		if at.Sub(o).Len() < elbowRoom {
			return false
		}
	}
	return true
}

// drive gives the robot a new target position when it has reached the last one, or when it takes too long to reach it.
func (t *tour) drive(time.Duration) {
	now := t.a.sim.Truth()
	p := now.Robots[t.a.robot].PoseWB.Pos
	if t.leg > 0 && t.goal.Sub(mgl64.Vec2{p[0], p[1]}).Len() > 0.4 && now.Time-t.legAt < legLimit {
		return
	}
	t.leg++
	t.goal, t.legAt = t.grid[int(t.leg)%len(t.grid)], now.Time
	n := t.noise.Frame(1<<32 + t.leg) // separate from the scenes' random numbers
	follow := &action.Follow{Robot: t.a.cfg.Robot,
		Way: player.Way{Points: []player.Point{{X: t.goal[0], Y: t.goal[1]}}}}
	follow.SetDefaults()
	follow.Speed = 0.5 + (topSpeed-0.5)*n.Uniform(random.Index(streamSpeed, 0))
	follow.Accel = 3
	if n.Uniform(random.Index(streamHeading, 0)) < 0.5 { // otherwise the robot faces its direction of motion
		heading := 2 * math.Pi * (n.Uniform(random.Index(streamHeading, 1)) - 0.5)
		follow.Heading = &heading
	}
	t.do(follow)
}

// do executes an action, and keeps the first error.
func (t *tour) do(a action.Action) {
	if err := t.a.sim.Do(a); err != nil && t.err == nil {
		t.err = err
	}
}
