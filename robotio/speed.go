package robotio

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/timesync"
)

// speed tells programs how fast sim time goes, and how much wall time the sim time ahead will take. Forecasts are made
// by the goroutine that steps, and asked for by others at any time: while steps wait for a robot, an answer must not
// wait for a step.
type speed struct {
	sim  *omnipitch.Sim
	flow flow
	wall timesync.Wall

	// Of the goroutine that steps:
	skip    int           // steps that need no look at the clock
	checked time.Duration // wall time

	mu        sync.Mutex
	topics    []*ros1.Publisher[msg.Speed] // at each master
	outlook   timesync.Outlook
	told      speedState    // that was published last
	published time.Duration // wall time, as all below
	predicted time.Duration
	asked     time.Duration
}

// speedState is what is published at once when it changes.
type speedState struct {
	timesync.RealTimeFactor // without Measured
	paused                  bool
}

// Guesses: a program that plans its next image has 30 ms, and eight forecasts take up to 0.3 ms of the goroutine that
// steps.
const (
	publishEvery = 100 * time.Millisecond
	predictEvery = 20 * time.Millisecond // while programs ask
	askedLately  = time.Second
	mostAsked    = 10 // s that the service is asked about

	// Where steps take microseconds, a look at the clock in each would cost 5 % of them.
	skipSteps  = 15
	skipWithin = time.Millisecond // since the last look
)

// aheadSteps are the steps that forecasts are made for.
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
	pub, err := ros1.Advertise[msg.Speed](n.Node, speedTopic, "omnipitch_msgs/Speed", ros1.PubOptions{Queue: 1,
		Latch: true})
	if err := b.keep(pub, err); err != nil {
		return err
	}
	b.own = append(b.own, ownTopic{n.Node, pub, "omnipitch_msgs/Speed", &s.flow})
	s.mu.Lock()
	s.topics = append(s.topics, pub)
	s.publish(s.wall.Now())
	s.mu.Unlock()
	return b.keep(ros1.Serve(n.Node, predictService, "omnipitch_msgs/Predict", s.predict))
}

func (s *speed) now() speedState {
	now := speedState{s.sim.Factor(), s.sim.Clock().Paused()}
	now.Measured = 0
	return now
}

// stepped is called by the goroutine that steps, after /clock has shown the time.
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
	due := wall-s.published >= publishEvery || s.now() != s.told
	first := len(s.outlook.Ahead) == 0 // steps so far took no time
	if due || first || wall-s.asked < askedLately && wall-s.predicted >= predictEvery {
		s.look(wall)
	}
	if due {
		s.publish(wall)
	}
}

// look makes the forecasts anew.
func (s *speed) look(wall time.Duration) {
	s.predicted = wall
	o := timesync.Outlook{From: s.sim.Time()}
	for _, n := range aheadSteps {
		d := n * s.sim.World().Time.Step
		if f := s.sim.Predict(d); f.Likely > 0 {
			o.Ahead, o.Forecasts = append(o.Ahead, d), append(o.Forecasts, f)
		}
	}
	s.outlook = o
}

// publish tells what is known now.
func (s *speed) publish(wall time.Duration) {
	s.published, s.told = wall, s.now()
	m := msg.Speed{
		Speed: s.told.Speed.String(), Paused: s.told.paused, Step: s.sim.World().Time.Step.Seconds(),
		Target: s.told.Target, Measured: s.sim.Factor().Measured, NextTarget: s.told.Next,
		NextFrom: msg.TimeFrom(s.told.NextFrom),
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
		t.Publish(&m)
	}
}

// predict answers the service.
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

// askedSpan checks a span of time that a program asks about, in seconds.
func askedSpan(name string, s float64) (time.Duration, error) {
	if !(s >= 0 && s <= mostAsked) {
		return 0, fmt.Errorf("%s = %v: must lie in [0, %d] s", name, s, mostAsked)
	}
	return time.Duration(s * float64(time.Second)), nil
}
