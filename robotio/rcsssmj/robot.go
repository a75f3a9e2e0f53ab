package rcsssmj

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// robot is a robot that an agent may drive.
type robot struct {
	server *Server
	index  int // in the world
	name   string
	team   physics.Team
	number int
	motors []motor
	joints []physics.Joint
	radio  bool
	poseBS spatial.Pose // of its imu

	agent    atomic.Pointer[agent]
	beams    atomic.Bool  // whether its agent may beam it
	sessions atomic.Int64 // number of agents that it has had

	// Used by the goroutine that steps only: what its sensors have reported since the last message.
	inertia, touches, angles, see, heard []byte
	message                              []byte
	sounds                               int   // number of messages in heard
	session                              int64 // number of the agent that the reports are for
}

// newRobot returns the robot with an index in the world, or nil if agents cannot drive it: it needs an imu, encoders
// and a motor that agents know.
func (s *Server) newRobot(index int) (*robot, error) {
	w := s.sim.World()
	of, model := &w.Robots[index], s.model.Robots[index]
	r := &robot{server: s, index: index, name: of.Name, team: of.Team, number: of.Number, joints: model.Joints,
		motors: motorsOf(w, &model), radio: of.Radio != nil}
	first := func(kinds ...sensors.Kind) int {
		return slices.IndexFunc(of.Sensors, func(c sensors.Config) bool { return slices.Contains(kinds, c.Kind) })
	}
	imu, joints := first("imu"), first("joints")
	if imu < 0 || joints < 0 || len(r.motors) == 0 {
		return nil, nil
	}
	r.poseBS = of.Sensors[imu].Mount.Pose()
	if err := s.listen(r, of.Sensors[imu].Name, nil, r.feel); err != nil {
		return nil, err
	}
	err := s.listen(r, of.Sensors[joints].Name, nil, func(o *sensors.Observation) {
		r.sense(o)
		r.send(o.Stamp)
	})
	if err != nil {
		return nil, err
	}
	if feet := first("feet"); feet >= 0 {
		if err := s.listen(r, of.Sensors[feet].Name, nil, r.tread); err != nil {
			return nil, err
		}
	}
	if camera := first(sensors.OmniKind, sensors.CameraKind, sensors.KinectKind, sensors.StereoKind); camera >= 0 {
		if err := s.listen(r, of.Sensors[camera].Name, perceives, r.look); err != nil {
			return nil, err
		}
	}
	if r.radio {
		if err := s.sim.Match().OnRadio(r.name, r.hear); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// perceives reports whether cameras at a level report objects.
func perceives(l abstraction.Level) bool { return l == abstraction.Objects || l == abstraction.Truth }

// wanted reports whether an agent would get a message.
func (r *robot) wanted() bool { return r.agent.Load() != nil && r.server.sim.Match().Wired(r.name) }

// renew drops what the sensors have reported for an earlier agent.
func (r *robot) renew() {
	if n := r.sessions.Load(); n != r.session {
		r.session, r.sounds = n, 0
		for _, report := range []*[]byte{&r.inertia, &r.touches, &r.angles, &r.see, &r.heard} {
			*report = (*report)[:0]
		}
	}
}

// feel takes the rates and accelerations of the imu.
func (r *robot) feel(o *sensors.Observation) {
	u, ok := o.Reading.(*sensors.IMUReading)
	if !ok { // of a sensor that a Go program has plugged in
		return
	}
	b := append(r.inertia[:0], "(GYR (n torso_gyro) (rt"...)
	for _, rate := range u.GyroS {
		b = appendNumbers(b, 2, mgl64.RadToDeg(rate))
	}
	b = appendNumbers(append(b, "))(ACC (n torso_acc) (a"...), 2, u.AccelS[:]...)
	r.inertia = append(b, "))"...)
}

// tread takes the forces on the feet. A foot touches something if the force is 1 N, as in the league.
func (r *robot) tread(o *sensors.Observation) {
	u, ok := o.Reading.(*sensors.FeetReading)
	if !ok {
		return
	}
	r.touches = r.touches[:0]
	for i, name := range [...]string{"lfoot", "rfoot"} {
		active := byte('0')
		if u.Force[i] >= 1 {
			active = '1'
		}
		r.touches = append(append(append(append(r.touches, "(TCH n "...), name...), " val "...), active, ')')
	}
}

// sense takes the angles and rates of the joints.
func (r *robot) sense(o *sensors.Observation) {
	u, ok := o.Reading.(*sensors.JointsReading)
	if !ok || len(u.Joints) != len(r.joints) {
		return
	}
	r.angles = r.angles[:0]
	for i := range r.motors {
		m := &r.motors[i]
		j := &u.Joints[m.joint]
		b := append(append(append(r.angles, "(HJ (n "...), m.sense...), ")(ax"...)
		b = append(appendNumbers(b, 2, mgl64.RadToDeg(j.Position)), ")(vx"...)
		r.angles = append(appendNumbers(b, 2, mgl64.RadToDeg(j.Velocity)), "))"...)
	}
}

// look takes what the camera reports.
func (r *robot) look(o *sensors.Observation) {
	if o.Objects == nil {
		return
	}
	e := eye{landmarks: r.server.landmarks, robots: r.server.sim.World().Robots, teams: r.server.teamNames()}
	r.see = e.append(r.see[:0], o, r.server.sim.Truth().Robots[r.index].PoseWB)
}

// Limits of the league's sound: the length of a message in bytes, and the number of messages of a cycle that a robot
// hears. The league keeps the loudest ones, and this package the first ones.
const (
	maxSaid  = 10
	maxHeard = 3
)

// hear takes a message that has reached the robot's radio.
func (r *robot) hear(_ string, m *radio.Message) {
	r.renew()
	if len(m.Data) > maxSaid || r.sounds == maxHeard || !r.wanted() {
		return
	}
	truth := r.server.sim.Truth()
	from := truth.Robots[r.index].PoseWB.Inverse().Apply(truth.Robots[m.From].PoseWB.Pos)
	if r.sounds == 0 {
		r.heard = append(r.heard, "(MIC hear "...)
	}
	r.sounds++
	r.heard = fmt.Appendf(r.heard, "(%d %s)", int(mgl64.RadToDeg(math.Atan2(from[1], from[0]))),
		base64.StdEncoding.EncodeToString(m.Data))
}

// send sends a message to the agent, with the newest report of each sensor.
func (r *robot) send(now time.Duration) {
	a := r.agent.Load()
	if a == nil || len(r.inertia) == 0 || len(r.angles) == 0 || !r.wanted() {
		return
	}
	s := r.server
	b := append(appendNumber(append(r.message[:0], "(time (now "...), now.Seconds(), 2), "))"...)
	b = s.view.append(b, s.teamNames(), now)
	if s.sim.World().RCSSSMJ.TruePose {
		poseWS := s.sim.Truth().Robots[r.index].PoseWB.Mul(r.poseBS)
		q := poseWS.Rot
		b = appendNumbers(append(b, "(quat (n torso_quat) (q"...), 3, q.W, q.V[0], q.V[1], q.V[2])
		b = appendNumbers(append(b, "))(pos (n torso_pos) (p"...), 3, poseWS.Pos[:]...)
		b = append(b, "))"...)
	}
	b = append(append(append(append(b, r.inertia...), r.touches...), r.angles...), r.see...)
	if r.sounds > 0 {
		b = append(append(b, r.heard...), ')')
	}
	r.message, r.see, r.heard, r.sounds = b, r.see[:0], r.heard[:0], 0
	a.push(b)
}

// Missing implements lockstep.Connection.
func (r *robot) Missing() ([]string, int64) {
	if r.agent.Load() == nil {
		return []string{fmt.Sprintf("an agent with number %d of %s at %v", r.number, r.team, r.server.Addr())}, 0
	}
	return nil, r.sessions.Load()
}

// Pending implements lockstep.Connection.
func (r *robot) Pending() string { return "" }

// roster gives robots to agents.
type roster struct {
	mu     sync.Mutex
	robots []*robot
	teams  [2]string // names of the left and the right team; "" for one that has no agent
	shown  atomic.Pointer[[2]string]
}

// teamNames returns the names of the teams.
func (t *roster) teamNames() [2]string {
	if p := t.shown.Load(); p != nil {
		return *p
	}
	return [2]string{}
}

// join gives an agent the robot with a number in a team. It fails if both teams have other names, if the team has no
// such robot, or if another agent drives it.
func (t *roster) join(a *agent, team string, number int) (*robot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	teams, at := t.teams, slices.Index(t.teams[:], team)
	if at < 0 {
		if at = slices.Index(t.teams[:], ""); at < 0 {
			return nil, fmt.Errorf("team %s: the teams are %s and %s", team, teams[0], teams[1])
		}
		teams[at] = team
	}
	i := slices.IndexFunc(t.robots, func(r *robot) bool { return side(r.team) == at && r.number == number })
	switch {
	case i < 0:
		return nil, fmt.Errorf("team %s: has no robot with number %d that an agent can drive", team, number)
	case t.robots[i].agent.Load() != nil:
		return nil, fmt.Errorf("robot %s: another agent drives it", t.robots[i].name)
	}
	t.teams = teams
	t.shown.Store(&teams)
	r := t.robots[i]
	r.sessions.Add(1)
	r.agent.Store(a)
	return r, nil
}

// leave takes an agent's robot from it. Without an agent, a team's place is free for one with another name.
func (t *roster) leave(r *robot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.agent.Store(nil)
	if slices.ContainsFunc(t.robots, func(o *robot) bool { return o.team == r.team && o.agent.Load() != nil }) {
		return
	}
	t.teams[side(r.team)] = ""
	teams := t.teams
	t.shown.Store(&teams)
}
