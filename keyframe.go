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

// AppendKeyFrame appends a key frame to a buffer: the exact state of all but the bodies, which Truth has. From both,
// and from the bodies' states and the inputs of later steps, RestoreKeyFrame goes on as this Sim does. It belongs to
// the goroutine that steps, between two steps, as in a function that OnStepEnd calls. Options.OnInput has then been
// told of all that has its effect in the key frame, and of nothing else. When Restart has been called, and the world is
// to begin again with the next step, it appends nothing.
//
// A key frame holds no images, but what those under way are taken of, from which RestoreKeyFrame has them drawn again.
// It holds no frames of sensors and levels that were plugged in: such frames under way are lost, and what such a sensor
// repeats that is frozen.
func (s *Sim) AppendKeyFrame(to []byte) []byte {
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

// RestoreKeyFrame has the Sim go on from a key frame, whatever it did before: the next step is the one after the key
// frame's. The Sim is one of the world of the Sim that appended the key frame, state the bodies' state of then, and
// that of the engine too. Listeners, timers and connections stay; what is under way to listeners is dropped, and so is
// what no step has taken: commands, levels, faults, a Restart. OnStep is not called with the state. It belongs to the
// goroutine that steps, between two steps.
//
// It fails, and changes nothing, when the key frame is of another world, seed or version, or of another step than
// state. After any other error, which only a damaged key frame causes, or one with images on a machine that cannot draw
// them (render.ErrNoContext), the Sim can only be closed.
func (s *Sim) RestoreKeyFrame(data []byte, state *physics.Snapshot) error {
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
	s.tellDone(BeforeStep) // of the run that ends here
	s.again.Store(nil)
	s.radios.forget()
	s.happened = s.happened[:0]
	state.CopyTo(&s.truth)
	s.jump()
	s.skipSensors()
	s.exchange(c)
	if err := c.End(); err != nil {
		return err
	}
	s.sensors.SetLight(s.light.Brightness())
	s.sensors.Moved()
	return nil
}

// keyFrameHead is what stands first in a key frame.
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

// fingerprint tells what key frames of the world are of: what is listed here has a state.
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
	s.sensors.Sign(&f)
	return f
}

// exchange passes the state to a codec.
func (s *Sim) exchange(c *keyframe.Codec) {
	c.Bool(&s.begun)
	c.Part("clock", "")
	s.clockOut.exchange(c, s.world.Time.ClockRate)
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
	s.sensors.Exchange(c)
}

func (o *clockOutput) exchange(c *keyframe.Codec, rate float64) {
	c.Duration(&o.last)
	if c.Restoring() {
		last := o.last
		if o.init(rate); last >= 0 {
			o.due.Due(last)
			o.last = last
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
