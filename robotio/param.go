package robotio

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/xmlrpc"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

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

// checkParam fails on a parameter that no master takes.
func checkParam(p param) error {
	if err := graph.Check(p.name); err != nil {
		return broken("params", schema.KeyText(p.name), nil, err)
	}
	if err := xmlrpc.Check(p.value); err != nil {
		return broken("params", schema.KeyText(p.name), nil, fmt.Errorf("is no parameter of ROS 1: %w", err))
	}
	return nil
}
