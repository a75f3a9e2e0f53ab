package reproduce

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/physics"
)

// passTime is the time limit of a pass. A robot that has the ball again within the time regained counts as not having
// lost it. Both times are guesses.
const (
	passTime = 5 * time.Second
	regained = 250 * time.Millisecond
)

// leastDribble is the least distance of dribbling before a pass that counts, m. Source: rules of the technical
// challenge of 2015, in Dai et al., section 3.
const leastDribble = 1

// pass is the result of a pass.
type pass struct {
	came     bool    // reports whether the ball came: the teammate had it on its side of the field
	dribbled float64 // length of the dribbling before the pass, m
	touched  bool    // reports whether the ball touched an obstacle
}

// passes judges the passes of two robots from the exact state.
type passes struct {
	most int // number of passes to judge
	done []pass

	from   int           // the robot that has passed
	kicked time.Duration // time of the pass; 0: no pass in progress
	way    pass
	holder int           // the robot that has, or last had, the ball; −1: none yet
	since  time.Duration // sim time at which the holder last had the ball
	took   pitch.Vec     // where the holder took the ball
	kicks  []int         // number of kicks of each robot so far
}

func newPasses(most int) *passes { return &passes{most: most, holder: -1} }

// over reports whether all passes have been tried.
func (p *passes) over() bool { return len(p.done) >= p.most }

// watch processes a step.
func (p *passes) watch(s *physics.Snapshot) {
	if p.over() {
		return
	}
	if p.kicks == nil {
		p.kicks = make([]int, len(s.Robots))
	}
	ball := pitch.Vec{s.Ball.PosW[0], s.Ball.PosW[1]}
	for i := range s.Robots {
		if n := s.Robots[i].Kicks; n > p.kicks[i] {
			p.kicks[i] = n
			p.begin(i, s.Time, ball)
		}
	}
	if p.kicked != 0 {
		p.follow(s, ball)
	}
	if i := s.Ball.HeldBy; i >= 0 {
		if i != p.holder || s.Time-p.since > regained {
			p.holder, p.took = i, ball
		}
		p.since = s.Time
	}
}

// begin records that a robot has kicked. A pass that is still in progress has failed.
func (p *passes) begin(robot int, now time.Duration, ball pitch.Vec) {
	if p.kicked != 0 {
		p.end(false)
	}
	p.from, p.kicked, p.way = robot, now, pass{}
	if p.holder == robot {
		p.way.dribbled = pitch.Distance(p.took, ball)
	}
}

// follow judges the pass in progress.
func (p *passes) follow(s *physics.Snapshot, ball pitch.Vec) {
	for i := range s.Touches {
		t := &s.Touches[i]
		p.way.touched = p.way.touched || t.B == s.BallID() && int(t.A) >= len(s.Robots)
	}
	switch by := s.Ball.HeldBy; {
	case s.Time-p.kicked > passTime, by == p.from && s.Time-p.since > regained:
		p.end(false)
	case by >= 0 && by != p.from:
		p.end(ball[0] > 0 && p.way.dribbled >= leastDribble)
	}
}

func (p *passes) end(came bool) {
	p.way.came = came
	p.done = append(p.done, p.way)
	p.kicked = 0
}

// series summarizes a series of passes.
type series struct {
	rate    float64 // successful passes, %
	longest float64 // longest run of successful passes
	touched int     // passes whose ball touched an obstacle
	short   int     // passes after too little dribbling
	missing int     // passes not tried in time, which count as failed
}

// tally summarizes the passes.
func (p *passes) tally() series {
	came, row := 0, 0
	s := series{missing: p.most - len(p.done)}
	for _, one := range p.done {
		if one.touched {
			s.touched++
		}
		if one.dribbled < leastDribble {
			s.short++
		}
		if !one.came {
			row = 0
			continue
		}
		came, row = came+1, row+1
		s.longest = max(s.longest, float64(row))
	}
	s.rate = 100 * float64(came) / float64(p.most)
	return s
}
