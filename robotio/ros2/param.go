package ros2

import (
	"context"
	"fmt"
	"io"
	"net"
	"reflect"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Param is a parameter of a node. Others read and set it, for example with ros2 param.
type Param struct {
	node  *Node
	name  string
	opts  ParamOptions
	value any // guarded by parameters.mu
}

// ParamOptions configures a parameter.
type ParamOptions struct {
	Description string
	// Set is called when others set the parameter, before the value changes. The value has the type of the first value.
	// An error refuses it, and its text is the reason that the others receive. If a later parameter of a request that
	// must be carried out as a whole is refused, Set is called again with the old value. One call of Set runs at a time
	// for all parameters of a node. If Set is nil, the parameter is read-only.
	Set func(value any) error
}

// parameters are the parameters of a node.
type parameters struct {
	opening sync.Mutex // locked while services are opened
	setting sync.Mutex // locked while requests set parameters
	events  *Publisher[parameterEvent]

	mu  sync.Mutex
	all map[string]*Param
}

// DeclareParam adds a parameter to the node. The Go type of value is its type: bool, int64, float64, string, []byte,
// []bool, []int64, []float64 or []string. The caller must not change an array afterwards. With its first parameter, the
// node offers the services of parameters, and publishes changes on /parameter_events. DeclareParam returns an error if
// the name is empty or declared already, if the type is none of these, or if the node is closed.
func (n *Node) DeclareParam(name string, value any, o ParamOptions) (*Param, error) {
	p := &Param{node: n, name: name, opts: o, value: value}
	v, err := paramValue(value)
	if name == "" {
		err = fmt.Errorf("name: must not be empty")
	}
	if err != nil {
		return nil, n.errorf("parameter %s: %w", name, err)
	}
	if err := n.params.open(n); err != nil {
		return nil, err
	}
	n.c.mu.Lock()
	closed := n.closed
	n.c.mu.Unlock()
	if closed {
		return nil, n.errorf("parameter %s: %w", name, net.ErrClosed)
	}
	n.params.mu.Lock()
	_, declared := n.params.all[name]
	if !declared {
		n.params.all[name] = p
	}
	n.params.mu.Unlock()
	if declared {
		return nil, n.errorf("parameter %s: is declared already", name)
	}
	n.params.events.Publish(&parameterEvent{Stamp: wallTime(), Node: n.Name(), NewParameters: []parameter{{name, v}}})
	return p, nil
}

func wallTime() msg.Time { return msg.TimeFrom(time.Duration(time.Now().UnixNano())) }

// Name returns the name of the parameter.
func (p *Param) Name() string { return p.name }

// Value returns the present value.
func (p *Param) Value() any {
	p.node.params.mu.Lock()
	defer p.node.params.mu.Unlock()
	return p.value
}

// Update changes the value without a call of Set. It returns an error if the type differs from that of the first value.
func (p *Param) Update(value any) error {
	v, err := paramValue(value)
	if old := p.Value(); err == nil && reflect.TypeOf(old) != reflect.TypeOf(value) {
		err = fmt.Errorf("is a %T: must stay a %T", value, old)
	}
	if err != nil {
		return p.node.errorf("parameter %s: %w", p.name, err)
	}
	p.store(value, v)
	return nil
}

// store changes the value, and publishes the change if there is one.
func (p *Param) store(value any, v parameterValue) {
	all := &p.node.params
	all.mu.Lock()
	same := reflect.DeepEqual(p.value, value)
	p.value = value
	all.mu.Unlock()
	if !same {
		all.events.Publish(&parameterEvent{Stamp: wallTime(), Node: p.node.Name(),
			ChangedParameters: []parameter{{p.name, v}}})
	}
}

// open offers the services of parameters, if the node does not yet.
func (s *parameters) open(n *Node) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.events != nil {
		return nil
	}
	s.all = map[string]*Param{}
	var events *Publisher[parameterEvent]
	var opened []io.Closer
	for _, open := range []func() (io.Closer, error){
		func() (_ io.Closer, err error) {
			events, err = Advertise[parameterEvent](n, "/parameter_events", "rcl_interfaces/ParameterEvent",
				PubOptions{})
			return events, err
		},
		func() (io.Closer, error) { return offer(n, "get_parameters", "GetParameters", s.get) },
		func() (io.Closer, error) { return offer(n, "get_parameter_types", "GetParameterTypes", s.types) },
		func() (io.Closer, error) { return offer(n, "describe_parameters", "DescribeParameters", s.describe) },
		func() (io.Closer, error) { return offer(n, "list_parameters", "ListParameters", s.list) },
		func() (io.Closer, error) { return offer(n, "set_parameters", "SetParameters", s.set) },
		func() (io.Closer, error) {
			return offer(n, "set_parameters_atomically", "SetParametersAtomically", s.setAll)
		},
	} {
		c, err := open()
		if err != nil {
			for _, c := range opened {
				_ = c.Close() // never fails
			}
			return err
		}
		opened = append(opened, c)
	}
	s.events = events
	return nil
}

// offer offers a service of parameters.
func offer[Req, Resp any](n *Node, name, typ string, f func(*Req) (*Resp, error)) (*Service, error) {
	return Serve(n, "~/"+name, "rcl_interfaces/"+typ, func(_ context.Context, r *Req) (*Resp, error) { return f(r) })
}
