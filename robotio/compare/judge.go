package compare

import (
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// row compares one name.
func (s *system) row(e *expectation, r *rates) Row {
	row := Row{Name: e.name, Side: e.side, Robot: e.robot}
	if e.Entry != nil {
		row.Expected.Type, row.Expected.MD5 = e.Type, e.MD5
	}
	switch e.side {
	case Publishes:
		s.topicRow(&row, e)
		if len(row.Found.By) == 0 {
			if e.optional && len(row.Found.To) == 0 {
				row.judge(Absent)
			} else {
				row.judge(Missing)
			}
			break
		}
		row.rate(e, r)
		if len(row.Found.To) == 0 {
			row.judge(NobodyListens)
		}
	case Subscribes:
		s.topicRow(&row, e)
		row.Found.Rate = r.of(e.name)
		switch {
		case len(row.Found.To) > 0 && len(row.Found.By) > 0:
		case len(row.Found.To) > 0:
			row.judge(NobodyPublishes)
		case e.optional && len(row.Found.By) == 0:
			row.judge(Absent)
		default:
			row.judge(Missing)
		}
	case Serves, Calls:
		s.serviceRow(&row, e)
	case Parameter:
		s.parameterRow(&row, e)
	}
	row.judge(OK)
	return row
}

// topicRow judges the types of who publishes and subscribes.
func (s *system) topicRow(row *Row, e *expectation) {
	row.Found.By, row.Found.To = s.Publishers[e.name], s.Subscribers[e.name]
	for _, node := range row.Found.By {
		a, asked := s.publishers[endpoint{e.name, node}]
		if !asked || a.err != nil {
			row.judge(OutOfReach, fmt.Sprintf("%s publishes it, and does not say as what: %v", node, a.err))
			continue
		}
		if row.Found.Type == "" || a.is.MD5 != e.MD5 {
			row.Found.Type, row.Found.MD5 = a.is.Name, a.is.MD5
		}
		if a.is.Name != e.Type || a.is.MD5 != e.MD5 {
			row.judge(OtherType, otherType(node, e.Topic, a.is))
		}
	}
	for _, node := range row.Found.To {
		a, asked := s.subscribed[node]
		if !asked || a.err != nil {
			row.judge(OutOfReach, fmt.Sprintf("%s subscribes to it, and does not say as what: %v", node, a.err))
			continue
		}
		if typ := a.is[e.name]; typ != "" && typ != "*" && typ != e.Type {
			row.judge(OtherType, fmt.Sprintf("%s subscribes to it as %s", node, typ))
		}
	}
}

// otherType says how a publisher's type differs.
func otherType(node string, want, found *msg.Definition) string {
	if found.Name != want.Name {
		return fmt.Sprintf("%s publishes %s", node, found.Name)
	}
	return fmt.Sprintf("%s publishes another %s, md5 sum %s where %s is expected: %s", node, found.Name, found.MD5, want.MD5, difference(want, found))
}

// Limits on rates: of few messages none can be told, and machines are busy. Guesses.
const (
	fewMessages = 5
	rateShare   = 0.2
	rateSlop    = 2 // messages: those of two connections do not come in the order of their publication
)

// rate judges how often a topic comes.
func (row *Row) rate(e *expectation, r *rates) {
	found := r.of(e.name)
	row.Found.Rate = found
	if e.rate == 0 {
		return
	}
	want, most := e.rate, e.rate
	if e.everyStep && r.ticks > 0 && r.span() > 0 {
		want = min(want, float64(r.ticks)/r.span()) // a simulator publishes no oftener than it steps, and may tick less often
	}
	row.Expected.Rate = &want
	if found == nil || want*r.span() < fewMessages || row.Amiss {
		return
	}
	slop := rateSlop / r.span()
	if *found > most*(1+rateShare)+slop || !(*found >= want*(1-rateShare)-slop) && e.quiet == "" {
		row.judge(OtherRate)
		if len(row.Found.By) > 1 {
			row.Details = append(row.Details, "it is published by "+strings.Join(row.Found.By, " and "))
		}
		if *found == 0 && e.level != "" {
			row.Details = append(row.Details, "it is silent, which the world's level "+e.level+" does not have it be: another level may be set")
		}
	}
}

// serviceRow judges who provides a service.
func (s *system) serviceRow(row *Row, e *expectation) {
	row.Found.By = s.Services[e.name]
	if len(row.Found.By) == 0 {
		if e.side == Calls {
			row.judge(NobodyServes)
		} else {
			row.judge(Missing)
		}
		return
	}
	a, asked := s.services[e.name]
	if !asked || a.err != nil {
		row.judge(OutOfReach, fmt.Sprintf("%s serves it, and does not say as what: %v", row.Found.By[0], a.err))
		return
	}
	row.Found.Type, row.Found.MD5 = a.is.Type, a.is.MD5
	if a.is.MD5 != e.MD5 {
		row.judge(OtherType, fmt.Sprintf("%s serves %s, md5 sum %s where %s is expected", row.Found.By[0], a.is.Type, a.is.MD5, e.MD5))
	}
}

// parameterRow judges a parameter.
func (s *system) parameterRow(row *Row, e *expectation) {
	row.Expected.Value = e.value
	a := s.parameters[e.name]
	switch {
	case unset(a.err):
		row.judge(Missing)
	case a.err != nil:
		row.judge(OutOfReach, a.err.Error())
	default:
		row.Found.Value = a.is
		if e.value != nil && !same(e.value, a.is) {
			row.judge(OtherValue)
		}
	}
}
