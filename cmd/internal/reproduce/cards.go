package reproduce

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Indices of the two robots in a world with colour cards: the observer sees the observed robot.
const (
	observer = 0
	observed = 1
)

// cardPair is a pair of robots, one of which sees the other's colour cards.
type cardPair struct {
	w        *worlds.World
	cache    *omnipitch.Cache
	color    vision.Class
	measures vision.CardMeasures
	view     *vision.View
	field    *locate.Field
	floors   [2]*vision.Floor

	sim    *omnipitch.Sim // simulation of the present run
	front  *sensors.Config
	finder *vision.CardFinder
	eyes   [2]*eyes
	truths map[time.Duration][2]spatial.Pose
}

// newCardPair collects what a team knows of a world's first two robots: calibrated cameras and measured cards.
func newCardPair(w *worlds.World, cache *omnipitch.Cache) (*cardPair, error) {
	if len(w.Robots) < 2 {
		return nil, console.BadInputf("world %s: has %d robots: needs one that sees and one that is seen", w.Name,
			len(w.Robots))
	}
	p := &cardPair{w: w, cache: cache, field: markingsOf(w), color: vision.ClassCyan}
	if w.Robots[observed].Team == physics.Magenta {
		p.color = vision.ClassMagenta
	}
	sim, err := omnipitch.New(w, omnipitch.Options{NoWorker: true, Cache: cache})
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	if p.front, err = rawSensor(&w.Robots[observer], sensors.CameraKind); err != nil {
		return nil, err
	}
	if p.view, err = viewOf(sim, w.Robots[observer].Name, p.front, 0); err != nil {
		return nil, err
	}
	if p.measures, err = measureCards(sim, observed); err != nil {
		return nil, err
	}
	for i := range p.floors {
		omni, err := rawSensor(&w.Robots[i], sensors.OmniKind)
		if err != nil {
			return nil, err
		}
		if p.floors[i], err = floorOf(sim, w.Robots[i].Name, omni); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// measureCards measures a robot's front card.
func measureCards(sim *omnipitch.Sim, robot int) (m vision.CardMeasures, err error) {
	s := sim.Sensors().Scenery()
	for _, part := range s.Scene.Bodies[s.Robot(robot)].Parts {
		if part.Name != "card" || part.PoseBP.Heading() != 0 {
			continue
		}
		least, most := mgl64.Vec3{math.Inf(1), math.Inf(1), math.Inf(1)}, mgl64.Vec3{math.Inf(-1), math.Inf(-1),
			math.Inf(-1)}
		for _, v := range s.Scene.Meshes[part.Mesh].Vertices {
			at := part.PoseBP.Apply(mgl64.Vec3{float64(v.Pos[0]), float64(v.Pos[1]), float64(v.Pos[2])})
			for k := range at {
				least[k], most[k] = min(least[k], at[k]), max(most[k], at[k])
			}
		}
		return vision.CardMeasures{Height: (least[2] + most[2]) / 2, Size: most[2] - least[2], Offset: most[0]}, nil
	}
	return m, console.BadInputf("robot %s: bears no colour card", sim.World().Robots[robot].Name)
}

// open begins a run with the given shutter of the front camera. It passes the images of that camera to the function
// seen.
func (p *cardPair) open(shutter *imaging.Shutter, seen func(*sensors.Observation)) error {
	w := p.changed(func(robot int, c *sensors.Config) {
		if robot == observer && c.Name == p.front.Name {
			c.Shutter = shutter
		}
	})
	sim, err := omnipitch.New(w, omnipitch.Options{NoWorker: true, Cache: p.cache})
	if err != nil {
		return err
	}
	p.sim, p.finder, p.truths = sim, vision.NewCardFinder(p.view, p.measures), map[time.Duration][2]spatial.Pose{}
	note := func(s *physics.Snapshot) {
		p.truths[s.Time] = [2]spatial.Pose{s.Robots[observer].PoseWB, s.Robots[observed].PoseWB}
	}
	note(sim.Truth())
	sim.OnStep(note)
	for i := range p.eyes {
		p.eyes[i] = &eyes{finder: vision.NewLineFinder(p.floors[i], scanLines, p.field.LineWidth), field: p.field}
		p.eyes[i].forget()
		err = errors.Join(err, p.eyes[i].open(sim, w, i))
	}
	if err = errors.Join(err, p.stop(), listen(sim, w.Robots[observer].Name, p.front.Name, seen)); err != nil {
		p.close()
	}
	return err
}

func (p *cardPair) close() { p.sim.Close() }

// stop ends the patrols of both robots.
func (p *cardPair) stop() error {
	return errors.Join(p.sim.Do(&action.Drive{Robot: p.w.Robots[observer].Name, Stop: true}),
		p.sim.Do(&action.Drive{Robot: p.w.Robots[observed].Name, Stop: true}))
}

// slow divides the rate of all cameras of the two robots by a number.
func (p *cardPair) slow(times float64) {
	p.w = p.changed(func(_ int, c *sensors.Config) {
		if c.Kind == sensors.CameraKind || c.Kind == sensors.OmniKind {
			c.Rate /= times
		}
	})
}

// changed returns a copy of the world in which the given function has changed the sensors of the two robots.
func (p *cardPair) changed(change func(robot int, c *sensors.Config)) *worlds.World {
	w := *p.w
	w.Robots = slices.Clone(w.Robots)
	for i := range p.eyes {
		w.Robots[i].Sensors = slices.Clone(w.Robots[i].Sensors)
		for k := range w.Robots[i].Sensors {
			change(i, &w.Robots[i].Sensors[k])
		}
	}
	return &w
}

// place moves both robots to the given poses. After that, the robots' own localisation restarts.
func (p *cardPair) place(poses [2]locate.Pose) error {
	for i, at := range poses {
		if p.eyes[i] != nil {
			p.eyes[i].forget()
		}
		if err := p.sim.Do(&action.Place{Name: p.w.Robots[i].Name, X: at.Pos[0], Y: at.Pos[1],
			Heading: at.Heading}); err != nil {
			return err
		}
	}
	return nil
}

// run steps the simulation until the given sim time. If the function command is not nil, run calls it before each step
// to command the robots.
func (p *cardPair) run(ctx context.Context, until time.Duration, command func(now time.Duration) error) error {
	return steps(ctx, p.sim, until, func() error {
		if command == nil {
			return nil
		}
		return command(p.sim.Truth().Time)
	}, func() {})
}

// find returns the nearest robot in an image that has the card colour of the observed robot. It returns false if there
// is none, or if the angle of the card does not give the robot's distance.
func (p *cardPair) find(f *vision.CardFinder, o *sensors.Observation) (vision.CardRobot, bool) {
	for _, m := range f.Find(o.Color.Pix) {
		if m.Color == p.color {
			return m, !math.IsInf(m.ByHeight, 1)
		}
	}
	return vision.CardRobot{}, false
}

// onField returns the position of a seen robot in the map frame. The robot is at the given distance in metres from the
// camera. The argument own is the pose of the observer.
func (p *cardPair) onField(own locate.Pose, seen *vision.CardRobot, distance float64) pitch.Vec {
	x, y := seen.At(p.view, distance)
	return own.Pos.Add(pitch.Turn(pitch.Vec{x, y}, own.Heading))
}

// planar returns the position on the floor and the heading of a pose.
func planar(p spatial.Pose) locate.Pose {
	return locate.Pose{Pos: pitch.Vec{p.Pos[0], p.Pos[1]}, Heading: p.Heading()}
}

// apart returns the distance between two positions, m.
func apart(a, b pitch.Vec) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }
