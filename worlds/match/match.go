package match

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/radio"
	"github.com/omnipitch/omnipitch/worlds/referee"
	"github.com/omnipitch/omnipitch/worlds/task"
)

// Match is the part of a Director that users can access: the game and its referee, the coach, the world's events and
// expectations, and the radio between teammates.
//
// Any goroutine may call Send. OnDecision, OnEvent, OnVerdict, OnSpeech and OnRadio must be called before the first
// step. All other methods belong to the goroutine that steps, which also calls all registered functions.
type Match struct{ d *Director }

// Match returns the part of the Director that users can access.
func (d *Director) Match() Match { return Match{d} }

// Game returns the present state of the game.
func (m Match) Game() game.State { return m.d.officials.game.State() }

// Scoreboard returns the times and shots of the game.
func (m Match) Scoreboard() game.Scoreboard { return m.d.officials.board }

// StageLeft returns the time after which the automatic referee ends the present stage of the game at the latest: see
// referee.Referee.StageLeft. It returns 0 in a world without an automatic referee.
func (m Match) StageLeft() time.Duration {
	if r := m.d.officials.referee; r != nil {
		return r.StageLeft()
	}
	return 0
}

// Standings returns for each robot, in the model's order, whether it is on the field. The slice is valid until the next
// step.
func (m Match) Standings() []game.Standing { return m.d.Standings() }

// Coach returns the present instructions for a team's robots. The bool is false until the first command of the game is
// given, or until a coach gives a team its first instruction.
func (m Match) Coach(team physics.Team) (coach.Info, bool) {
	return m.d.coach.Info(team), m.d.coach.Speaks()
}

// Expectations returns the progress of the world's expectations, in their order.
func (m Match) Expectations() []expectation.Progress { return m.d.judge.Progress() }

// Verdicts returns a verdict for each expectation of the world, in the file's order. Those that are not decided yet are
// judged as if the run ended now. It belongs to the goroutine that steps.
func (m Match) Verdicts() []expectation.Verdict { return m.d.Verdicts() }

// Episode returns the progress of the world's task, or nil if the world has none. A restart begins another Episode.
func (m Match) Episode() *task.Episode { return m.d.episode }

// HoldExpectations delays the windows of the expectations for which which returns true, until ReleaseExpectations opens
// them at the present time. It changes only windows that count from time 0. A restart of the world ends the delay.
func (m Match) HoldExpectations(which func(*expectation.Expectation) bool) { m.d.judge.Hold(which) }

// ReleaseExpectations opens the windows that HoldExpectations delays, of the expectations for which which returns true.
func (m Match) ReleaseExpectations(which func(*expectation.Expectation) bool) {
	m.d.judge.Release(which)
}

// OnDecision registers f, which is called with each decision of the automatic referee, in the step whose state led to
// the decision. When f is called, the referee's orders have been carried out. Functions of OnStep are called
// afterwards. f may keep the decision.
func (m Match) OnDecision(f func(*referee.Decision)) {
	m.d.officials.onDecision = append(m.d.officials.onDecision, f)
}

// OnEvent registers f, which is called with each event of the world, in the step in which it happens. When f is called,
// the event's action has been carried out. Functions of OnStep are called afterwards. f must not change the event.
func (m Match) OnEvent(f func(*worlds.Event)) { m.d.onEvent = append(m.d.onEvent, f) }

// OnVerdict registers f, which is called with each verdict on an expectation, in the step that decides it. When the
// world restarts, f is also called for each undecided expectation, with the verdict that the end of the run would give.
func (m Match) OnVerdict(f func(expectation.Verdict)) { m.d.onVerdict = append(m.d.onVerdict, f) }

// OnSpeech registers f, which is called with what each robot says to people, in the step in which it speaks.
func (m Match) OnSpeech(f func(action.Speak)) { m.d.onSpeech = append(m.d.onSpeech, f) }

// Send sends a message by radio from a robot to its teammates. The next step transmits it. The topic must be a topic
// that the robot's radio relays, or empty for a plain message. The caller must not change data afterwards. Send fails
// for a robot without a radio, for other topics, and for more than 256 messages of a robot between two steps. It
// also fails if the simulation accepts no inputs (Simulation.Accepts).
func (m Match) Send(robot, topic string, data []byte) error { return m.d.send(robot, topic, data) }

// AppendRadioStatus appends the present state of each robot's radio, in the model's order, to a slice. For a robot
// without a radio it appends the zero Status.
func (m Match) AppendRadioStatus(all []radio.Status) []radio.Status {
	return m.d.radios.network.AppendStatus(all)
}

// OnRadio registers f, which is called with each message that reaches a robot by radio. It fails for a robot without a
// radio.
func (m Match) OnRadio(robot string, f Listener) error {
	i := m.d.robotIndex(robot)
	if i < 0 || m.d.world.Robots[i].Radio == nil {
		return fmt.Errorf("robot = %q: has no radio", robot)
	}
	m.d.radios.listeners[i] = append(m.d.radios.listeners[i], f)
	return nil
}
