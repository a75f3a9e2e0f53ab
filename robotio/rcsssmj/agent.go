package rcsssmj

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Limits of an agent; guesses.
const (
	maxMessage = 64 << 10         // size of an agent's message, bytes
	maxName    = 64               // length of a team's name
	maxQueued  = 16               // number of messages that wait for the agent; then it loses the oldest
	writeTime  = 30 * time.Second // wall time for an agent to accept one message
	silentTime = 5 * time.Second  // wall time after which an agent that has not joined makes room for others
)

// agent is a connection of a program that drives a robot.
type agent struct {
	server *Server
	conn   net.Conn
	place  admission.Conn
	start  time.Time
	joined atomic.Bool
	robot  *robot // nil until it has joined; belongs to the goroutine that reads
	ctx    context.Context
	cancel context.CancelFunc

	queue chan []byte // messages for the agent
	spare chan []byte // memory of messages that have been sent
}

func newAgent(s *Server, conn net.Conn) *agent {
	a := &agent{server: s, conn: conn, start: time.Now(), queue: make(chan []byte, maxQueued),
		spare: make(chan []byte, maxQueued)}
	a.ctx, a.cancel = context.WithCancel(s.ctx)
	addr, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
	a.place = admission.Conn{Addr: addr, Rank: a.rank, Close: conn.Close}
	return a
}

// rank returns the agent's rank for package admission.
func (a *agent) rank() admission.Rank {
	switch {
	case a.joined.Load():
		return admission.Unknown
	case time.Since(a.start) > silentTime:
		return admission.Stalled
	}
	return admission.Silent
}

// run serves the agent until it disconnects.
func (a *agent) run() {
	s := a.server
	stop := context.AfterFunc(a.ctx, func() { _ = a.conn.Close() })
	defer stop()
	var writing sync.WaitGroup
	var unsent error
	writing.Go(func() { unsent = a.write() })
	err := a.read()
	a.cancel()
	writing.Wait()
	if unsent != nil && s.ctx.Err() == nil {
		err = unsent
	}
	s.places.Leave(&a.place)
	switch {
	case a.robot != nil:
		s.leave(a.robot)
		s.sim.Clock().Lockstep().Changed()
		if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || s.ctx.Err() != nil {
			err = nil
		}
		if err == nil {
			s.cfg.Say(fmt.Sprintf("rcsssmj: the agent of %s has left", a.robot.name))
		} else {
			s.cfg.Say(fmt.Sprintf("rcsssmj: the agent of %s has left: %v", a.robot.name, err))
		}
	case err != nil && s.ctx.Err() == nil:
		s.cfg.Say(fmt.Sprintf("rcsssmj: an agent at %s is disconnected: %v", a.place.Addr, err))
	}
}

// read handles the agent's messages until one is unacceptable or the connection ends.
func (a *agent) read() error {
	var head [4]byte
	var message []byte
	for {
		if _, err := io.ReadFull(a.conn, head[:]); err != nil {
			return err
		}
		size := binary.BigEndian.Uint32(head[:])
		if size > maxMessage {
			return fmt.Errorf("it announces a message of %d bytes: must be at most %d", size, maxMessage)
		}
		message = slices.Grow(message[:0], int(size))[:size]
		if _, err := io.ReadFull(a.conn, message); err != nil {
			return err
		}
		if a.robot != nil {
			a.act(message)
		} else if err := a.join(message); err != nil {
			return err
		}
	}
}

// join handles the agent's first message.
func (a *agent) join(message []byte) (err error) {
	const rule = "its first message must be (init MODEL TEAM NUMBER)"
	s, found := a.server, false
	parsed := expressions(message, func(fields [][]byte) {
		if found || err != nil {
			return
		}
		if len(fields) != 4 || string(fields[0]) != "init" {
			err = errors.New(rule)
			return
		}
		team := string(fields[2])
		number, bad := strconv.Atoi(string(fields[3]))
		if bad != nil || number < 1 || len(team) > maxName || !printable(team) {
			err = fmt.Errorf("%s, with a team of at most %d printable characters and a number from 1", rule, maxName)
			return
		}
		if a.robot, err = s.join(a, team, number); err == nil {
			found = true
			s.cfg.Say(fmt.Sprintf("rcsssmj: an agent of team %s, made for a %.20q, drives %s", team, fields[1], a.robot.name))
		}
	})
	switch {
	case err != nil || found:
	case parsed != nil:
		err = fmt.Errorf("%s: %w", rule, parsed)
	default:
		err = errors.New(rule)
	}
	if err == nil {
		a.joined.Store(true)
		s.sim.Clock().Lockstep().Changed()
	}
	return err
}

// printable reports whether a text has only printable ASCII characters.
func printable(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// act carries out a message with effectors. Of several for the same part, the last one counts. The message
// also counts as the robot's answer at speed lockstep.
func (a *agent) act(message []byte) {
	r, sim := a.robot, a.server.sim
	refuse := func(err error) {
		if err != nil && !errors.Is(err, omnipitch.ErrClosed) {
			a.server.cfg.Refused(fmt.Errorf("robot %s: rcsssmj: %w", r.name, err))
		}
	}
	moved := motion{robot: r, action: action.MoveJoints{Robot: r.name}}
	var place *action.Place
	var said []byte
	if sim.Match().Wired(r.name) {
		refuse(expressions(message, func(fields [][]byte) {
			var err error
			switch name := string(fields[0]); {
			case name == "syn":
			case name == "beam" && len(fields) == 4:
				place, err = a.beam(fields)
			case name == "SPK" && len(fields) == 4:
				said, err = a.speech(fields)
			default:
				err = moved.take(fields)
			}
			refuse(err)
		}))
	}
	var actions []action.Action
	if place != nil {
		actions = append(actions, place)
	}
	if len(moved.action.Joints) > 0 {
		actions = append(actions, &moved.action)
	}
	if len(actions) > 0 {
		refuse(sim.Post(refuse, actions...))
	}
	if said != nil {
		refuse(sim.Match().Send(r.name, "", said))
	}
	sim.Clock().Lockstep().Command(r.name)
}

// motion collects the motor effectors of a message: commands of several joints.
type motion struct {
	robot  *robot
	action action.MoveJoints
	given  []int // motors, in the order of the action's joints
}

// take takes a motor effector: (NAME POSITION VELOCITY KP KD TORQUE), in degrees and degrees per second, with gains in
// N m per radian. It fails if the robot has no such motor.
func (m *motion) take(fields [][]byte) error {
	if len(fields) != 6 {
		return fmt.Errorf("%.20q: no such effector", fields[0])
	}
	i := slices.IndexFunc(m.robot.motors, func(o motor) bool { return o.name == string(fields[0]) })
	var v [5]float64
	switch {
	case i < 0:
		return fmt.Errorf("%.20q: the robot has no such motor", fields[0])
	case !numbers(fields[1:], v[:]):
		return fmt.Errorf("%s: must be five finite numbers", fields[0])
	}
	j := &m.robot.joints[m.robot.motors[i].joint]
	at, to := slices.Index(m.given, i), &m.action
	if at < 0 {
		at, m.given = len(m.given), append(m.given, i)
		to.Joints = append(to.Joints, j.Name)
		for _, list := range []*[]float64{&to.Positions, &to.Velocities, &to.Efforts, &to.Stiffness, &to.Damping} {
			*list = append(*list, 0)
		}
	}
	to.Positions[at] = mgl64.Clamp(mgl64.DegToRad(v[0]), j.Lower, j.Upper) // the league's joints stop there
	to.Velocities[at], to.Efforts[at] = mgl64.DegToRad(v[1]), v[4]
	to.Stiffness[at], to.Damping[at] = max(v[2], 0), max(v[3], 0)
	return nil
}

// beam places the robot in its own half: (beam X Y HEADING), as the left team sees the field in x and in the heading.
// It fails during play, during set pieces, and for a robot that has been sent off.
func (a *agent) beam(fields [][]byte) (*action.Place, error) {
	var v [3]float64
	switch {
	case !numbers(fields[1:], v[:]):
		return nil, errors.New("beam: must be three finite numbers")
	case !a.robot.beams.Load():
		return nil, errors.New("beam: allowed only on the field, while play is stopped without a set piece")
	}
	p := &action.Place{Name: a.robot.name, X: -math.Abs(v[0]), Y: v[1], Heading: mgl64.DegToRad(v[2])}
	if a.robot.team == physics.Magenta {
		p.X, p.Heading = -p.X, p.Heading+math.Pi
	}
	return p, nil
}

// speech returns what a robot says to its teammates, by its radio: (SPK NAME VOLUME BASE64). The volume has no effect.
func (a *agent) speech(fields [][]byte) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(string(fields[3]))
	switch {
	case err != nil:
		return nil, fmt.Errorf("SPK: %w", err)
	case len(data) > maxSaid:
		return nil, fmt.Errorf("SPK: a message of %d bytes: must be at most %d", len(data), maxSaid)
	case !a.robot.radio:
		return nil, errors.New("SPK: the robot has no radio")
	}
	return data, nil
}

// push queues a copy of a message. It never blocks. If the queue is full, the oldest message is dropped.
func (a *agent) push(message []byte) {
	var b []byte
	select {
	case b = <-a.spare:
	default:
	}
	b = append(binary.BigEndian.AppendUint32(b[:0], uint32(len(message))), message...)
	for {
		select {
		case a.queue <- b:
			return
		default:
		}
		select {
		case oldest := <-a.queue:
			a.reuse(oldest)
		default:
		}
	}
}

// reuse keeps the memory of a message for another one.
func (a *agent) reuse(b []byte) {
	select {
	case a.spare <- b:
	default:
	}
}

// write sends the queued messages. It fails if the agent accepts none for a long time.
func (a *agent) write() error {
	defer a.cancel()
	for {
		select {
		case b := <-a.queue:
			if err := a.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
				return nil // the connection has ended
			}
			if _, err := a.conn.Write(b); errors.Is(err, os.ErrDeadlineExceeded) {
				return fmt.Errorf("it has accepted no message for %v", writeTime)
			} else if err != nil {
				return nil
			}
			a.reuse(b)
		case <-a.ctx.Done():
			return nil
		}
	}
}
