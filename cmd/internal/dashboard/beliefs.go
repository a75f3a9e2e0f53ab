package dashboard

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/worlds"
)

// beliefsJSON is what robots believe, beside what is so.
type beliefsJSON struct {
	Time   float64    `json:"time_s"`
	About  string     `json:"about,omitempty"` // why nobody believes anything
	Robots []mindJSON `json:"robots"`          // those of which something is known
}

// mindJSON is what one robot believes. Places are in the map; those that it knows in its own frame alone are put there
// from where it believes to be, or, if that is not known, from where it was. Errors are against the truth at the
// belief's stamp, so that a delay is none; left out where that is too long ago.
type mindJSON struct {
	Name      string          `json:"name"`
	Pose      *believedJSON   `json:"pose,omitempty"`
	Ball      *believedJSON   `json:"ball,omitempty"`
	Obstacles *obstaclesJSON  `json:"obstacles,omitempty"`
	Path      *pathBeliefJSON `json:"path,omitempty"`
}

type saidJSON struct {
	Topic string    `json:"topic"`
	Stamp float64   `json:"stamp_s"`
	From  *poseJSON `json:"from,omitempty"` // it was said in the robot's frame, and put into the map from here
}

// believedJSON is one pose or place, and the true one at its stamp.
type believedJSON struct {
	saidJSON
	Known      bool      `json:"known"`
	At         *poseJSON `json:"at,omitempty"`
	Truth      *poseJSON `json:"truth,omitempty"`
	Error      *float64  `json:"error_m,omitempty"`
	ErrorAngle *float64  `json:"error_deg,omitempty"` // of a pose
}

type obstaclesJSON struct {
	saidJSON
	Places  []sightedJSON `json:"places"`
	LeftOut int           `json:"left_out,omitempty"`
}

// sightedJSON is where something stands, and how far from the nearest robot or obstacle that was there.
type sightedJSON struct {
	X      float64  `json:"x_m"`
	Y      float64  `json:"y_m"`
	Number int      `json:"number,omitempty"`
	Error  *float64 `json:"error_m,omitempty"`
}

type pathBeliefJSON struct {
	saidJSON
	Points  [][2]float64 `json:"points_m"`
	LeftOut int          `json:"left_out,omitempty"`
}

// beliefsFresh is for how long, wall time, an answer is given again: half of the time between two questions of a page.
const beliefsFresh = 50 * time.Millisecond

// minds answers what robots believe, encoded once for all who ask at about the same time.
type minds struct {
	beliefs func() []belief.Robot // nil: there are no wires by which robots could say anything
	past    *past

	mu   sync.Mutex
	came time.Time
	text []byte
}

// noWires is what there is to say of robots whose programs are not connected.
const noWires = "Robots' programs are not connected: the run has no ROS (--ros1 off), or is a replay."

func (s *stage) serveBeliefs(w http.ResponseWriter, _ *http.Request) {
	text, err := s.minds.answer(s)
	if err != nil {
		answer(w, http.StatusInternalServerError, errorJSON{err.Error()})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	extendWriteDeadline(w)
	_, _ = w.Write(text) // a client that has gone does not mind
}

func (m *minds) answer(s *stage) (text []byte, err error) {
	m.mu.Lock() // others wait for the same answer
	defer m.mu.Unlock()
	if m.text != nil && time.Since(m.came) < beliefsFresh {
		return m.text, nil
	}
	world, _ := s.states.current()
	j := beliefsJSON{Time: s.sim.Clock().Time().Seconds(), Robots: []mindJSON{}}
	if m.beliefs == nil {
		j.About = noWires
	} else {
		m.past.want()
		all := m.beliefs()
		for i := range all {
			me := slices.IndexFunc(world.Robots, func(r worlds.Robot) bool { return r.Name == all[i].Name })
			if me >= 0 { // else another world goes on
				j.Robots = append(j.Robots, m.mind(&all[i], me))
			}
		}
	}
	m.text, err = json.Marshal(&j)
	m.came = time.Now()
	return m.text, err
}

// mind is what the robot of an index believes beside the truth.
func (m *minds) mind(r *belief.Robot, me int) mindJSON {
	j := mindJSON{Name: r.Name}
	if b := r.Pose; b != nil {
		then, ok := m.truth(b, me)
		j.Pose = m.believed(b, r, me)
		if j.Pose.Known && ok {
			j.Pose.compare(then.robots[me], true)
		}
	}
	if b := r.Ball; b != nil {
		then, ok := m.truth(b, me)
		j.Ball = m.believed(b, r, me)
		if j.Ball.Known && ok {
			j.Ball.compare(planar{then.ball[0], then.ball[1], 0}, false)
		}
	}
	if b := r.Obstacles; b != nil {
		then, ok := m.truth(b, me)
		said, places := m.placed(b, r, me)
		o := &obstaclesJSON{saidJSON: said, Places: []sightedJSON{}, LeftOut: b.LeftOut}
		for _, at := range places {
			one := sightedJSON{X: rounded(at.X), Y: rounded(at.Y), Number: at.Number}
			if near := nearest(&then, me, at); ok && !math.IsInf(near, 1) {
				one.Error = new(rounded(near))
			}
			o.Places = append(o.Places, one)
		}
		j.Obstacles = o
	}
	if b := r.Path; b != nil {
		said, places := m.placed(b, r, me)
		p := &pathBeliefJSON{saidJSON: said, Points: [][2]float64{}, LeftOut: b.LeftOut}
		for _, at := range places {
			p.Points = append(p.Points, [2]float64{rounded(at.X), rounded(at.Y)})
		}
		j.Path = p
	}
	return j
}

// truth is where everything was at the stamp of a belief, the robot of an index among it.
func (m *minds) truth(b *belief.Belief, me int) (w whereabouts, ok bool) {
	w, ok = m.past.at(b.Stamp)
	return w, ok && me < len(w.robots)
}

// believed is the first place of a belief.
func (m *minds) believed(b *belief.Belief, r *belief.Robot, me int) *believedJSON {
	said, at := m.placed(b, r, me)
	j := &believedJSON{saidJSON: said}
	if len(at) > 0 {
		j.Known, j.At = true, poseOfPlace(planar{at[0].X, at[0].Y, at[0].Heading})
	}
	return j
}

// placed returns the places of a belief in the map; none of those in the frame of a robot that is nowhere.
func (m *minds) placed(b *belief.Belief, r *belief.Robot, me int) (said saidJSON, places []belief.Place) {
	said = saidJSON{Topic: b.Topic, Stamp: rounded(b.Stamp.Seconds())}
	if !b.Relative {
		return said, b.Places
	}
	from, ok := r.PoseInMap()
	if !ok {
		then, known := m.truth(b, me)
		if !known {
			return said, nil
		}
		from = belief.Place{X: then.robots[me].x, Y: then.robots[me].y, Heading: then.robots[me].heading}
	}
	said.From = poseOfPlace(planar{from.X, from.Y, from.Heading})
	places = make([]belief.Place, len(b.Places))
	for i, at := range b.Places {
		places[i] = from.Put(at)
	}
	return said, places
}

func (j *believedJSON) compare(is planar, turned bool) {
	j.Truth = poseOfPlace(is)
	j.Error = new(rounded(math.Hypot(j.At.X-is.x, j.At.Y-is.y)))
	if turned {
		j.ErrorAngle = new(rounded(spatial.WrapAngle(j.At.Heading*spatial.Degree-is.heading) / spatial.Degree))
	}
}

func poseOfPlace(p planar) *poseJSON {
	return &poseJSON{rounded(p.x), rounded(p.y), rounded(spatial.WrapAngle(p.heading) / spatial.Degree)}
}

// nearest is how far a place is from the nearest robot but me, or obstacle, m; +Inf if there is none.
func nearest(w *whereabouts, me int, at belief.Place) float64 {
	near := math.Inf(1)
	for i, r := range w.robots {
		if i != me {
			near = min(near, math.Hypot(r.x-at.X, r.y-at.Y))
		}
	}
	for _, o := range w.obstacles {
		near = min(near, math.Hypot(o.x-at.X, o.y-at.Y))
	}
	return near
}
