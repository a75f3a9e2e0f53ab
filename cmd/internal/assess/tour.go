package assess

import (
	"fmt"
	"math"
	"slices"
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

// Parameters of scenes. Guesses, except for the durations of scenes: at most a sixth of a scene's frames do not count.
const (
	driveScene = 1500 * time.Millisecond
	driveQuiet = 150 * time.Millisecond // time after things were placed in which frames are ignored
	placeScene = 4 * time.Second
	placeQuiet = 600 * time.Millisecond // time after the robot was placed in which frames are ignored

	tickTime  = 100 * time.Millisecond // period at which the robot gets its commands
	gridStep  = 2.0                    // distance between neighbouring positions of the robot on the field, m
	nearest   = 0.7                    // least distance of things from the robot, between centres, m
	elbowRoom = 0.7                    // least distance between things, m
	topSpeed  = 3.0                    // largest speed of the robot and of the ball, m/s
	mostTurn  = 3.0                    // rad/s
	legLimit  = 6 * time.Second
	rolling   = 0.3 // deceleration of the ball, m/s²; most carpets brake it more
)

// Random number streams of a scene.
const (
	streamShuffle uint16 = iota
	streamHeading
	streamSpeed
	streamThing
	streamVelocity
	streamRolls
	streamSweep
)

// tour moves the robot through scenes. Each scene is random and depends only on the world's seed and the index of the
// scene.
type tour struct {
	a      *Assessment
	kind   TourKind
	noise  random.Source
	grid   []mgl64.Vec2
	things []thingName // the things that the tour places: the ball, and bodies that nothing else moves
	length time.Duration
	quiet  time.Duration
	sight  sight // what the camera sees; measured at the start of the first scene
	err    error

	seen []thing // reused

	scene   uint64
	starts  []time.Duration  // starts of the last scenes
	now     random.Source    // random numbers of the scene
	watched []thingName      // the things that the camera watches
	spots   []spot           // where they were placed
	planned physics.Snapshot // the start of the scene, while things are being placed

	motion motion
	leg    uint64
	legAt  time.Duration // start of the leg
	pace   float64       // speed on the leg, m/s; a scene may be slower
}

// Tour moves the robot through scenes; call it after Follow. Things are placed where the camera can see them, up to
// Config.Range away. A robot whose camera does not see all around turns such that the camera keeps seeing what is
// assessed. Frames shortly after things were placed do not count. Robots with players, and walking people, move by
// themselves.
func (a *Assessment) Tour(kind TourKind) error {
	t := &tour{a: a, kind: kind, noise: random.New(a.world.Seed, a.cfg.Robot, "assess.tour", 0), length: driveScene,
		quiet: driveQuiet, things: []thingName{{kind: Ball}}}
	if kind == PlaceTour {
		t.length, t.quiet = placeScene, placeQuiet
	}
	for i := range a.world.Robots {
		if r := &a.world.Robots[i]; i != a.robot && r.Player == nil && !r.Absent {
			t.things = append(t.things, thingName{kind: Obstacles, robot: true, index: i})
		}
	}
	for i, o := range a.world.AllObstacles() {
		if !o.Moves() && !o.Absent {
			t.things = append(t.things, thingName{kind: Obstacles, index: i})
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
	a.sim.Clock().After(0, t.tick)
	a.sim.Clock().Every(tickTime, t.tick)
	return nil
}

// counts reports whether a frame with the given stamp counts. Frames count once the things of a scene have been at rest
// for a while. A stamp before the present scene belongs to an earlier scene, whose last frames are evaluated after it
// has ended.
func (t *tour) counts(stamp time.Duration) bool {
	for i := len(t.starts) - 1; i >= 0; i-- {
		if since := stamp - t.starts[i]; since >= 0 {
			return since >= t.quiet
		}
	}
	return false
}

// tick begins a scene if it is time, and commands the robot.
func (t *tour) tick(time.Duration) {
	now := t.a.sim.Truth()
	if n := len(t.starts); n > 0 && now.Time < t.starts[n-1] { // the world has restarted
		t.starts, t.legAt = t.starts[:0], 0
	}
	if len(t.starts) == 0 {
		t.sight = t.measure(now)
	}
	if t.kind == DriveTour {
		t.chooseLeg(now)
	}
	if t.over(now) {
		t.next(now)
	} else if !t.sight.wide {
		t.watch(now)
	}
}

// over reports whether the scene is over. It ends early if the camera no longer sees what is assessed.
func (t *tour) over(now *physics.Snapshot) bool {
	if len(t.starts) == 0 {
		return true
	}
	since := now.Time - t.starts[len(t.starts)-1]
	return since >= t.length || since >= t.quiet && !t.inView(now)
}

// next begins a scene.
func (t *tour) next(now *physics.Snapshot) {
	const kept = 64 // more scenes than begin before the last frame of a scene is evaluated
	t.scene++
	if t.starts = append(t.starts, now.Time); len(t.starts) > kept {
		t.starts = slices.Delete(t.starts, 0, len(t.starts)-kept)
	}
	t.now = t.noise.Frame(t.scene)
	me := now.Robots[t.a.robot].PoseWB
	if t.kind == PlaceTour {
		at := t.grid[int(t.scene)%len(t.grid)]
		me = spatial.Planar(at[0], at[1], 2*math.Pi*t.now.Uniform(random.Index(streamHeading, 0)))
		t.motion = t.wander(me)
	} else {
		t.motion.speed = t.pace
	}
	me = t.place(me, now)
	if t.kind == PlaceTour {
		t.do(&action.Place{Name: t.a.cfg.Robot, X: me.Pos[0], Y: me.Pos[1], Heading: me.Heading()})
		if t.motion.circles {
			t.do(&action.Drive{Robot: t.a.cfg.Robot, VX: t.motion.speed, Omega: t.motion.turn})
		}
	}
}

// wander draws the motion of a robot that was placed at a pose.
func (t *tour) wander(me spatial.Pose) motion {
	m := motion{circles: t.sight.wide, turn: mostTurn * (2*t.now.Uniform(random.Index(streamSpeed, 1)) - 1),
		speed: topSpeed * t.now.Uniform(random.Index(streamSpeed, 0))}
	if t.now.Uniform(random.Index(streamSpeed, 2)) < 0.25 {
		m.speed, m.turn = 0, 0
	}
	at, ahead := mgl64.Vec2{me.Pos[0], me.Pos[1]}, me.Rotate(mgl64.Vec3{1, 0, 0})
	seconds := t.length.Seconds()
	if room := t.room(at, ahead); room < m.speed*seconds { // the robot would leave the field
		m.speed = room / seconds
	}
	m.goal = at.Add(mgl64.Vec2{ahead[0], ahead[1]}.Mul(m.speed * seconds))
	return m
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

// chooseLeg gives the robot a new target position when it has reached the last one, or when it takes too long to reach
// it.
func (t *tour) chooseLeg(now *physics.Snapshot) {
	p := now.Robots[t.a.robot].PoseWB.Pos
	if t.leg > 0 && t.motion.goal.Sub(mgl64.Vec2{p[0], p[1]}).Len() > 0.4 && now.Time-t.legAt < legLimit {
		return
	}
	t.leg++
	t.motion.goal, t.legAt = t.grid[int(t.leg)%len(t.grid)], now.Time
	n := t.noise.Frame(1<<32 + t.leg) // separate from the scenes' random numbers
	t.pace = 0.5 + (topSpeed-0.5)*n.Uniform(random.Index(streamSpeed, 0))
	t.motion.speed = t.pace
	if !t.sight.wide {
		return
	}
	if n.Uniform(random.Index(streamHeading, 0)) >= 0.5 {
		t.follow(nil)
		return
	}
	heading := 2 * math.Pi * (n.Uniform(random.Index(streamHeading, 1)) - 0.5)
	t.follow(&heading)
}

// follow makes the robot drive to t.motion.goal with a heading. If it is nil, the robot faces its direction of motion.
func (t *tour) follow(heading *float64) {
	follow := &action.Follow{Robot: t.a.cfg.Robot,
		Way: player.Way{Points: []player.Point{{X: t.motion.goal[0], Y: t.motion.goal[1]}}, Heading: heading}}
	follow.SetDefaults()
	follow.Speed, follow.Accel = max(t.motion.speed, 0.05), 3
	t.do(follow)
}

// watch makes the robot drive to t.motion.goal with a heading at which the camera sees the watched things.
func (t *tour) watch(now *physics.Snapshot) {
	const near, rate = 0.1, 4.0 // m; 1/s
	me := now.Robots[t.a.robot].PoseWB
	heading := t.facing(now)
	if t.motion.goal.Sub(mgl64.Vec2{me.Pos[0], me.Pos[1]}).Len() > near {
		t.follow(&heading)
		return
	}
	turn := rate * spatial.WrapAngle(heading-me.Heading())
	t.do(&action.Drive{Robot: t.a.cfg.Robot, Omega: max(-mostTurn, min(mostTurn, turn))})
}

// do executes an action, and keeps the first error.
func (t *tour) do(a action.Action) {
	if err := t.a.sim.Do(a); err != nil && t.err == nil {
		t.err = err
	}
}
