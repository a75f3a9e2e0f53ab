package robotio

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// subscriptions sets up what a profile has a robot, its cameras and the world obey.
func (b *Bridge) subscriptions(l *link, d *dialect, s scene) error {
	for _, e := range d.subscriptions(s) {
		if l.taken.claim(e) {
			if err := b.subscribe(l, d.subscribe[e.i], e.name, b.obeyer(&e.of)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Bridge) obeyer(s *scene) *obeyer {
	return &obeyer{sim: b.sim, robot: s.robot, cfg: s.cfg, names: s.names, told: b.refused}
}

func (b *Bridge) subscribe(l *link, sub *subscription, name string, who *obeyer) error {
	var acks *acks
	if who.robot != nil {
		acks = b.acks[who.robot.Name]
	}
	s, err := ros1.SubscribeAs(l.Node, name, sub.def, func(m []byte) error {
		if _, err := sub.do(b.ctx, who, m, false); err != nil {
			b.refused(fmt.Errorf("%s: %w", name, err))
		}
		if acks != nil {
			acks.commanded()
		}
		return nil
	})
	if err == nil && who.robot != nil && who.cfg == nil {
		b.commands[who.robot.Name] = append(b.commands[who.robot.Name], s)
	}
	return b.keep(s, err)
}

// services sets up what a profile serves.
func (b *Bridge) services(l *link, d *dialect, s scene) error {
	for _, e := range d.servers(s) {
		if !l.taken.claim(e) {
			continue
		}
		srv, who := d.services[e.i], b.obeyer(&e.of)
		if err := b.keep(ros1.ServeRaw(l.Node, e.name, srv.def, func(ctx context.Context, request, out []byte) ([]byte, error) {
			result := e.of
			result.stamp = b.sim.Clock().Time()
			result.outcome, result.err = srv.do(ctx, who, request, true)
			if result.err != nil && !srv.owns {
				return out, result.err
			}
			return srv.answer.Append(out, &result), nil
		})); err != nil {
			return err
		}
	}
	return nil
}

// callers sets up what a profile calls.
func (b *Bridge) callers(l *link, d *dialect, s scene) error {
	for _, e := range d.callers(s) {
		if l.taken.claim(e) {
			b.caller(l, d.calls[e.i], e.name, e.of)
		}
	}
	return nil
}

// caller calls a service whenever the word's value has changed: from a goroutine of its own, so that nobody waits for who answers late or
// never. Of changes meanwhile the newest counts.
func (b *Bridge) caller(l *link, c *outcall, name string, s scene) {
	requests := make(chan []byte, 1)
	last := math.NaN()
	b.sim.OnStep(func(truth *physics.Snapshot) {
		s.truth, s.stamp = truth, truth.Time
		now := c.on.Get(&s)
		if now == last {
			return
		}
		first := math.IsNaN(last)
		last = now
		if first || b.ctx.Err() != nil {
			return
		}
		select {
		case <-requests:
		default:
		}
		requests <- c.request.Append(nil, &s)
	})
	b.calls.Go(func() {
		for {
			select {
			case <-b.ctx.Done():
				return
			case r := <-requests:
				ctx, cancel := context.WithTimeout(b.ctx, callTime)
				_, err := ros1.CallRaw(ctx, l.Node, name, c.def, r)
				cancel()
				if err != nil && !errors.Is(err, ros1.ErrNoService) && b.ctx.Err() == nil {
					b.refused(err)
				}
			}
		}
	})
}
