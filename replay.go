package omnipitch

import (
	"errors"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds"
)

// ReplaySource replays a recorded run in a Sim: it returns the recorded inputs, and can move the Sim to other times of
// the run.
type ReplaySource interface {
	// Next returns the next recorded input, if that input belongs to the given moment of the given step. Otherwise it
	// returns nil. The goroutine that steps calls Next repeatedly until it returns nil. A restart sets the count of
	// steps to 0; Next returns no input of the restarted world before Options.NewEngine has been called for it. The
	// Input is valid until the next call of Next. If Next fails, Sim.Step returns the error.
	Next(step int64, moment Moment) (*Input, error)
	// Steps returns the number of steps that the recorded run took between its last restart and the next one.
	Steps() int64
	// Over reports whether the replay is over. The Sim then accepts external inputs again. Any goroutine may call it.
	Over() bool
	// BeforeStep is called by the goroutine that steps before each step. While a run is paused, it is also called after
	// each Poke of the clock. It may call Replay.Skip, during which it is not called again. If it fails, Sim.Step
	// returns the error. Sim.Run ends without an error if the error is ErrEnd, and takes no step if the error is
	// ErrHold.
	BeforeStep() error
}

// ErrReplaying is returned by methods that would change a run whose inputs come from a ReplaySource.
var ErrReplaying = errors.New("a recording is played, which nothing from outside changes")

// ErrEnd is returned by ReplaySource.BeforeStep to end a run.
var ErrEnd = errors.New("the run is over")

// ErrHold is returned by ReplaySource.BeforeStep after it has paused the clock. The run then takes no step.
var ErrHold = errors.New("the run stays where it is")

// Replay is the part of a Sim's API for recordings and replays: it saves and restores key frames, and moves the Sim to
// other times of a run. Its methods belong to the goroutine that steps, between two steps.
type Replay struct{ sim *Sim }

// Replay returns the part of the API for recordings and replays.
func (s *Sim) Replay() Replay { return Replay{s} }

// skipping is the state of Replay.Skip.
type skipping struct {
	left         func() time.Duration // remaining sim time to skip; nil: the Sim does not skip
	inBeforeStep bool                 // ReplaySource.BeforeStep is running
}

// Skip calls the function move, which moves the Sim to another time by calls of RestartNow, RestoreKeyFrame and Step,
// in any order. During this call, no listener, timer or tick function is called, and events neither change the speed of
// the run nor end it. The function left returns the sim time that remains to be skipped after the present state. Each
// step calls left. Frames that would be delivered within this time are neither rendered nor perceived.
//
// When move has returned, the clock jumps to the time of the Sim. Functions of Clock.OnTick receive the last tick up to
// this time, and listeners of levels receive the level of each sensor. Timers keep their remaining time. If the Sim is
// at time 0, this state is announced. After an error the Sim can only be closed.
func (r Replay) Skip(left func() time.Duration, move func() error) error {
	s := r.sim
	paused := s.clock.Paused()
	s.skip.left = left
	err := move()
	s.skip.left = nil
	if err != nil {
		return err
	}
	if !paused { // an event may have paused the clock
		s.clock.Resume()
	}
	s.clock.jump()
	s.pipeline.ResumeDelivery(s.world.Time.Step)
	s.clock.ticks.repeat()
	if !s.begun { // as in the first step of a run, inputs come before the announcement
		if err := s.takeBeforeStep(); err != nil {
			return err
		}
	}
	return s.announceStart()
}

// RestartNow restarts with a world immediately, as Restart does before the next step. Only the function move of Skip
// may call it. After an error the Sim can only be closed.
func (r Replay) RestartNow(world *worlds.World) error {
	s := r.sim
	if s.isClosed() {
		return ErrClosed
	}
	if world != s.world {
		if err := s.canRestart(world); err != nil {
			return err
		}
	}
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	s.dropPending()
	return s.restart(world)
}

// Restarting reports whether Restart has been called and the next step will restart the world.
func (r Replay) Restarting() bool { return r.sim.inputs.world.Load() != nil }

// SetReplayLevel gives a sensor another level than in the recorded run, from its next frame on. The level holds until
// the recorded run switches the sensor, or until RestoreKeyFrame. The motion of bodies does not depend on the level,
// since the replay contains the exact states of the bodies. SetReplayLevel fails if the Sim does not replay.
func (r Replay) SetReplayLevel(robot, sensor string, level abstraction.Level) error {
	if !r.sim.inputs.closed() {
		return errors.New("a run has levels, which an action sets")
	}
	return r.sim.pipeline.Set(robot, sensor, &level, nil)
}

// OnStepEnd registers f, which is called at the end of every step, after all due observations have been delivered. It
// must be called before the first step.
func (r Replay) OnStepEnd(f func()) { r.sim.listeners.stepEnd = append(r.sim.listeners.stepEnd, f) }

// AppendKeyFrame appends a key frame to a buffer. A key frame is the exact state of everything except the bodies, whose
// state Truth returns. A Sim that is given the key frame (RestoreKeyFrame), the state of the bodies and the inputs of
// later steps continues exactly as this Sim does. A function of OnStepEnd may call AppendKeyFrame. When AppendKeyFrame
// returns, Options.OnInput has received exactly the inputs that the key frame contains. Between Restart and the next
// step, AppendKeyFrame appends nothing.
//
// A key frame contains no images. If images are still being rendered, it contains the state that they show, so that
// RestoreKeyFrame can render them again. A key frame contains no frames of sensors and levels that a Go program has
// added. Frames of theirs that are not yet delivered are lost, and so is the frame that such a sensor repeats while it
// is frozen.
func (r Replay) AppendKeyFrame(to []byte) []byte { return r.sim.appendKeyFrame(to) }

// RestoreKeyFrame restores the state of a key frame; the next step continues from this state. The Sim must have the
// same world as the Sim that appended the key frame. The argument state is the state of the bodies at the time of the
// key frame. The caller must also set the physics engine to this state. Listeners, timers and connections stay.
// Undelivered observations are dropped, and so are commands, levels, faults and restarts that no step has taken.
// Functions of OnStep are not called with this state.
//
// RestoreKeyFrame returns an error, and changes nothing, if the key frame is of another world, seed or version, or of
// another step than the argument state. After any other error the Sim can only be closed. Such errors come from damaged
// key frames, and from images that this machine cannot render (render.ErrNoContext).
func (r Replay) RestoreKeyFrame(data []byte, state *physics.Snapshot) error {
	return r.sim.restoreKeyFrame(data, state)
}

// AppendState appends the exact state of the Sim to a buffer: a key frame with the state of the bodies. A Sim of the
// same world that is given it (RestoreState) and the same inputs continues with the same bits. What AppendKeyFrame
// leaves out is left out. So are commands that no step has taken yet.
//
// It fails between Restart and the next step, and for a world whose engine cannot save its state: one with a drive at
// level rollers, or the bodies of a recording.
func (r Replay) AppendState(to []byte) ([]byte, error) {
	engine, err := r.keeper()
	if err != nil {
		return to, err
	}
	frame := r.AppendKeyFrame(nil)
	if len(frame) == 0 {
		return to, errors.New("the world restarts with the next step: take it first")
	}
	c := keyframe.Append(to)
	c.Bytes(&frame)
	c.Value(&r.sim.truth)
	err = engine.Exchange(c)
	return c.Data(), err
}

// RestoreState restores what AppendState has appended: see RestoreKeyFrame. It sets the physics engine, too. It fails,
// and changes nothing, if the state is of another world or seed. After any other error the Sim can only be closed.
func (r Replay) RestoreState(data []byte) error {
	engine, err := r.keeper()
	if err != nil {
		return err
	}
	c := keyframe.Restore(data)
	var frame []byte
	var state physics.Snapshot
	c.Bytes(&frame)
	c.Value(&state)
	if err := c.Err(); err != nil {
		return err
	}
	if err := r.sim.restoreKeyFrame(frame, &state); err != nil {
		return err
	}
	if err := engine.Exchange(c); err != nil {
		return err
	}
	return c.End()
}

// keeper returns the engine if it can save its state.
func (r Replay) keeper() (physics.Keeper, error) {
	if r.sim.isClosed() {
		return nil, ErrClosed
	}
	if r.sim.inputs.source != nil {
		return nil, ErrReplaying
	}
	engine, ok := r.sim.engine.(physics.Keeper)
	if !ok {
		return nil, errors.New("the physics engine cannot save its state")
	}
	return engine, nil
}

// beforeStep calls ReplaySource.BeforeStep. It does nothing without a ReplaySource, or if BeforeStep is running
// already.
func (s *Sim) beforeStep() error {
	if s.inputs.source == nil || s.skip.inBeforeStep {
		return nil
	}
	s.skip.inBeforeStep = true
	defer func() { s.skip.inBeforeStep = false }()
	return s.inputs.source.BeforeStep()
}

// hidden reports whether Replay.Skip is running. The steps that it takes are hidden from listeners and timers.
func (s *Sim) hidden() bool { return s.skip.left != nil }

// skipFrames tells the pipeline the sim time until which frames have no receiver and need not be rendered.
func (s *Sim) skipFrames() {
	if s.hidden() {
		s.pipeline.Skip(s.truth.Time + max(s.skip.left(), 0))
	}
}

// jump sets the clock to the time of the present state. It does nothing during Replay.Skip.
func (s *Sim) jump() {
	if !s.hidden() {
		s.clock.jump()
	}
}

// appendKeyFrame implements Replay.AppendKeyFrame.
func (s *Sim) appendKeyFrame(to []byte) []byte {
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	s.tellDone(BeforeStep)
	if s.inputs.world.Load() != nil {
		return to
	}
	c := keyframe.Append(to)
	h := keyFrameHead{s.fingerprint(), s.truth.Step, s.truth.Time}
	h.Exchange(c)
	s.exchange(c)
	return c.Data()
}

// restoreKeyFrame implements Replay.RestoreKeyFrame.
func (s *Sim) restoreKeyFrame(data []byte, state *physics.Snapshot) error {
	if s.isClosed() {
		return ErrClosed
	}
	c := keyframe.Restore(data)
	var h keyFrameHead
	h.Exchange(c)
	c.Check(h.of == s.fingerprint(), "is of another world or seed, or of another version of Omnipitch")
	c.Check(h.step == state.Step && h.time == state.Time, "is of step %d at %v, but the state of step %d at %v", h.step,
		h.time, state.Step, state.Time)
	c.Check(len(state.Robots) == len(s.truth.Robots) && len(state.Obstacles) == len(s.truth.Obstacles) &&
		len(state.Joints) == len(s.truth.Joints), "the state has %d robots, %d obstacles and %d joints, the world %d, %d "+
		"and %d", len(state.Robots), len(state.Obstacles), len(state.Joints), len(s.truth.Robots),
		len(s.truth.Obstacles), len(s.truth.Joints))
	if c.Err() != nil {
		return c.Err()
	}
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	s.tellDone(BeforeStep) // inputs before the jump
	s.inputs.world.Store(nil)
	s.match.Jumped()
	state.CopyTo(&s.truth)
	s.jump()
	s.skipFrames()
	s.exchange(c)
	if err := c.End(); err != nil {
		return err
	}
	s.pipeline.SetLight(s.light.Brightness())
	s.pipeline.Moved()
	return nil
}

// keyFrameHead is the head of a key frame: the fingerprint of its world, and its step and time.
type keyFrameHead struct {
	of   keyframe.Fingerprint
	step int64
	time time.Duration
}

func (h *keyFrameHead) Exchange(c *keyframe.Codec) {
	c.Uint((*uint64)(&h.of))
	c.Int64(&h.step)
	c.Duration(&h.time)
}

// fingerprint returns a hash of everything that has a state in a key frame. Worlds with the same fingerprint can
// restore each other's key frames.
func (s *Sim) fingerprint() keyframe.Fingerprint {
	f, w := keyframe.NewFingerprint(), s.world
	f.AddNumber(w.Seed)
	f.AddNumber(uint64(w.Time.Step))
	for i := range w.Robots {
		f.Add(w.Robots[i].Name)
	}
	f.Add("light")
	for i := range w.Light.Spots {
		f.Add(w.Light.Spots[i].Name)
	}
	f.Add("boards and props")
	for i := range w.Boards {
		f.Add(w.Boards[i].Name)
	}
	for i := range w.Props {
		f.Add(w.Props[i].Name)
	}
	s.match.Sign(&f)
	s.pipeline.Sign(&f)
	return f
}

// exchange saves the state to a codec or restores it, depending on the codec's mode.
func (s *Sim) exchange(c *keyframe.Codec) {
	c.Bool(&s.begun)
	c.Part("clock", "")
	s.clock.ticks.exchange(c, s.world.Time.ClockRate)
	c.Part("light", "")
	s.light.Exchange(c)
	if c.Restoring() {
		from, to := s.light.Range()
		wrong := rules.Split(errors.Join(rules.Check(&from), rules.Check(&to)))
		c.Fail(errors.Join(wrong[:min(1, len(wrong))]...))
	}
	c.Part("scenery", "")
	s.scenery.Exchange(c)
	s.match.Exchange(c)
	s.commands.Exchange(c, s.world)
	s.pipeline.Exchange(c)
}

func (t *ticks) exchange(c *keyframe.Codec, rate float64) {
	c.Duration(&t.last)
	if c.Restoring() {
		last := t.last
		if t.init(rate); last >= 0 {
			t.due.Due(last)
			t.last = last
		}
	}
}
