package robotio

import (
	"slices"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// teamTalk collects what robots know, for the publications that hold what a robot's teammates tell it. A robot's own
// programs know what they publish on its belief topics. Where they publish nothing, the levels of its sensors that
// replace them know it. newest is guarded by mu; all else belongs to the
// goroutine that steps.
type teamTalk struct {
	bridge  *Bridge
	readers []*topicPublisher // publications that hold what teammates tell
	sources []*talkSource     // ordered by robot
	radios  []radio.Status    // reused
	last    time.Duration     // sim time of the last call of refresh

	speakers []quantity.Context        // of the robots for which the simulation sends messages of Mitecom
	mu       sync.Mutex                // guards newest
	newest   map[string]mitecomTeller  // messages by the name of the sender, whichever teammate has received them
	heard    map[[2]int]*mitecomTeller // by the receiver and the sender of messages of Mitecom
}

// talkSource is a sensor whose level replaces a robot's programs.
type talkSource struct {
	robot int
	told  quantity.Told
	stamp time.Duration // of told
	some  bool          // whether there is an observation
}

// listen adds a publication that holds what teammates tell.
func (t *teamTalk) listen(b *Bridge, reader *topicPublisher) error {
	t.readers = append(t.readers, reader)
	return t.begin(b)
}

// begin adds listeners to the sensors of all robots, once.
func (t *teamTalk) begin(b *Bridge) error {
	if t.bridge != nil {
		return nil
	}
	t.bridge = b
	w := b.sim.World()
	for i := range w.Robots {
		c := quantity.NewContext(w, i)
		for j := range w.Robots[i].Sensors {
			s := &talkSource{robot: i}
			t.sources = append(t.sources, s)
			if err := b.listen(w.Robots[i].Name, w.Robots[i].Sensors[j].Name, omnipitch.Listener{
				Wants: func(level abstraction.Level) bool {
					return level.In([]abstraction.Level{abstraction.Pose, abstraction.Objects, abstraction.Truth}) &&
						(t.speakers != nil || slices.ContainsFunc(t.readers, (*topicPublisher).wanted))
				},
				Observe: func(o *sensors.Observation) { s.observe(&c, o) },
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// observe takes what an observation says.
func (s *talkSource) observe(c *quantity.Context, o *sensors.Observation) {
	told := quantity.Told{Robot: s.robot}
	scan, laser := o.Reading.(*sensors.LaserScan)
	switch {
	case o.Objects != nil:
		c.Observe(o)
		told.See(c)
	case laser && scan.PoseKnown:
		told.PoseW, told.PoseKnown = scan.PoseWB, true
	default:
		return
	}
	s.told, s.stamp, s.some = told, o.Stamp, true
}

// tell appends what the teammates of a robot tell it to a slice. The robot is given by its index in the world.
func (t *teamTalk) tell(to int, into []quantity.Told) []quantity.Told {
	b := t.bridge
	robots := b.sim.World().Robots
	believed := t.refresh()
	for i := range robots {
		if i == to || robots[i].Team != robots[to].Team || b.sim.Truth().Robots[i].PoseWB.Absent() {
			continue
		}
		if h := t.heard[[2]int{to, i}]; h != nil {
			into = append(into, h.told(b.sim.World(), i, t.last))
			continue
		}
		told := quantity.Told{Robot: i}
		if b.sim.Match().Wired(robots[i].Name) && !t.radios[i].Off && !t.radios[to].Off {
			told = t.know(i, believed)
			told.Active = true
		}
		into = append(into, told)
	}
	return into
}

// refresh returns what the robots' programs believe, and updates what know depends on.
func (t *teamTalk) refresh() (believed []belief.Robot) {
	b := t.bridge
	if l := b.beliefs.Load(); l != nil {
		believed = l.Beliefs()
	}
	now := b.sim.Truth().Time
	if now < t.last { // the simulation has restarted
		for _, s := range t.sources {
			s.some = s.some && s.stamp <= now
		}
	}
	t.last = now
	t.radios = b.sim.Match().AppendRadioStatus(t.radios[:0])
	return believed
}

// know returns what a robot knows.
func (t *teamTalk) know(robot int, believed []belief.Robot) quantity.Told {
	told := quantity.Told{Robot: robot}
	t.see(&told, t.last)
	name := t.bridge.sim.World().Robots[robot].Name
	if k := slices.IndexFunc(believed, func(r belief.Robot) bool { return r.Name == name }); k >= 0 {
		override(&told, &believed[k])
	}
	return told
}

// see fills in what the robot's sensors know. Of several sensors, the surest counts.
func (t *teamTalk) see(told *quantity.Told, now time.Duration) {
	for _, s := range t.sources {
		if s.robot != told.Robot || !s.some || now-s.stamp > beliefOld {
			continue
		}
		of := &s.told
		if !told.PoseKnown {
			told.PoseW, told.PoseKnown = of.PoseW, of.PoseKnown
		}
		if of.BallB.Confidence > told.BallB.Confidence {
			told.BallB = of.BallB
		}
		if of.GoalB.Confidence > told.GoalB.Confidence {
			told.GoalB = of.GoalB
		}
		if of.RivalsW[0].Confidence > told.RivalsW[0].Confidence {
			told.RivalsW = of.RivalsW
		}
		if of.MatesW[0].Confidence > told.MatesW[0].Confidence {
			told.MatesW = of.MatesW
		}
	}
}

// override replaces what the robot's own programs publish.
func override(told *quantity.Told, own *belief.Robot) {
	if p, ok := own.PoseInMap(); ok {
		told.Locate(p.X, p.Y, p.Heading)
	}
	if own.Status != nil {
		told.Role, told.Action, told.Side = own.Status.Role, own.Status.Action, own.Status.Side
	}
	if own.Ball == nil {
		return
	}
	told.BallB = quantity.Seen{}
	for _, p := range own.Ball.Places {
		told.LocateBall(mgl64.Vec3{p.X, p.Y, p.Z}, own.Ball.Relative, p.Confidence)
	}
}
