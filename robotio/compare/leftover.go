package compare

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// uncommanded returns a row for every robot without a publisher on any of its command topics. Profiles offer several
// command topics, so it is no mistake if one of them has no publisher.
func uncommanded(rows []Row) (robots []Row) {
	waiting := map[string][]string{}
	commanded := map[string]bool{}
	var order []string
	for i := range rows {
		switch r := &rows[i]; {
		case r.Side != Subscribes || r.Robot == nil || len(r.Found.To) == 0:
		case len(r.Found.By) > 0:
			commanded[*r.Robot] = true
		default:
			if waiting[*r.Robot] == nil {
				order = append(order, *r.Robot)
			}
			waiting[*r.Robot] = append(waiting[*r.Robot], r.Name)
		}
	}
	for _, ns := range order {
		if !commanded[ns] {
			row := Row{Name: "/" + ns, Side: Subscribes, Robot: &ns}
			row.judge(Uncommanded, "nobody publishes any of "+strings.Join(waiting[ns], ", "))
			robots = append(robots, row)
		}
	}
	return robots
}

// common holds the topics of ROS itself.
var common = []string{"/clock", "/rosout", "/rosout_agg", "/parameter_events"}

// misnamed returns a row for every topic that is probably a misspelt topic of the profile. Such a topic is not in the
// profile and has only publishers or only subscribers. Its last element is that of a topic for which the simulator is
// on the other side. It counts the remaining topics, including the other team's, in report.Others.
func (s *system) misnamed(all []expectation, ofOtherTeam []*regexp.Regexp, report *Report) (rows []Row) {
	known := map[string]bool{}
	byEnd := map[Side]map[string][]string{Publishes: {}, Subscribes: {}}
	for i := range all {
		e := &all[i]
		if names := byEnd[e.side]; names != nil {
			known[e.name] = true
			if e.Action == nil { // goal, the end of an action's topic, resembles too many names
				names[base(e.name)] = append(names[base(e.name)], e.name)
			}
		}
	}
	for _, topic := range s.Topics() {
		if known[topic] || slices.Contains(common, topic) {
			continue
		}
		by, to := s.Publishers[topic], s.Subscribers[topic]
		side := Publishes
		if len(to) == 0 {
			side = Subscribes
		}
		var ends []string
		for end := range byEnd[side] {
			ends = append(ends, end)
		}
		slices.Sort(ends)
		end := base(topic)
		if byEnd[side][end] == nil {
			end = rules.Nearest(end, ends)
		}
		otherTeam := slices.ContainsFunc(ofOtherTeam, func(is *regexp.Regexp) bool { return is.MatchString(topic) })
		if len(by) > 0 && len(to) > 0 || end == "" || otherTeam {
			report.Others++
			continue
		}
		row := Row{Name: topic, Side: Nobody, Found: Thing{Type: s.Types[topic], By: by, To: to}}
		half := strings.Join(to, ", ") + " subscribes to it, and nobody publishes it"
		if side == Subscribes {
			half = strings.Join(by, ", ") + " publishes it, and nobody subscribes to it"
		}
		row.judge(Misnamed, fmt.Sprintf("%s; did you mean %s?", half, mostSimilar(topic, byEnd[side][end])))
		rows = append(rows, row)
	}
	return rows
}

// suggest adds a hint to each row of a missing name if a node provides a similar name. The similar name is not in the
// profile, and its last element is the same.
func (s *system) suggest(all []expectation, report *Report) {
	known := map[string]bool{}
	for i := range all {
		known[string(all[i].side)+all[i].name] = true
	}
	for i := range report.Rows {
		r := &report.Rows[i]
		if r.Verdict != Missing || r.Side == Parameter {
			continue
		}
		names := slices.DeleteFunc(s.simulators(r.Side), func(name string) bool {
			return base(name) != base(r.Name) || known[string(r.Side)+name]
		})
		if len(names) > 0 {
			r.Details = append(r.Details, fmt.Sprintf("there is %s; is it meant?", mostSimilar(r.Name, names)))
		}
	}
}

// mostSimilar returns the element of names that has the most trailing path elements in common with name.
func mostSimilar(name string, names []string) (best string) {
	parts := strings.Split(name, "/")
	most := -1
	for _, other := range names {
		theirs := strings.Split(other, "/")
		n := 0
		for n < min(len(parts), len(theirs)) && parts[len(parts)-1-n] == theirs[len(theirs)-1-n] {
			n++
		}
		if n > most {
			best, most = other, n
		}
	}
	return best
}
