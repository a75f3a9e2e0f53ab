package worlds

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/radio"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Stations returns the radio station of each robot, in the order of the robots.
func (w *World) Stations() []radio.Station {
	all := make([]radio.Station, len(w.Robots))
	for i := range w.Robots {
		r := &w.Robots[i]
		all[i] = radio.Station{Robot: r.Name, Team: r.Team, Config: r.Radio}
	}
	return all
}

// validateRadios reports topics for which teammates give different types, and UDP ports that two robots share.
func (w *World) validateRadios() error {
	errs := []error{w.validateDatagrams()}
	for i := range w.Robots {
		r := &w.Robots[i]
		for k := range w.Robots[:i] {
			mate := &w.Robots[k]
			if r.Radio == nil || mate.Radio == nil || r.Team != mate.Team {
				continue
			}
			if v, ok := errors.AsType[*schema.Violation](r.Radio.Agree(mate.Radio, mate.Name)); ok {
				v.Path = fmt.Sprintf("robot[%d].radio.%s", i, v.Path)
				errs = append(errs, v)
				break
			}
		}
	}
	return errors.Join(errs...)
}

// validateDatagrams reports invalid multicast groups, and robots that share a port. Robots must not share a port
// because a program that is bound to a port receives the datagrams of all groups at that port.
func (w *World) validateDatagrams() error {
	taken := map[uint16]string{}
	var errs []error
	for i := range w.Robots {
		r, at := &w.Robots[i], fmt.Sprintf("robot[%d].radio", i)
		if r.Radio == nil || !w.NoErrorAt(at) || !w.NoErrorAt(fmt.Sprintf("robot[%d].number", i)) {
			continue
		}
		take := func(table string, base int, err error, ports ...uint16) {
			if v, ok := errors.AsType[*schema.Violation](err); ok {
				v.Path = at + "." + v.Path
				errs = append(errs, v)
				return
			}
			for _, port := range ports {
				if other, ok := taken[port]; ok {
					errs = append(errs, &schema.Violation{Path: at + "." + table, Key: "base_port", Value: base,
						Rule: fmt.Sprintf("port %d, with its number, is already that of %s: each robot needs one of its "+
							"own, whatever its group", port, other)})
				}
				taken[port] = r.Name
			}
		}
		if u := r.Radio.UDP; u != nil {
			addr, err := u.Address(r.Number)
			take("udp", u.BasePort, err, addr.Port())
		}
		if m := r.Radio.Mitecom; m != nil && m.BasePort != 0 {
			listens, sends, err := m.Ports(r.Number)
			take("mitecom", m.BasePort, err, listens, sends)
		}
	}
	return errors.Join(errs...)
}

// FindRadios is a method of action.World.
func (w *World) FindRadios(robot string, team physics.Team) error {
	for i := range w.Robots {
		if r := &w.Robots[i]; r.Radio != nil && (robot == "" || r.Name == robot) && (team == "" || r.Team == team) {
			return nil
		}
	}
	return errors.New("has no radio")
}
