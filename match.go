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

// Match is what a Sim knows about robots and teams besides their bodies: the game and its referee, the coach, the
// world's events and expectations, and the radios and wires of the robots' programs.
//
// Any goroutine may call Send and Wired. OnDecision, OnEvent, OnVerdict and OnRadio must be called before the first
// step. All other methods belong to the goroutine that steps, which also calls all listeners.
type Match struct{ sim *Sim }

// Match returns the game, the coach, events, expectations and radios.
func (s *Sim) Match() Match { return Match{s} }

// Game returns the present state of the game.
func (m Match) Game() game.State { return m.sim.officials.game.State() }

// Standings returns for each robot, in the model's order, whether it is on the field. They are valid until the next
// step.
func (m Match) Standings() []game.Standing { return m.sim.officials.roster.Standings() }

// Coach returns the present instructions for a team's robots. It returns false until somebody has commanded the game or
// told a team something.
func (m Match) Coach(team physics.Team) (coach.Info, bool) {
	return m.sim.coach.Info(team), m.sim.coach.Speaks()
}

// Expectations returns the progress of the world's expectations, in their order.
func (m Match) Expectations() []expectation.Progress { return m.sim.judge.Progress() }

// OnDecision calls f with each decision of the automatic referee, in the step that it is based on. The orders of the
// referee have then been carried out; functions of OnStep follow. f may keep the decision.
func (m Match) OnDecision(f func(*referee.Decision)) {
	m.sim.officials.onDecision = append(m.sim.officials.onDecision, f)
}

// OnEvent calls f with each event of the world, in the step in which it happens. The action of the event has then been
// carried out; functions of OnStep follow. f must not change the event.
func (m Match) OnEvent(f func(*worlds.Event)) { m.sim.onEvent = append(m.sim.onEvent, f) }

// OnVerdict calls f for each expectation of the world that is decided, after Options.OnVerdict.
func (m Match) OnVerdict(f func(expectation.Verdict)) { m.sim.onVerdict = append(m.sim.onVerdict, f) }

// Send sends a message by radio from a robot to its teammates. The next step takes it. topic is one that the robot's
// radio relays, or empty for a plain message. data must not change afterwards. Send fails for a robot without a radio
// and for more than 256 messages of a robot between two steps. It returns ErrClosed after Close.
func (m Match) Send(robot, topic string, data []byte) error { return m.sim.send(robot, topic, data) }

// OnRadio calls f with each message that reaches a robot by radio.
func (m Match) OnRadio(robot string, f RadioListener) error {
	i := m.sim.robotIndex(robot)
	if i < 0 || m.sim.world.Robots[i].Radio == nil {
		return fmt.Errorf("robot = %q: has no radio", robot)
	}
	m.sim.radios.listeners[i] = append(m.sim.radios.listeners[i], f)
	return nil
}

// Wired reports whether a robot is connected to its programs. Wires accept no commands for a robot that is not, and
// deliver none of its observations.
func (m Match) Wired(robot string) bool { return m.sim.commands.wired(robot) }

// PlayerWaypoints appends to into the points that a robot's scripted player is about to drive to, in their order: x and
// y in W, metres. A robot without a scripted player has none. robot is its index in the model.
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
