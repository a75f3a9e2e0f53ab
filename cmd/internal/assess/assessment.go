// Package assess measures the quality of a robot's vision. It compares the reports that the vision publishes while a
// world runs with the truth at the same stamps. The result contains numbers, plots, a map of the field and the worst
// frames, also as an HTML page.
//
// A report is the position of the robot itself, of the ball or of an obstacle according to the vision. A frame is one
// image of the vision's camera. Positions of things are in the robot's frame B (x forward, y left), poses in the map W,
// in metres and radians.
//
// The package does not decide whether a run passes: the expectations of the world do, and the result lists their
// verdicts.
//
//	a, err := assess.New(world, assess.Config{Robot: "cyan1", Topics: []assess.Topic{{Name: "/cyan1/vision/ball"}}})
//	topics := robotio.NewTopics()
//	sim, err := omnipitch.New(world, omnipitch.Options{Topics: topics})
//	err = a.Follow(sim, topics)
//	report, err := sim.Run(ctx, pace)
//	result := a.Finish()
//	err = result.WritePage(file)
//
// Only the goroutine that steps the simulation may use an Assessment.
package assess

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// Assessment compares the reports of a vision with the truth while a world runs.
type Assessment struct {
	cfg    Config
	world  *worlds.World
	robot  int
	sim    *omnipitch.Sim
	eye    *eye
	past   history
	frames frames
	counts func(stamp time.Duration) bool // reports whether a frame with the given stamp counts; nil if all count
	tour   *tour                          // nil without a tour
	topics []*topic
	tracks map[track]string // name of the last thing that each track referred to
	worst  worst
	now    instant // reused
	result Result
	limit  limit
}

// topic is the state of one of Config.Topics.
type topic struct {
	*Topic
	number  int
	readers map[*msg.Definition]*reader // by message definition; nil for an unsupported type
	form    *form                       // of the last message
	tally   TopicTally
	begun   bool          // a message has arrived
	from    time.Duration // arrival of the first message; earlier frames cannot be missed
	problem string        // the first one
	newest  time.Duration
}

// track identifies an object that a vision tracks by number.
type track struct {
	topic int
	id    string
}

// mostSamples is the largest number of samples that are stored, which bounds memory. Later samples are only counted.
const mostSamples = 2_000_000

// New returns an assessment of a world. It returns an error if the world does not contain the robot or the camera that
// cfg names.
func New(w *worlds.World, cfg Config) (*Assessment, error) {
	cfg.Topics = slices.Clone(cfg.Topics)
	robot, err := cfg.complete(w)
	if err != nil {
		return nil, err
	}
	period, err := cfg.period(w, robot)
	if err != nil {
		return nil, err
	}
	a := &Assessment{cfg: cfg, world: w, robot: robot, past: newHistory(w.Time.Step), frames: frames{period: period},
		tracks: map[track]string{}}
	a.result = Result{Config: cfg, World: w}
	for i := range a.cfg.Topics {
		a.topics = append(a.topics, &topic{Topic: &a.cfg.Topics[i], number: i, readers: map[*msg.Definition]*reader{}})
	}
	return a, nil
}

// Camera returns the name ROBOT.SENSOR of the vision's camera.
func (a *Assessment) Camera() string { return a.cfg.Robot + "." + a.cfg.Sensor }

// Follow connects the assessment to a simulation of its world, and to the simulation's Options.Topics. It must be
// called before the first step.
func (a *Assessment) Follow(sim *omnipitch.Sim, topics *robotio.Topics) error {
	camera, ok := sim.Sensors().Camera(a.cfg.Robot, a.cfg.Sensor)
	if !ok {
		return fmt.Errorf("robot %s has no camera %s", a.cfg.Robot, a.cfg.Sensor)
	}
	a.sim = sim
	a.eye = &eye{camera, a.robot, sensors.NewTargets(a.world.Model(),
		sim.Sensors().Scenery().Bodies(sim.Sensors().Brightness()))}
	robot := "" // the robot whose master has the topics
	if a.world.Robots[a.robot].ROS1.MasterPort != 0 {
		robot = a.cfg.Robot
	}
	for _, t := range a.topics {
		topics.SubscribeRaw(robot, t.Name, func(m *robotio.RawMessage) { a.take(t, m) })
	}
	sim.Match().HoldExpectations(func(e *expectation.Expectation) bool { return !a.canJudge(e) })
	sim.OnStep(a.step)
	_, err := sim.Listen(a.cfg.Robot, a.cfg.Sensor, omnipitch.Listener{Observe: a.observe})
	return err
}

// step processes a state.
func (a *Assessment) step(now *physics.Snapshot) {
	if a.past.n > 0 && now.Time < a.past.back(0).Time { // the world has restarted
		a.settle(math.MaxInt64)
		a.past.clear()
		if camera, ok := a.sim.Sensors().Camera(a.cfg.Robot, a.cfg.Sensor); ok {
			a.eye.camera = camera
		}
		a.result.Sim += a.result.end
		for _, t := range a.topics {
			t.newest, t.from = 0, 0
		}
	}
	if a.past.n > 0 {
		a.limit.elapsed += now.Time - a.past.back(0).Time
	}
	a.past.add(now)
	a.result.end = now.Time
	a.settle(now.Time - hold)
	a.limit.check(a.topics)
}

// observe processes a frame.
func (a *Assessment) observe(o *sensors.Observation) {
	a.result.Frames++
	a.result.Level = string(o.Level)
	f := &frame{number: o.Frame, stamp: o.Stamp, poseBC: o.PoseBC, amplification: o.Settings.Amplification(),
		brightness: a.sim.Sensors().Brightness()}
	if o.Color != nil {
		o.Retain()
		f.seen = o
	}
	a.frames.add(f)
}

// take processes a raw message.
func (a *Assessment) take(t *topic, raw *robotio.RawMessage) {
	t.tally.Messages++
	t.tally.Type = raw.Def.Name
	r, known := t.readers[raw.Def]
	if !known {
		var err error
		if r, err = newReader(raw.Def, t.Topic); err != nil {
			r = nil
			t.fail("%v", err)
		} else {
			r.robot, r.number = a.cfg.Robot, a.number()
			for i := range a.world.Robots[a.robot].Sensors {
				r.sensors = append(r.sensors, a.world.Robots[a.robot].Sensors[i].Name)
			}
		}
		t.readers[raw.Def] = r
	}
	if r == nil {
		t.tally.Unread++
		return
	}
	t.form = r.form
	reports, stamp, stamped, err := r.read(raw.Data)
	if err != nil {
		t.tally.Unread++
		t.fail("%v", err)
		return
	}
	m := message{topic: t.number, stamp: raw.Arrived, arrived: raw.Arrived, stamped: stamped, reports: reports}
	if stamped {
		m.stamp = time.Duration(math.Round(stamp * 1e9))
	}
	a.receive(t, m)
}

// receive processes a decoded message.
func (a *Assessment) receive(t *topic, m message) {
	if !a.timely(t, &m) {
		return
	}
	m.reports = slices.DeleteFunc(m.reports, func(r report) bool {
		if r.finite() {
			return false
		}
		t.tally.NotNumbers++
		t.fail("the position of %s is not a number", r.kind)
		return true
	})
	if !t.begun {
		t.begun, t.from = true, m.arrived
		a.sim.Match().ReleaseExpectations(a.canJudge)
	}
	if f := a.frames.frameFor(&m); f != nil {
		f.messages = append(f.messages, m)
		return
	}
	a.now.frame = nil // the message is joined separately
	a.join(&instant{frame: &frame{stamp: m.stamp, messages: []message{m}, poseBC: a.eye.camera.PoseBC(),
		amplification: 1, brightness: a.sim.Sensors().Brightness()}}, false)
}

// timely reports whether a message's stamp can be joined with the truth, and records its delay.
func (a *Assessment) timely(t *topic, m *message) bool {
	switch {
	case m.stamp > m.arrived:
		t.tally.Untimely++
		t.fail("a message that arrived at %.3f s is stamped %.3f s, which is later: stamps must be those of the "+
			"images, "+
			"in sim time", m.arrived.Seconds(), m.stamp.Seconds())
		return false
	case m.arrived-m.stamp > hold:
		t.tally.Untimely++
		t.fail("a message that arrived at %.3f s is stamped %.3f s, which is more than %v s before: stamps must be "+
			"those of the images, in sim time", m.arrived.Seconds(), m.stamp.Seconds(), hold.Seconds())
		return false
	}
	if m.stamped {
		t.tally.delays = append(t.tally.delays, (m.arrived - m.stamp).Seconds())
	}
	if t.tally.timely == 0 {
		t.tally.first = m.arrived
	}
	t.tally.timely++
	t.tally.last = m.arrived
	t.newest = max(t.newest, m.stamp)
	return true
}

// fail records a topic's first problem.
func (t *topic) fail(format string, args ...any) {
	if t.problem == "" {
		t.problem = fmt.Sprintf(format, args...)
	}
}

// number returns the robot's number in its team.
func (a *Assessment) number() int { return a.world.Model().Robots[a.robot].Number }

// settle evaluates the frames with stamps up to limit. No more messages about these frames are expected.
func (a *Assessment) settle(limit time.Duration) {
	for f := a.frames.take(limit); f != nil; f = a.frames.take(limit) {
		a.now.frame = f
		a.join(&a.now, true)
		f.release()
	}
}

// Finish evaluates the remaining frames and returns the result. The last frames do not count if messages about them
// could still arrive.
func (a *Assessment) Finish() *Result {
	slowest := time.Duration(0)
	for _, t := range a.topics {
		for _, d := range t.tally.delays {
			slowest = max(slowest, time.Duration(d*float64(time.Second)))
		}
	}
	if slowest == 0 {
		slowest = hold / 4
	}
	a.settle(a.result.end - slowest)
	for f := a.frames.take(math.MaxInt64); f != nil; f = a.frames.take(math.MaxInt64) { // too recent to count
		f.release()
	}
	a.result.Sim += a.result.end
	a.result.Start = a.limit.began
	r := &a.result
	r.camera = a.eye.camera
	if a.tour != nil {
		r.Tour, r.Scenes, r.TourError = a.tour.kind, int(a.tour.scene), a.tour.err
	}
	for _, t := range a.topics {
		t.tally.Problem = t.problem
		r.Topics = append(r.Topics, t.tally)
		if t.form != nil {
			for _, k := range t.form.kindsOf(t.Topic) {
				r.Channels = append(r.Channels, summarise(r, t.number, k))
			}
		}
	}
	r.Worst = a.worst.choose()
	return r
}
