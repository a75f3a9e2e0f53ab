package mapping

import (
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// DecisionMessage returns the message that reports a decision of the automatic referee.
func DecisionMessage(d *referee.Decision) msg.Decision {
	m := msg.Decision{
		Header: msg.Header{Stamp: msg.TimeFrom(d.Time)}, Step: uint64(d.Step), Rule: d.Rule, Reason: d.Reason,
		Place:   msg.Point{X: d.PlaceW[0], Y: d.PlaceW[1]},
		Against: string(d.Against), Robots: d.Robots, Goal: string(d.Goal), Command: string(d.Command),
		Team: string(d.Team), Ball: msg.Point{X: d.BallW[0], Y: d.BallW[1]},
	}
	for _, q := range d.Basis {
		m.Basis = append(m.Basis, msg.Quantity(q))
	}
	return m
}
