package omnipitch

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/player"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// Match is the part of a Sim's API for teams and the game: the game and its referee, the coach, the world's events and
// expectations, and the connections of the robots' programs by radio and wire.
//
// Any goroutine may call Send and Wired. OnDecision, OnEvent, OnVerdict and OnRadio must be called before the first
// step. All other methods belong to the goroutine that steps, which also calls all registered functions.
type Match struct{ sim *Sim }

// Match returns the part of the API for teams and the game.
func (s *Sim) Match() Match { return Match{s} }

// Game returns the present state of the game.
func (m Match) Game() game.State { return m.sim.officials.game.State() }

// Standings returns for each robot, in the model's order, whether it is on the field. The slice is valid until the next
// step.
func (m Match) Standings() []game.Standing { return m.sim.officials.roster.Standings() }

// Coach returns the present instructions for a team's robots. The bool is false until the first command of the game is
// given, or a coach gives a team the first instruction.
func (m Match) Coach(team physics.Team) (coach.Info, bool) {
	return m.sim.coach.Info(team), m.sim.coach.Speaks()
}

// Expectations returns the progress of the world's expectations, in their order.
func (m Match) Expectations() []expectation.Progress { return m.sim.judge.Progress() }

// OnDecision registers f, which is called with each decision of the automatic referee, in the step whose state led to
// the decision. When f is called, the referee's orders have been carried out. Functions of OnStep are called
// afterwards. f may keep the decision.
func (m Match) OnDecision(f func(*referee.Decision)) {
	m.sim.officials.onDecision = append(m.sim.officials.onDecision, f)
}

// OnEvent registers f, which is called with each event of the world, in the step in which it happens. When f is called,
// the event's action has been carried out. Functions of OnStep are called afterwards. f must not change the event.
func (m Match) OnEvent(f func(*worlds.Event)) { m.sim.onEvent = append(m.sim.onEvent, f) }

// OnVerdict registers f, which is called with the same verdicts as Options.OnVerdict, and after it.
func (m Match) OnVerdict(f func(expectation.Verdict)) { m.sim.onVerdict = append(m.sim.onVerdict, f) }

// Send sends a message by radio from a robot to its teammates. The next step transmits it. The topic must be a topic
// that the robot's radio relays, or empty for a plain message. The caller must not change data afterwards. Send fails
// for a robot without a radio, for other topics, and for more than 256 messages of a robot between two steps. It
// returns ErrClosed after Close, and ErrReplaying during a replay.
func (m Match) Send(robot, topic string, data []byte) error { return m.sim.send(robot, topic, data) }

// OnRadio registers f, which is called with each message that reaches a robot by radio. It fails for a robot without a
// radio.
func (m Match) OnRadio(robot string, f RadioListener) error {
	i := m.sim.robotIndex(robot)
	if i < 0 || m.sim.world.Robots[i].Radio == nil {
		return fmt.Errorf("robot = %q: has no radio", robot)
	}
	m.sim.radios.listeners[i] = append(m.sim.radios.listeners[i], f)
	return nil
}

// Wired reports whether a robot is connected to its programs. Actions CutWires and RestoreWires disconnect and connect
// a robot. Wires accept no commands for a disconnected robot, and deliver none of its observations.
func (m Match) Wired(robot string) bool { return m.sim.commands.wired(robot) }

// PlayerWaypoints appends the next waypoints of a robot's scripted player to a slice, and returns the longer slice. The
// waypoints are in driving order: x and y in W, in m. It appends nothing for a robot without a scripted player. The
// robot is given by its index in the model.
func (m Match) PlayerWaypoints(robot int, into []mgl64.Vec2) []mgl64.Vec2 {
	c := &m.sim.commands
	c.mu.Lock()
	defer c.mu.Unlock()
	if started := c.slots[robot].player; started != nil {
		if p, ok := started.Player.(player.Planner); ok {
			return p.Plan(&m.sim.truth, into)
		}
	}
	return into
}
