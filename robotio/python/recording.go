package python

import (
	"context"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/replay"
)

// startReplay opens the recording of a request. As with `omnipitch replay --sensor`, levels show the recorded bodies in
// a world with these levels.
func (s *simulation) startReplay(r *openRequest, options omnipitch.Options, _ Assess) (warnings []string, err error) {
	rec, err := replay.Open(r.Replay)
	if err != nil {
		return nil, inputError{err}
	}
	if damage := rec.Damage(); damage != nil {
		warnings = append(warnings, damage.Error())
	}
	var cfg replay.Config
	if len(r.Levels) > 0 {
		cfg.World = rec.World
		err = r.setLevels(rec.World)
		if err == nil {
			err = rec.World.Locate(rec.World.Validate())
		}
	}
	if err == nil {
		s.replay, err = rec.NewSim(context.Background(), options, cfg)
	}
	if err != nil {
		rec.Close()
		return nil, inputError{err}
	}
	s.sim = s.replay.Sim
	return warnings, nil
}

// showBegin moves a recording to its begin.
func (s *simulation) showBegin(o *opened) error {
	if s.replay == nil {
		return nil
	}
	span := s.replay.Span()
	o.Begin, o.End = int64(span.From), int64(span.To)
	if span.From == 0 {
		return nil
	}
	return s.seek(context.Background(), span.From)
}

// seek moves a recording to a time since the beginning of its run.
func (s *simulation) seek(ctx context.Context, to time.Duration) error {
	if s.replay == nil {
		return inputError{fmt.Errorf("seek: %s is no recording", s.sim.World().Name)}
	}
	if span := s.replay.Span(); to < span.From || to > span.To {
		return inputError{fmt.Errorf("seek: %v s: must lie in what is replayed, [%v, %v]", to.Seconds(),
			span.From.Seconds(), span.To.Seconds())}
	}
	s.table.clear()
	s.verdicts, s.told = nil, 0
	if err := s.replay.GoTo(ctx, to); err != nil {
		return fmt.Errorf("seek: %w", err)
	}
	return s.putTruth()
}

// describeBodies lists the names of what is a number in touches and events.
func (o *opened) describeBodies(m *physics.Model) {
	for id := range m.BallID() + 1 {
		o.Bodies = append(o.Bodies, m.BodyName(id))
	}
	for k := range physics.WheelsStuckEnded + 1 {
		o.EventKinds = append(o.EventKinds, k.String())
	}
}
