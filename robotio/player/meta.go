package player

import (
	"errors"
	"fmt"
	"slices"
)

// Requests to the interface player, which stands for the server itself.
const (
	requestDevices    = 1
	requestDriver     = 2
	requestDevice     = 3
	requestData       = 4
	requestDataMode   = 5
	requestAuth       = 7
	requestNames      = 8
	requestAddRule    = 10
	accessOpen        = 1
	accessClose       = 2
	accessError       = 3
	modePush          = 1
	modePull          = 2
	maxDriverName     = 63
	maxAuthentication = 32
)

// serverRequest answers a request to the server itself.
func (c *client) serverRequest(subtype byte, in *reader, reply answer) {
	switch subtype {
	case requestDevices:
		b := appendCount(nil, len(c.port.devices))
		for _, d := range c.port.devices {
			b = d.append(b)
		}
		reply(b, nil)
	case requestDriver:
		c.driverRequest(in, reply)
	case requestDevice:
		c.deviceRequest(in, reply)
	case requestData:
		reply(nil, nil)
		c.queue.ask()
	case requestDataMode:
		mode := in.uint()
		if mode != modePush && mode != modePull {
			reply(nil, fmt.Errorf("mode = %d: must be %d, push, or %d, pull", mode, modePush, modePull))
			return
		}
		c.queue.setPull(mode == modePull)
		reply(nil, nil)
	case requestAuth: // the server has no key, so every key fits
		if key := in.bytes(); len(key) > maxAuthentication {
			in.bad = true
		}
		reply(nil, in.err())
	case requestNames:
		c.nameRequest(in, reply)
	case requestAddRule:
		add := rule{in.int(), in.int(), in.int(), in.int(), in.int()}
		if in.bad || add.does < acceptNew || add.does > ignoreNew {
			reply(nil, errMalformed)
		} else if !c.queue.addRule(add) {
			reply(nil, fmt.Errorf("must have at most %d rules for its queue", maxRules))
		} else {
			reply(nil, nil)
		}
	default:
		reply(nil, errUnsupported)
	}
}

// driverRequest answers with the name of a device's driver.
func (c *client) driverRequest(in *reader, reply answer) {
	d := c.port.find(in.address())
	if d == nil || in.bad {
		reply(nil, errors.Join(in.err(), errNoDevice))
		return
	}
	reply(appendText(d.append(nil), d.driverName()), nil)
}

// deviceRequest opens or closes a device. A reply that refuses has a payload, too.
func (c *client) deviceRequest(in *reader, reply answer) {
	a, access := in.address(), in.uint()
	a.host, a.port = c.port.host, c.port.number
	d := c.port.find(a)
	if d == nil || in.bad {
		reply(appendText(appendInt(a.append(nil), accessError), ""),
			errors.Join(in.err(), fmt.Errorf("%s: %w", a.name(), errNoDevice)))
		return
	}
	granted := accessError
	i := slices.Index(c.open, d)
	switch access {
	case accessOpen:
		granted = accessOpen
		if i < 0 {
			c.open = append(c.open, d)
			defer d.open(c) // after the reply, so that data follow it
		}
	case accessClose:
		if i >= 0 {
			granted = accessClose
			c.open = slices.Delete(c.open, i, i+1)
			d.close(c)
		}
	}
	reply(appendText(appendInt(d.append(nil), granted), d.driverName()), nil)
}

// driverName returns the name of the device's driver, which Player limits to 63 bytes.
func (d *device) driverName() string { return d.driver[:min(len(d.driver), maxDriverName)] }

// nameRequest answers with the port of a robot, by its name.
func (c *client) nameRequest(in *reader, reply answer) {
	name := in.text()
	if err := in.err(); err != nil {
		reply(nil, err)
		return
	}
	for _, p := range c.port.server.ports {
		if p.robot.Name == name {
			reply(appendInt(appendText(nil, name), int(p.number)), nil)
			return
		}
	}
	reply(nil, fmt.Errorf("name = %.80q: there is no such robot", name))
}
