package assess

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// join compares the messages about a frame with the truth, and adds samples. isFrame is false if a message has no
// frame: no misses are counted then.
func (a *Assessment) join(now *instant, isFrame bool) {
	if a.counts != nil && !a.counts(now.stamp) {
		return
	}
	if !a.past.at(now.stamp, &now.truth) { // for example, the frame is from before a restart of the world
		return
	}
	now.things = a.eye.look(&now.truth, now.frame, now.things[:0])
	from := len(a.result.Samples)
	begun := func(t *topic) bool { return isFrame && t.begun && now.stamp >= t.from }
	if slices.ContainsFunc(a.topics, begun) {
		a.result.Judged++
	}
	for _, t := range a.topics {
		if t.form == nil {
			continue
		}
		judged, answered := begun(t), now.answered(t.number)
		if judged && answered {
			t.tally.Answered++
		}
		// A vision whose messages describe one thing each sends no message if it finds nothing. Then a message on
		// another topic shows that the vision has processed the frame.
		counts := judged && (answered || t.form.single() && (len(a.topics) == 1 || len(now.messages) > 0))
		if counts {
			t.tally.counted++
		}
		for _, k := range t.form.kindsOf(t.Topic) {
			a.joinKind(now, t, k, counts)
		}
	}
	if isFrame {
		a.worst.offer(a, now, a.result.Samples[from:])
	}
}

// joinKind adds the samples of one kind on one topic.
func (a *Assessment) joinKind(now *instant, t *topic, k Kind, counts bool) {
	var all []*report
	var of []*message
	for i := range now.messages {
		m := &now.messages[i]
		for j := range m.reports {
			if m.topic == t.number && m.reports[j].kind == k {
				all, of = append(all, &m.reports[j]), append(of, m)
			}
		}
	}
	if k == Self {
		for i, r := range all {
			a.add(a.selfSample(now, t, r, of[i]))
		}
		if counts {
			t.tally.expected++
			if len(all) == 0 {
				t.tally.Unknown++
			}
		}
		return
	}
	var there []*thing
	for i := range now.things {
		if now.things[i].kind == k {
			there = append(there, &now.things[i])
		}
	}
	said := make([]mgl64.Vec3, len(all))
	// positions of all things at the report's stamp, in the robot's frame at that time
	truths := make([][]mgl64.Vec3, len(all))
	for i, r := range all {
		said[i], truths[i] = a.placed(now, r, of[i], there)
	}
	columns := match(len(all), len(there), func(i, c int) float64 {
		d := over(said[i], truths[i][c])
		if d > a.cfg.Gate+gateGrows*math.Hypot(truths[i][c][0], truths[i][c][1]) {
			return math.Inf(1)
		}
		return d
	})
	found := make([]bool, len(there))
	for i, c := range columns {
		s := a.sample(now, t, k)
		s.Stamp, s.Delay, s.ID, s.Confidence = of[i].stamp, delayOf(of[i]), all[i].id, all[i].confidence
		s.SaidX, s.SaidY = said[i][0], said[i][1]
		if c < 0 {
			s.Outcome = False
			s.Distance, s.Bearing = math.Hypot(s.SaidX, s.SaidY), math.Atan2(s.SaidY, s.SaidX)
			s.TrueX, s.TrueY, s.TargetSpeed, s.Visible = math.NaN(), math.NaN(), math.NaN(), math.NaN()
			a.add(s)
			continue
		}
		found[c] = true
		s.Outcome = Hit
		s.about(there[c], truths[i][c])
		s.Counts = counts && a.expects(there[c])
		s.Swapped = a.swapped(t, all[i].id, there[c])
		a.add(s)
	}
	for c, x := range there {
		if found[c] || !counts || x.visible <= 0 || over(x.posB, mgl64.Vec3{}) > a.cfg.Range {
			continue
		}
		s := a.sample(now, t, k)
		s.Outcome, s.Delay = Miss, -1
		s.about(x, x.posB)
		s.SaidX, s.SaidY, s.Confidence = math.NaN(), math.NaN(), math.NaN()
		s.Counts = a.expects(x)
		a.add(s)
	}
}

// expects reports whether the vision must report a thing.
func (a *Assessment) expects(x *thing) bool {
	return x.visible >= a.cfg.Visible && over(x.posB, mgl64.Vec3{}) <= a.cfg.Range
}

// about makes x the thing of the sample. posB is the thing's true position in the robot's frame.
func (s *Sample) about(x *thing, posB mgl64.Vec3) {
	s.Name, s.Visible, s.Light = x.name, x.visible, x.light
	s.TargetSpeed = math.Hypot(x.velW[0], x.velW[1])
	s.TrueX, s.TrueY = posB[0], posB[1]
	s.Distance, s.Bearing = math.Hypot(posB[0], posB[1]), math.Atan2(posB[1], posB[0])
}

// sample returns a sample with the common fields set.
func (a *Assessment) sample(now *instant, t *topic, k Kind) Sample {
	r := &now.truth.Robots[a.robot]
	v := r.TwistWBInB()
	return Sample{
		Topic: t.number, Kind: k, Stamp: now.stamp, RobotX: r.PoseWB.Pos[0], RobotY: r.PoseWB.Pos[1],
		RobotHeading: r.PoseWB.Heading(),
		Speed:        math.Hypot(v.VX, v.VY), Turn: math.Abs(v.Omega), Light: a.eye.lightAt(&now.truth, now.frame),
		HeadingError: math.NaN(), Confidence: math.NaN(),
	}
}

// selfSample returns a sample of the robot's own pose.
func (a *Assessment) selfSample(now *instant, t *topic, r *report, m *message) Sample {
	s := a.sample(now, t, Self)
	s.Outcome, s.Name, s.Stamp, s.Delay, s.Confidence = Hit, a.cfg.Robot, m.stamp, delayOf(m), r.confidence
	truth := a.truthAt(now, m)
	p := truth.Robots[a.robot].PoseWB
	s.RobotX, s.RobotY, s.RobotHeading = p.Pos[0], p.Pos[1], p.Heading()
	s.TrueX, s.TrueY, s.Visible = p.Pos[0], p.Pos[1], math.NaN()
	x, y, heading := r.pos[0], r.pos[1], r.heading
	if r.frame == inTeam && a.turned() {
		x, y, heading = -x, -y, heading+math.Pi
	}
	s.SaidX, s.SaidY, s.HeadingError = x, y, math.Remainder(heading-p.Heading(), 2*math.Pi)
	return s
}

// turned reports whether the field frame of the robot's team is the map rotated by 180°, as for magenta.
func (a *Assessment) turned() bool { return a.world.Robots[a.robot].Team == physics.Magenta }

// truthAt returns the truth at a message's stamp. If the truth at that time is not stored, it returns the truth at the
// time of the frame.
func (a *Assessment) truthAt(now *instant, m *message) *physics.Snapshot {
	if m.stamp == now.stamp {
		return &now.truth
	}
	own := new(physics.Snapshot)
	if !a.past.at(m.stamp, own) {
		return &now.truth
	}
	return own
}

// placed returns the reported position and the true positions of the things, in the robot's frame at the message's
// stamp.
func (a *Assessment) placed(now *instant, r *report, m *message, things []*thing) (said mgl64.Vec3,
	truths []mgl64.Vec3) {
	truth := a.truthAt(now, m)
	poseBW := truth.Robots[a.robot].PoseWB.Inverse()
	said = r.pos
	switch {
	case r.frame == inTeam && a.turned():
		said = poseBW.Apply(mgl64.Vec3{-r.pos[0], -r.pos[1], r.pos[2]})
	case r.frame == inMap, r.frame == inTeam:
		said = poseBW.Apply(r.pos)
	case r.frame == inOptical:
		said = now.poseBC.Apply(r.pos)
	}
	truths = make([]mgl64.Vec3, len(things))
	for i, x := range things {
		if truths[i] = x.posB; truth != &now.truth {
			truths[i] = poseBW.Apply(a.placeOf(truth, x.name))
		}
	}
	return said, truths
}

// placeOf returns the position of the named thing in W.
func (a *Assessment) placeOf(truth *physics.Snapshot, name string) mgl64.Vec3 {
	for i := range a.world.Robots {
		if a.world.Robots[i].Name == name {
			return truth.Robots[i].PoseWB.Pos
		}
	}
	for i, o := range a.world.AllObstacles() {
		if o.Name == name {
			return truth.Obstacles[i].PoseWO.Pos
		}
	}
	return truth.Ball.PosW
}

// swapped reports whether a report confuses the thing x with another thing. It does if the reported name or team is not
// that of x, or if the same track last referred to another thing.
func (a *Assessment) swapped(t *topic, id string, x *thing) bool {
	switch {
	case id == "":
		return false
	case id == string(physics.Cyan), id == string(physics.Magenta):
		return id != x.team
	}
	if _, err := strconv.Atoi(id); err != nil {
		return id != x.name
	}
	key := track{t.number, id}
	before, known := a.tracks[key]
	if known || len(a.tracks) < mostSamples {
		a.tracks[key] = x.name
	}
	return known && before != x.name
}

// add stores a sample.
func (a *Assessment) add(s Sample) {
	if len(a.result.Samples) >= mostSamples {
		a.result.LeftOut++
		return
	}
	a.result.Samples = append(a.result.Samples, s)
}

// over returns the horizontal distance between two points.
func over(a, b mgl64.Vec3) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

// delayOf returns the sim time from a message's stamp to its arrival, or −1 if the message has no header.
func delayOf(m *message) time.Duration {
	if !m.stamped {
		return -1
	}
	return m.arrived - m.stamp
}

// match assigns rows to columns one to one. It makes as many assignments as possible. If there are several ways to do
// so, it chooses the way with the least sum of costs. A row and a column are never assigned to each other if their cost
// is NaN or infinite. match returns for each row the index of its column, or −1 if the row has none.
//
// Source: the Hungarian method with potentials, O(rows²·columns); Burkard, Dell'Amico and Martello, "Assignment
// Problems", SIAM 2009, section 4.4.
func match(rows, columns int, cost func(row, column int) float64) []int {
	of := make([]int, rows)
	for i := range of {
		of[i] = -1
	}
	if rows == 0 || columns == 0 {
		return of
	}
	// The cost of a forbidden pair: more than all permitted costs together. As many extra columns as rows allow each
	// row to remain unassigned.
	sum := 1.0
	for i := range rows {
		most := 0.0
		for k := range columns {
			if c := cost(i, k); !math.IsNaN(c) && !math.IsInf(c, 0) {
				most = math.Max(most, math.Abs(c))
			}
		}
		sum += most
	}
	n := columns + rows
	at := func(i, k int) float64 {
		if k < columns {
			if c := cost(i, k); !math.IsNaN(c) && !math.IsInf(c, 0) {
				return c
			}
			return 4 * sum
		}
		return 2 * sum
	}
	u, v := make([]float64, rows+1), make([]float64, n+1)
	// For each column, row is its row, and from is the column before it on the path. Both count from 1.
	row, from := make([]int, n+1), make([]int, n+1)
	least, done := make([]float64, n+1), make([]bool, n+1)
	for i := 1; i <= rows; i++ {
		row[0] = i
		for k := range least {
			least[k], done[k] = math.Inf(1), false
		}
		k0 := 0
		for row[k0] != 0 {
			done[k0] = true
			i0, delta, k1 := row[k0], math.Inf(1), 0
			for k := 1; k <= n; k++ {
				if done[k] {
					continue
				}
				if c := at(i0-1, k-1) - u[i0] - v[k]; c < least[k] {
					least[k], from[k] = c, k0
				}
				if least[k] < delta {
					delta, k1 = least[k], k
				}
			}
			for k := 0; k <= n; k++ {
				if done[k] {
					u[row[k]] += delta
					v[k] -= delta
				} else {
					least[k] -= delta
				}
			}
			k0 = k1
		}
		for k0 != 0 {
			row[k0] = row[from[k0]]
			k0 = from[k0]
		}
	}
	for k := 1; k <= columns; k++ {
		if i := row[k]; i > 0 && at(i-1, k-1) < 2*sum {
			of[i-1] = k - 1
		}
	}
	return of
}
