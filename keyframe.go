package omnipitch

import (
	"errors"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// appendKeyFrame implements Replay.AppendKeyFrame.
func (s *Sim) appendKeyFrame(to []byte) []byte {
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	s.tellDone(BeforeStep)
	if s.again.Load() != nil {
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
	if s.commands.isClosed() {
		return ErrClosed
	}
	c := keyframe.Restore(data)
	var h keyFrameHead
	h.Exchange(c)
	c.Check(h.of == s.fingerprint(), "is of another world or seed, or of another version of Omnipitch")
	c.Check(h.step == state.Step && h.time == state.Time, "is of step %d at %v, but the state of step %d at %v", h.step,
		h.time, state.Step, state.Time)
	c.Check(len(state.Robots) == len(s.truth.Robots) && len(state.Obstacles) == len(s.truth.Obstacles),
		"the state has %d robots and %d obstacles, the world %d and %d",
		len(state.Robots), len(state.Obstacles), len(s.truth.Robots), len(s.truth.Obstacles))
	if c.Err() != nil {
		return c.Err()
	}
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	s.tellDone(BeforeStep) // inputs before the jump
	s.again.Store(nil)
	s.radios.forget()
	s.happened = s.happened[:0]
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
	f.Add("events")
	for i := range w.Events {
		f.Add(w.Events[i].Name)
	}
	f.Add("expectations")
	for i := range w.Expect {
		f.Add(w.Expect[i].Name)
	}
	f.AddNumber(uint64(len(s.kept)))
	s.people.sign(&f)
	s.officials.sign(&f, &w.Rules)
	s.pipeline.Sign(&f)
	return f
}

// exchange saves the state to a codec or restores it, as the codec decides.
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
	s.officials.exchange(c)
	for i := range s.events {
		c.Part("event", s.world.Events[i].Name)
		s.events[i].Exchange(c)
	}
	c.Part("conditions", "")
	for _, memory := range s.kept {
		memory.Exchange(c)
	}
	s.judge.Exchange(c)
	c.Part("coach", "")
	s.coach.Exchange(c)
	c.Part("people", "")
	for i := range s.people {
		s.people[i].Exchange(c)
	}
	c.Part("radio", "")
	s.radios.network.Exchange(c)
	s.commands.exchange(c, s.world)
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

func (e *event) Exchange(c *keyframe.Codec) {
	c.Int(&e.left)
	c.Int64(&e.step)
	c.Duration(&e.due)
	c.Bools(&e.begun, &e.held)
	c.Int(&e.waited)
	c.Value(&e.done)
}

func (a *commands) exchange(c *keyframe.Codec, world *worlds.World) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.slots {
		slot := &a.slots[i]
		c.Part(a.model.Robots[i].Name, "player")
		player.Exchange(c, &slot.player, world, a.model, i)
		player.Exchange(c, &slot.before, world, a.model, i)
		c.Bools(&slot.once, &slot.own, &slot.told)
		c.Part(a.model.Robots[i].Name, "command")
		slot.Exchange(c)
	}
}

func (s *slot) Exchange(c *keyframe.Codec) {
	c.Value(&s.command)
	if c.Restoring() {
		c.Fail(s.command.Validate())
	}
	cut := s.cut.Load()
	c.Bools(&s.handsOff, &cut)
	s.cut.Store(cut)
	c.Int(&s.kicks)
	if c.Restoring() {
		s.come, s.hasCome = physics.Command{}, false
	}
}
