package task

import (
	"cmp"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/game"
)

const (
	// farDistance and fastSpeed are the distance, in m, and the speed, in m/s, that an observation gives as 1. They are
	// about the size of half a field and the speed of a fast robot.
	farDistance, fastSpeed = 10, 5
	// Limit bounds the numbers of an observation, to both sides.
	Limit = 3
)

// View writes what an agent observes into a row of numbers.
type View struct {
	// Sensors are the sensors of the agent's robot that the observation needs.
	Sensors []string

	task    *Task
	robot   int
	team    physics.Team
	drive   *physics.Drive
	truth   *physics.Snapshot
	game    func() game.State
	places  [][2]float64 // centres of the areas of Places, in W
	near    []nearby     // reused by see
	row     []float32
	objects []float32 // parts of row
	pose    []float32
	twist   []float32
	held    []float32
	laser   []float32
	playing []float32
}

// nearby is an object that vision reports.
type nearby struct {
	*abstraction.Detection
	distance2 float64 // square of its distance over the floor, m²
}

// NewView makes the view of an agent, given by its index. The row has as many numbers as there are columns. The values
// of truth and game stay up to date while the world runs.
func (t *Task) NewView(agent int, m *physics.Model, areas area.Areas, truth *physics.Snapshot, game func() game.State,
	row []float32) (*View, error) {
	i := robotIndex(m, t.Agents[agent])
	v := &View{task: t, robot: i, team: m.Robots[i].Team, drive: &m.Robots[i].Drive, truth: truth, game: game, row: row}
	o := &t.Observe
	for _, place := range o.Places {
		a, err := areas.Find(areaOf(place, v.team))
		if err != nil {
			return nil, err
		}
		x, y := a.Centre()
		v.places = append(v.places, [2]float64{x, y})
	}
	take := func(n int) (part []float32) {
		part, row = row[:n:n], row[n:]
		return part
	}
	needs := func(sensor string) {
		if sensor != "" && sensor != TrueState && !slices.Contains(v.Sensors, sensor) {
			v.Sensors = append(v.Sensors, sensor)
		}
	}
	if o.Objects != nil {
		n := 0
		for _, s := range o.Objects.slots() {
			n += s.count
		}
		v.objects = take(n * objectColumns)
		needs(o.Objects.Sensor)
	}
	if o.Pose != "" {
		v.pose = take(poseColumns + placeColumns*len(v.places))
		needs(o.Pose)
	}
	if o.Velocity != "" {
		v.twist = take(3)
		needs(o.Velocity)
	}
	if o.BallHeld {
		v.held = take(1)
	}
	if o.Laser != nil {
		v.laser = take(o.Laser.Sectors)
		needs(o.Laser.Sensor)
	}
	if o.Game {
		v.playing = take(4)
	}
	needs(o.Image)
	return v, nil
}

// Numbers of columns.
const (
	objectColumns = 6
	poseColumns   = 5
	placeColumns  = 3
)

// Look sets the columns that depend on the true state.
func (v *View) Look() {
	r := &v.truth.Robots[v.robot]
	if v.task.Observe.Pose == TrueState {
		v.setPose(&r.PoseWB)
	}
	if v.task.Observe.Velocity == TrueState {
		v.setTwist(r.TwistWBInB())
	}
	if v.held != nil {
		v.held[0] = flag(v.truth.Ball.HeldBy == v.robot)
	}
	if v.playing != nil {
		g := v.game()
		lead := g.Score.Cyan - g.Score.Magenta
		if v.team == physics.Magenta {
			lead = -lead
		}
		v.playing[0] = flag(g.Phase == game.Playing)
		v.playing[1] = flag(g.SetPiece != "" && g.Team == v.team)
		v.playing[2] = flag(g.SetPiece != "" && g.Team != v.team && g.Team != "")
		v.playing[3] = clip(float64(lead) / 3)
	}
}

// See sets the columns that depend on a sensor.
func (v *View) See(sensor string, o *sensors.Observation) {
	want := &v.task.Observe
	if o.Objects != nil {
		if want.Objects != nil && want.Objects.Sensor == sensor {
			v.setObjects(o.Objects)
		}
		if want.Pose == sensor && o.Objects.SelfKnown {
			v.setPose(&o.Objects.Self)
		}
	}
	switch r := o.Reading.(type) {
	case *sensors.OdometryReading:
		if want.Velocity == sensor {
			v.setTwist(r.TwistB)
		}
	case *sensors.LaserScan:
		if want.Laser != nil && want.Laser.Sensor == sensor {
			v.setLaser(r)
		}
		if want.Pose == sensor && r.PoseKnown {
			v.setPose(&r.PoseWB)
		}
	}
}

// setObjects sets the places of the nearest objects.
func (v *View) setObjects(list *abstraction.ObjectList) {
	clear(v.objects)
	into := v.objects
	for kind, s := range v.task.Observe.Objects.slots() {
		v.near = v.near[:0]
		for i := range list.Detections {
			if d := &list.Detections[i]; s.count > 0 && v.slotOf(d) == kind {
				v.near = append(v.near, nearby{d, d.PosB[0]*d.PosB[0] + d.PosB[1]*d.PosB[1]})
			}
		}
		slices.SortStableFunc(v.near, func(a, b nearby) int { return cmp.Compare(a.distance2, b.distance2) })
		for i := range min(s.count, len(v.near)) {
			d, to := v.near[i].Detection, into[i*objectColumns:]
			to[0] = 1
			setDirection(to[1:], d.PosB[0], d.PosB[1])
			to[4], to[5] = clip(d.VelB[0]/fastSpeed), clip(d.VelB[1]/fastSpeed)
		}
		into = into[s.count*objectColumns:]
	}
}

// slotOf returns the index of the list of Objects.slots to which an object belongs, or −1.
func (v *View) slotOf(d *abstraction.Detection) int {
	switch d.Kind {
	case abstraction.BallKind:
		return 0
	case abstraction.RobotKind:
		if d.Team == string(v.team) && d.Team != "" {
			return 1
		}
		return 2
	case abstraction.ObstacleKind:
		return 3
	}
	return -1
}

// setDirection sets a distance, and cosine and sine of a bearing.
func setDirection(to []float32, x, y float64) {
	d := math.Hypot(x, y)
	to[0], to[1], to[2] = clip(d/farDistance), 1, 0
	if d > 0 {
		to[1], to[2] = clip(x/d), clip(y/d)
	}
}

// setPose sets the own pose and the directions of places.
func (v *View) setPose(poseWB *spatial.Pose) {
	x, y, heading := poseWB.Pos[0], poseWB.Pos[1], poseWB.Heading()
	sin, cos := math.Sincos(heading)
	for i, p := range v.places {
		dx, dy := p[0]-x, p[1]-y
		setDirection(v.pose[poseColumns+placeColumns*i:], cos*dx+sin*dy, cos*dy-sin*dx)
	}
	if v.team == physics.Magenta { // W turned by 180°
		x, y, cos, sin = -x, -y, -cos, -sin
	}
	v.pose[0], v.pose[1], v.pose[2] = 1, clip(x/farDistance), clip(y/farDistance)
	v.pose[3], v.pose[4] = clip(cos), clip(sin)
}

func (v *View) setTwist(t physics.PlanarTwist) {
	v.twist[0], v.twist[1] = clip(t.VX/v.drive.MaxSpeed), clip(t.VY/v.drive.MaxSpeed)
	v.twist[2] = clip(t.Omega / v.drive.MaxOmega)
}

// setLaser sets the least distance in each sector. A sector without a measured distance has 1.
func (v *View) setLaser(scan *sensors.LaserScan) {
	for i := range v.laser {
		v.laser[i] = 1
	}
	n := len(scan.Ranges)
	for i, d := range scan.Ranges {
		s := &v.laser[i*len(v.laser)/n]
		*s = min(*s, clip(max(d, 0)/scan.Max))
	}
}

// StateColumns returns the names of the numbers of the true state: the ball's, and those of all robots and obstacles.
func StateColumns(m *physics.Model) (names []string) {
	add := func(of string, columns ...string) {
		for _, c := range columns {
			names = append(names, of+"."+c)
		}
	}
	add("ball", "x", "y", "z", "vx", "vy", "vz")
	for i := range m.Robots {
		add(m.Robots[i].Name, "x", "y", "cos", "sin", "vx", "vy", "omega")
	}
	for i := range m.Obstacles {
		add(m.Obstacles[i].Name, "x", "y", "cos", "sin", "vx", "vy", "omega")
	}
	return names
}

// PutState writes the true state, in W, into a row of numbers.
func PutState(row []float32, truth *physics.Snapshot) {
	for i, x := range truth.Ball.PosW {
		row[i], row[3+i] = clip(x/farDistance), clip(truth.Ball.TwistInW.Lin[i]/fastSpeed)
	}
	row = row[6:]
	body := func(pose *spatial.Pose, twist *spatial.Twist) {
		sin, cos := math.Sincos(pose.Heading())
		for i, x := range [...]float64{pose.Pos[0] / farDistance, pose.Pos[1] / farDistance, cos, sin,
			twist.Lin[0] / fastSpeed, twist.Lin[1] / fastSpeed, twist.Ang[2] / math.Pi} {
			row[i] = clip(x)
		}
		row = row[7:]
	}
	for i := range truth.Robots {
		body(&truth.Robots[i].PoseWB, &truth.Robots[i].TwistWBInW)
	}
	for i := range truth.Obstacles {
		body(&truth.Obstacles[i].PoseWO, &truth.Obstacles[i].TwistWOInW)
	}
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// clip returns a number of an observation. NaN becomes 0.
func clip(x float64) float32 {
	if x != x {
		return 0
	}
	return float32(max(-Limit, min(Limit, x)))
}
