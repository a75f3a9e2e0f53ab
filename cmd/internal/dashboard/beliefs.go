package dashboard

import (
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/worlds"
)

// beliefsJSON contains the beliefs of robots, next to the truth.
type beliefsJSON struct {
	Time   float64    `json:"time_s"`
	About  string     `json:"about,omitempty"` // why there are no beliefs
	Robots []mindJSON `json:"robots"`          // only robots with beliefs
}

// mindJSON contains the beliefs of one robot, and what it says that it does. Positions are in the map frame. A position
// that the robot gives in its own frame is transformed with the pose that the robot believes or, if that is unknown,
// with its true pose. An error is the difference from the truth at the belief's stamp, so latency is not an error.
// Errors are missing if the stamp is too old.
type mindJSON struct {
	Name      string          `json:"name"`
	Pose      *believedJSON   `json:"pose,omitempty"`
	Ball      *believedJSON   `json:"ball,omitempty"`
	Obstacles *obstaclesJSON  `json:"obstacles,omitempty"`
	Path      *pathBeliefJSON `json:"path,omitempty"`
	Velocity  *velocityJSON   `json:"velocity,omitempty"`
	Status    *statusJSON     `json:"status,omitempty"`
}

type saidJSON struct {
	Topic string    `json:"topic"`
	Stamp float64   `json:"stamp_s"`
	From  *poseJSON `json:"from,omitempty"` // the pose that transforms positions from the robot's frame to the map
}

// believedJSON is a believed pose or position, and the true pose or position at the stamp of the belief.
type believedJSON struct {
	saidJSON
	Known      bool      `json:"known"`
	At         *poseJSON `json:"at,omitempty"`
	Truth      *poseJSON `json:"truth,omitempty"`
	Error      *float64  `json:"error_m,omitempty"`
	ErrorAngle *float64  `json:"error_deg,omitempty"` // only of a pose
}

type obstaclesJSON struct {
	saidJSON
	Places  []sightedJSON `json:"places"`
	LeftOut int           `json:"left_out,omitempty"`
}

// sightedJSON is the position where a robot believes that it sees an object, and its distance from the nearest other
// robot or obstacle at the stamp.
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

// velocityJSON is a believed velocity and the true one at the stamp, m/s along the axes of the map.
type velocityJSON struct {
	saidJSON
	At    *[2]float64 `json:"at_m_s,omitempty"`
	Truth *[2]float64 `json:"truth_m_s,omitempty"`
}

// statusJSON is what a robot says that it does, and whether it really holds the ball at the stamp.
type statusJSON struct {
	Topic     string  `json:"topic"`
	Stamp     float64 `json:"stamp_s"`
	Role      string  `json:"role,omitempty"`
	Action    string  `json:"action,omitempty"`
	Dribbling *bool   `json:"dribbling,omitempty"`
	Holds     *bool   `json:"holds_ball,omitempty"`
}

// beliefsFresh is the wall time for which an answer is reused: half of a page's polling interval.
const beliefsFresh = 50 * time.Millisecond

// minds compares beliefs with the truth.
type minds struct {
	beliefs func() []belief.Robot // nil if robots' programs cannot be connected
	past    *past
	newest  shared[*beliefsJSON]
}

// noWires explains why robots without connected programs have no beliefs.
const noWires = "Robots' programs are not connected: the run has no ROS (--ros1 off), or is a replay."

func (s *simServer) beliefs(*http.Request) (any, error) {
	m := s.minds
	return m.newest.get(beliefsFresh, func() (*beliefsJSON, error) {
		world, _ := s.states.current()
		j := &beliefsJSON{Time: s.sim.Clock().Time().Seconds(), Robots: []mindJSON{}}
		if m.beliefs == nil {
			j.About = noWires
			return j, nil
		}
		m.past.want()
		all := m.beliefs()
		for i := range all {
			me := slices.IndexFunc(world.Robots, func(r worlds.Robot) bool { return r.Name == all[i].Name })
			if me >= 0 { // a negative index means that another world is running
				j.Robots = append(j.Robots, m.mind(&all[i], me))
			}
		}
		return j, nil
	})
}

// mind returns the beliefs of the robot whose index is me, next to the truth.
func (m *minds) mind(r *belief.Robot, me int) mindJSON {
	j := mindJSON{Name: r.Name}
	if r.Pose != nil {
		j.Pose = m.believed(r.Pose, r, me, func(then *whereabouts) planar { return then.robots[me] })
		if j.Pose.Truth != nil {
			j.Pose.ErrorAngle = new(rounded(spatial.WrapAngle((j.Pose.At.Heading-j.Pose.Truth.Heading)*spatial.Degree) /
				spatial.Degree))
		}
	}
	if r.Ball != nil {
		j.Ball = m.believed(r.Ball, r, me,
			func(then *whereabouts) planar { return planar{then.ball[0], then.ball[1], 0} })
	}
	if b := r.Obstacles; b != nil {
		then, ok := m.truth(b.Stamp, me)
		said, places := m.placed(b, r, me)
		j.Obstacles = &obstaclesJSON{saidJSON: said, Places: []sightedJSON{}, LeftOut: b.LeftOut}
		for _, at := range places {
			one := sightedJSON{X: rounded(at.X), Y: rounded(at.Y), Number: at.Number}
			if near := nearest(&then, me, at); ok && !math.IsInf(near, 1) {
				one.Error = new(rounded(near))
			}
			j.Obstacles.Places = append(j.Obstacles.Places, one)
		}
	}
	if b := r.Path; b != nil {
		said, places := m.placed(b, r, me)
		j.Path = &pathBeliefJSON{saidJSON: said, Points: [][2]float64{}, LeftOut: b.LeftOut}
		for _, at := range places {
			j.Path.Points = append(j.Path.Points, [2]float64{rounded(at.X), rounded(at.Y)})
		}
	}
	if b := r.Velocity; b != nil {
		said, at := m.placed(b, r, me)
		j.Velocity = &velocityJSON{saidJSON: said}
		if len(at) > 0 {
			j.Velocity.At = &[2]float64{rounded(at[0].X), rounded(at[0].Y)}
		}
		if then, ok := m.truth(b.Stamp, me); ok {
			v := then.velocities[me]
			j.Velocity.Truth = &[2]float64{rounded(v[0]), rounded(v[1])}
		}
	}
	if s := r.Status; s != nil {
		j.Status = &statusJSON{Topic: s.Topic, Stamp: rounded(s.Stamp.Seconds()), Role: s.Role, Action: s.Action,
			Dribbling: s.Dribbling}
		if then, ok := m.truth(s.Stamp, me); ok {
			j.Status.Holds = new(then.holder == me)
		}
	}
	return j
}

// truth returns where all bodies were at the stamp of a belief of the robot whose index is me. The result ok is false
// if that is no longer kept, or if the world had no such robot.
func (m *minds) truth(stamp time.Duration, me int) (w whereabouts, ok bool) {
	w, ok = m.past.at(stamp)
	return w, ok && me < len(w.robots)
}

// believed returns the first position of a belief, and whether there is one. trueAt returns the true position, given
// the poses at the stamp.
func (m *minds) believed(b *belief.Belief, r *belief.Robot, me int, trueAt func(*whereabouts) planar) *believedJSON {
	said, at := m.placed(b, r, me)
	if len(at) == 0 {
		return &believedJSON{saidJSON: said}
	}
	j := &believedJSON{saidJSON: said, Known: true, At: poseOfPlace(planar{at[0].X, at[0].Y, at[0].Heading})}
	if then, ok := m.truth(b.Stamp, me); ok {
		now := trueAt(&then)
		j.Truth = poseOfPlace(now)
		j.Error = new(rounded(math.Hypot(j.At.X-now.x, j.At.Y-now.y)))
	}
	return j
}

// placed returns the positions, or the velocity, of a belief in the map frame. It returns nothing if the belief gives
// them in the frame of a robot whose pose is unknown.
func (m *minds) placed(b *belief.Belief, r *belief.Robot, me int) (said saidJSON, places []belief.Place) {
	said = saidJSON{Topic: b.Topic, Stamp: rounded(b.Stamp.Seconds())}
	if !b.Relative {
		return said, b.Places
	}
	from, ok := r.PoseInMap()
	if !ok {
		then, known := m.truth(b.Stamp, me)
		if !known {
			return said, nil
		}
		from = belief.Place{X: then.robots[me].x, Y: then.robots[me].y, Heading: then.robots[me].heading}
	}
	said.From = poseOfPlace(planar{from.X, from.Y, from.Heading})
	put := from.Put
	if b == r.Velocity {
		put = from.Rotate
	}
	places = make([]belief.Place, len(b.Places))
	for i, at := range b.Places {
		places[i] = put(at)
	}
	return said, places
}

func poseOfPlace(p planar) *poseJSON {
	return &poseJSON{X: rounded(p.x), Y: rounded(p.y), Heading: rounded(spatial.WrapAngle(p.heading) / spatial.Degree)}
}

// nearest returns the distance, in m, from a position to the nearest obstacle or robot. The robot whose index is me
// does not count. Without any other body the distance is +Inf.
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
