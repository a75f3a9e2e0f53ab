package robotio

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// speed publishes how fast sim time advances, and serves forecasts of how much wall time the next steps will take. The
// stepping goroutine makes the forecasts. Other goroutines answer requests from the newest forecast and do not wait for
// a new one, because the step in progress may be waiting for the program that sent the request.
type speed struct {
	sim  *omnipitch.Sim
	flow flow
	wall timesync.Wall

	// Only the stepping goroutine uses these fields:
	skip    int           // number of the next steps that will not read the wall clock
	checked time.Duration // wall time of the last reading of the wall clock

	mu        sync.Mutex
	topics    []*wire.Typed[msg.Speed] // one for each master
	params    []*ros2.Param            // one for each node of ROS 2
	outlook   timesync.Outlook
	lastState speedState    // state that was published last
	published time.Duration // wall time of the last message
	predicted time.Duration // wall time of the last forecast
	asked     time.Duration // wall time of the last request
}

// speedState is the part of the state whose changes are published at once.
type speedState struct {
	timesync.RealTimeFactor // Measured is always zero
	paused                  bool
}

// Wall times of publications and forecasts. The values are guesses: a program that plans its next image has 30 ms, and
// a set of eight forecasts takes the stepping goroutine up to 0.3 ms.
const (
	publishEvery = 100 * time.Millisecond
	predictEvery = 20 * time.Millisecond // time between forecasts while requests arrive
	askedLately  = time.Second           // time after the last request during which requests count as arriving
	mostAsked    = 10                    // maximum span of a request, in s

	// If the wall clock was read less than skipWithin before, the next skipSteps steps do not read it. Without this,
	// reading the clock would cost 5 % of the time of steps that take microseconds.
	skipSteps  = 15
	skipWithin = time.Millisecond
)

// aheadSteps lists the numbers of steps that are forecast.
var aheadSteps = [...]time.Duration{1, 2, 5, 10, 20, 50, 100, 200}

func newSpeed(sim *omnipitch.Sim) *speed {
	s := &speed{sim: sim, wall: timesync.SystemWall(), asked: -askedLately}
	sim.OnStep(func(*physics.Snapshot) { s.stepped() })
	sim.Clock().OnPause(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.publish(s.wall.Now())
	})
	return s
}

// serve sets up the topic and the service on a node.
func (s *speed) serve(b *Bridge, n *node) error {
	pub, err := wire.Advertise[msg.Speed](n, speedTopic, "omnipitch_msgs/Speed", wire.PubOptions{Queue: 1,
		Latch: true})
	if err := b.closeLater(pub, err); err != nil {
		return err
	}
	b.own = append(b.own, ownTopic{n.Node, pub, "omnipitch_msgs/Speed", &s.flow})
	s.mu.Lock()
	s.topics = append(s.topics, pub)
	s.publish(s.wall.Now())
	s.mu.Unlock()
	if n, ok := n.Node.(*ros2.Node); ok {
		if err := s.declare(n); err != nil {
			return err
		}
	}
	return b.closeLater(wire.Serve(n, predictService, "omnipitch_msgs/Predict", s.predict))
}

// declare declares the parameter that sets the speed in ROS 2.
func (s *speed) declare(n *ros2.Node) error {
	p, err := n.DeclareParam("speed", s.state().Speed.String(), ros2.ParamOptions{
		Description: "speed: realtime, a factor such as 0.5, steady, max or lockstep",
		Set:         func(value any) error { return s.sim.Do(&action.SetSpeed{Speed: value.(string)}) }})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.params = append(s.params, p)
	return nil
}

// state returns the current state.
func (s *speed) state() speedState {
	now := speedState{s.sim.Clock().Factor(), s.sim.Clock().Paused()}
	now.Measured = 0
	return now
}

// stepped runs after each step, when /clock has been published.
func (s *speed) stepped() {
	if s.skip > 0 {
		s.skip--
		return
	}
	wall := s.wall.Now()
	if wall-s.checked < skipWithin {
		s.skip = skipSteps
	}
	s.checked = wall
	s.mu.Lock()
	defer s.mu.Unlock()
	due := wall-s.published >= publishEvery || s.state() != s.lastState
	first := len(s.outlook.Ahead) == 0
	if due || first || wall-s.asked < askedLately && wall-s.predicted >= predictEvery {
		s.forecast(wall)
	}
	if due {
		s.publish(wall)
	}
}

// forecast makes new forecasts at the given wall time.
func (s *speed) forecast(wall time.Duration) {
	s.predicted = wall
	o := timesync.Outlook{From: s.sim.Truth().Time}
	for _, n := range aheadSteps {
		d := n * s.sim.World().Time.Step
		if f := s.sim.Clock().Predict(d); f.Likely > 0 {
			o.Ahead, o.Forecasts = append(o.Ahead, d), append(o.Forecasts, f)
		}
	}
	s.outlook = o
}

// publish publishes the current state and the newest forecasts. The caller holds mu.
func (s *speed) publish(wall time.Duration) {
	s.published, s.lastState = wall, s.state()
	m := msg.Speed{
		Speed: s.lastState.Speed.String(), Paused: s.lastState.paused, Step: s.sim.World().Time.Step.Seconds(),
		Target: s.lastState.Target, Measured: s.sim.Clock().Factor().Measured, NextTarget: s.lastState.Next,
		NextFrom: msg.TimeFrom(s.lastState.NextFrom),
	}
	stamp := s.sim.Clock().Time()
	if !m.Paused && len(s.outlook.Ahead) > 0 {
		stamp = s.outlook.From
		for i, d := range s.outlook.Ahead {
			f := s.outlook.Forecasts[i]
			m.Ahead, m.Likely, m.Upper = append(m.Ahead, d.Seconds()), append(m.Likely, f.Likely.Seconds()),
				append(m.Upper, f.Upper.Seconds())
		}
	}
	m.Header.Stamp = msg.TimeFrom(stamp)
	s.flow.count(stamp, stamp)
	for _, t := range s.topics {
		t.Send(&m)
	}
	for _, p := range s.params {
		_ = p.Update(m.Speed) // fails only for values of another type
	}
}

// predict answers a request to the service of forecasts.
func (s *speed) predict(_ context.Context, q *msg.PredictRequest) (*msg.PredictResponse, error) {
	sim, err := askedSpan("sim", q.Sim)
	wall, errWall := askedSpan("wall", q.Wall)
	if err := cmp.Or(err, errWall); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.asked = s.wall.Now()
	o := s.outlook
	s.mu.Unlock()
	if len(o.Ahead) == 0 || s.sim.Clock().Paused() {
		return &msg.PredictResponse{Now: msg.TimeFrom(s.sim.Clock().Time())}, nil
	}
	now := max(s.sim.Clock().Now(), o.From)
	f := o.Wall(now, sim)
	likely, least := o.Sim(now, wall)
	return &msg.PredictResponse{
		Now: msg.TimeFrom(now), Known: true, WallLikely: f.Likely.Seconds(), WallUpper: f.Upper.Seconds(),
		SimLikely: likely.Seconds(), SimLeast: least.Seconds(),
	}, nil
}

// askedSpan converts a span of time in a request, in seconds, to a duration. It returns an error if the span is out of
// range. name is the name of the request's field.
func askedSpan(name string, s float64) (time.Duration, error) {
	if !(s >= 0 && s <= mostAsked) {
		return 0, fmt.Errorf("%s = %v: must lie in [0, %d] s", name, s, mostAsked)
	}
	return time.Duration(s * float64(time.Second)), nil
}
