package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
)

// row compares one expectation with the system.
func (s *system) row(e *expectation, r *rates) Row {
	row := Row{Name: e.name, Side: e.side, Robot: e.robot}
	if e.Entry != nil {
		row.Expected.Type, row.Expected.MD5 = e.Type, e.MD5
	}
	switch e.side {
	case Publishes:
		s.topicRow(&row, e)
		if len(row.Found.By) == 0 {
			row.missing(e, len(row.Found.To) > 0)
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
		default:
			row.missing(e, len(row.Found.By) > 0)
		}
		s.severalPublish(&row, e, r)
	case Serves, Calls:
		s.serviceRow(&row, e)
	case Parameter:
		s.parameterRow(&row, e)
	}
	row.judge(OK)
	return row
}

// missing sets the verdict for a name that the simulator lacks. needed reports whether another node uses the name.
func (row *Row) missing(e *expectation, needed bool) {
	switch {
	case !needed && e.optional:
		row.judge(Absent)
	case !needed && e.extra:
		row.judge(OnlyOmnipitch)
	case e.extra:
		row.judge(Missing, "omnipitch has it, but not the simulator or the robots that the profile models")
	default:
		row.judge(Missing)
	}
}

// severalPublish adds an error if messages for a robot's command topic arrive from several publishers. The robot would
// obey all of them in turn. Publishers that only advertise the topic do not count, unless the topic is not measured.
func (s *system) severalPublish(row *Row, e *expectation, r *rates) {
	var live []string
	_, measured := r.counts[e.name]
	for _, node := range row.Found.By {
		at := endpoint{e.name, node}
		if s.publishers[at].err == nil && (r.senders[at] || !measured) {
			live = append(live, node)
		}
	}
	slices.Sort(live)
	if e.robot != nil && len(live) > 1 {
		row.judge(Several, "it is published by "+strings.Join(live, " and ")+": the robot obeys each of their messages")
	}
}

// topicRow checks the types of publishers and subscribers.
func (s *system) topicRow(row *Row, e *expectation) {
	row.Found.By, row.Found.To = s.Publishers[e.name], s.Subscribers[e.name]
	for _, node := range row.Found.By {
		a, asked := s.publishers[endpoint{e.name, node}]
		if !asked || a.err != nil {
			row.judge(OutOfReach, unanswered(node, "publishes it", a.err))
			continue
		}
		sum := cmp.Or(a.is.MD5, a.is.Hash)
		other := a.is.Name != e.Type || sum != e.MD5 && (sum != "" || !e.Topic.ROS2()) // Humble's nodes have no hashes
		if row.Found.Type == "" || !row.Amiss && other {
			row.Found.Type, row.Found.MD5 = a.is.Name, sum
		}
		if other {
			row.judge(OtherType, otherType(node, e.Topic, a.is))
		}
	}
	for _, node := range row.Found.To {
		a, asked := s.subscribed[node]
		if !asked || a.err != nil {
			row.judge(OutOfReach, unanswered(node, "subscribes to it", a.err))
			continue
		}
		if typ := a.is[e.name]; typ != "" && typ != "*" && typ != e.Type {
			if !row.Amiss {
				row.Found.Type, row.Found.MD5 = typ, ""
			}
			row.judge(OtherType, fmt.Sprintf("%s subscribes to it as %s, where %s is expected", node, typ, e.Type))
		}
	}
	s.qos(row)
}

// qos checks whether the QoS of a topic's subscribers in ROS 2 lets them connect to its publishers.
func (s *system) qos(row *Row) {
	var pubs, subs []*ros2.Remote
	for i := range s.remotes {
		switch r := &s.remotes[i]; {
		case r.Name != row.Name || r.Service:
		case r.Publishes:
			pubs = append(pubs, r)
		default:
			subs = append(subs, r)
		}
	}
	for _, sub := range subs {
		for _, pub := range pubs {
			if why := sub.Mismatch(pub.QoS); why != "" {
				row.judge(OtherQoS, fmt.Sprintf("%s does not connect to %s: it %s", cmp.Or(sub.Node, "a subscriber"),
					cmp.Or(pub.Node, "a publisher"), why))
			}
		}
	}
}

// otherType describes how a publisher's type differs.
func otherType(node string, want, found *msg.Definition) string {
	if found.Name != want.Name {
		return fmt.Sprintf("%s publishes %s, where %s is expected", node, found.Name, want.Name)
	}
	if found.Hash != "" {
		return fmt.Sprintf("%s publishes another %s, hash %s where %s is expected", node, found.Name, found.Hash, want.Hash)
	}
	return fmt.Sprintf("%s publishes another %s, md5 sum %s where %s is expected: %s", node, found.Name, found.MD5,
		want.MD5, difference(want, found))
}

// unanswered describes that a node did not answer, and what to do if its process is gone.
func unanswered(node, does string, err error) string {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return node + " is registered and does not answer (connection refused): it has probably crashed; rosnode " +
			"cleanup removes it"
	}
	return fmt.Sprintf("%s %s, but did not answer with its type: %v", node, does, err)
}

// Limits for the check of rates; guesses. A rate from few messages is not reliable, and busy machines delay messages.
const (
	fewMessages = 5
	slowRate    = 10 // Hz, assumed rate of sensors whose rate is unknown; most sensors are faster
	rateShare   = 0.2
	// tolerated number of missing messages, because messages of two connections may arrive in another order
	rateSlop = 2
)

// silent adds an error for a topic that has subscribers but no messages although messages are expected.
func (row *Row) silent(e *expectation, r *rates) {
	once := e.Publish.Rate == 0 && (e.From() == "world" || e.From() == "robot")
	if row.Amiss || len(row.Found.To) == 0 || row.Found.Rate == nil || *row.Found.Rate != 0 || once || e.unfed ||
		e.Publish.When != "" || e.Publish.Beside {
		return
	}
	rate := cmp.Or(e.rate, slowRate)
	if e.everyStep && r.ticks > 0 {
		rate = min(rate, float64(r.ticks)/r.span())
	}
	if rate*r.span() < fewMessages {
		return
	}
	why := "no message in %.1f s, and %s subscribes to it"
	switch {
	case e.level != "":
		why += "; at the world's level " + e.level + " it is published: another level may be set"
	case e.From() != "world" && e.From() != "robot":
		why += "; the sensor may be set to another level, or be off"
	}
	row.judge(Silent, fmt.Sprintf(why, r.span(), strings.Join(row.Found.To, ", ")))
}

// rate checks a topic's rate.
func (row *Row) rate(e *expectation, r *rates) {
	found := r.of(e.name)
	row.Found.Rate = found
	row.silent(e, r)
	if e.rate == 0 {
		return
	}
	want, most := e.rate, e.rate
	if e.everyStep && r.ticks > 0 && r.span() > 0 {
		// A simulator publishes at most once per step, and its steps may be longer than omnipitch's.
		want = min(want, float64(r.ticks)/r.span())
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
			row.Details = append(row.Details,
				"it is silent, although the world's level "+e.level+" feeds it: another level may be set")
		}
	}
}

// serviceRow checks the server of a service.
func (s *system) serviceRow(row *Row, e *expectation) {
	row.Found.By = s.Services[e.name]
	if len(row.Found.By) == 0 {
		if e.side == Calls {
			row.judge(NobodyServes)
		} else {
			row.missing(e, false)
		}
		return
	}
	a, asked := s.services[e.name]
	if !asked || a.err != nil {
		row.judge(OutOfReach, unanswered(row.Found.By[0], "serves it", a.err))
		return
	}
	row.Found.Type, row.Found.MD5 = a.is.Type, a.is.MD5
	if e.Service.Request.ROS2() { // the graph has no hash of a service
		if a.is.Type != e.Type {
			row.judge(OtherType, fmt.Sprintf("%s serves %s, where %s is expected", row.Found.By[0], a.is.Type, e.Type))
		}
	} else if a.is.MD5 != e.MD5 {
		row.judge(OtherType, fmt.Sprintf("%s serves %s, md5 sum %s where %s is expected", row.Found.By[0], a.is.Type,
			a.is.MD5, e.MD5))
	}
}

// parameterRow checks the value of a parameter.
func (s *system) parameterRow(row *Row, e *expectation) {
	row.Expected.Value = e.value
	a := s.parameters[e.name]
	switch {
	case unset(a.err):
		row.missing(e, false)
	case a.err != nil:
		row.judge(OutOfReach, a.err.Error())
	default:
		row.Found.Value = a.is
		if e.value != nil && !same(e.value, a.is) {
			row.judge(OtherValue)
		}
	}
}

// difference describes the first difference between an expected and a found definition.
func difference(want, found *msg.Definition) string { return differ(want, found, "") }

func differ(want, found *msg.Definition, path string) string {
	for i := range want.Fields {
		w := &want.Fields[i]
		if i >= len(found.Fields) {
			return fmt.Sprintf("it has no field %s%s", path, w.Name)
		}
		f := &found.Fields[i]
		if w.Name != f.Name || w.Len != f.Len || w.Base != f.Base {
			return fmt.Sprintf("it has %s %s%s where %s %s%s is expected", f.Type(), path, f.Name, w.Type(), path,
				w.Name)
		}
		inWant, inFound := want.Nested(w.Base), found.Nested(f.Base)
		if inWant == nil || inFound == nil || inWant.MD5 == inFound.MD5 {
			continue
		}
		if text := differ(inWant, inFound, path+w.Name+"."); text != "" {
			return text
		}
	}
	if n := len(want.Fields); len(found.Fields) > n {
		f := &found.Fields[n]
		return fmt.Sprintf("it has %s %s%s besides", f.Type(), path, f.Name)
	}
	if path == "" {
		return "its fields are the same, and its constants are not"
	}
	return ""
}
