package mapping

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/xmlrpc"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Parameter is a ROS parameter; its value is a constant, or text with quantities in braces.
type Parameter struct {
	Name  string
	value any
	text  writer
}

// Value is the value of a parameter in a world.
func (p *Parameter) Value(c *Context) any {
	if p.text != nil {
		return string(p.text(nil, c))
	}
	return p.value
}

// parameters compiles a profile's parameters, and fails on those that no master takes.
func parameters(p *Profile) (all []Parameter, err error) {
	known := worldQuantities().Texts
	var errs []error
	for _, name := range sortedKeys(p.Params) {
		one := Parameter{Name: name, value: wireValue(p.Params[name])}
		fail := func(value any, err error) { errs = append(errs, broken("params", schema.KeyText(name), value, err)) }
		if err := graph.Check(name); err != nil {
			fail(nil, err)
		} else if err := xmlrpc.Check(one.value); err != nil {
			fail(nil, fmt.Errorf("is no parameter of ROS 1: %w", err))
		}
		if pattern, ok := one.value.(string); ok {
			var err error
			if one.text, err = newPattern(pattern, known); err != nil {
				fail(pattern, err)
			}
		}
		all = append(all, one)
	}
	return all, errors.Join(errs...)
}

// wireValue is a value of a profile's file as XML-RPC has it.
func wireValue(v any) any {
	switch v := v.(type) {
	case int64:
		return int(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = wireValue(v[i])
		}
		return list
	case map[string]any:
		table := make(map[string]any, len(v))
		for key, member := range v {
			table[key] = wireValue(member)
		}
		return table
	}
	return v
}
