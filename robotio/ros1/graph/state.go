package graph

import (
	"context"
	"fmt"
	"slices"
)

// State holds the publishers, subscribers and services that the master knows.
type State struct {
	Publishers, Subscribers, Services map[string][]string // topic or service → names of nodes
	Types                             map[string]string   // topic → type; * if unknown
}

// Nodes returns the names of all nodes, sorted.
func (g *State) Nodes() (names []string) {
	for _, topics := range []map[string][]string{g.Publishers, g.Subscribers, g.Services} {
		for _, nodes := range topics {
			names = append(names, nodes...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// FetchState asks the master at masterURI for the state of the graph. The argument caller is the caller id. The state
// includes nodes that died without unregistering. FetchState returns an error if the master does not answer.
func FetchState(ctx context.Context, masterURI, caller string) (*State, error) {
	g, err := FetchNodes(ctx, masterURI, caller)
	if err != nil {
		return nil, err
	}
	v, err := Call(ctx, masterURI, "getTopicTypes", caller)
	if err != nil {
		return nil, err
	}
	pairs, _ := v.([]any)
	for _, p := range pairs {
		if pair, _ := p.([]any); len(pair) == 2 {
			topic, _ := pair[0].(string)
			g.Types[topic], _ = pair[1].(string)
		}
	}
	return g, nil
}

// FetchNodes does the same as FetchState, but leaves out the types. It needs only one call to the master instead of
// two.
func FetchNodes(ctx context.Context, masterURI, caller string) (*State, error) {
	v, err := Call(ctx, masterURI, "getSystemState", caller)
	if err != nil {
		return nil, err
	}
	lists, _ := v.([]any)
	if len(lists) != 3 {
		return nil, fmt.Errorf("master: getSystemState: answer %.80v: must be three lists", v)
	}
	return &State{named(lists[0]), named(lists[1]), named(lists[2]), map[string]string{}}, nil
}

// named decodes a list of the form [[name, [node…]]…].
func named(v any) map[string][]string {
	out := map[string][]string{}
	list, _ := v.([]any)
	for _, e := range list {
		pair, _ := e.([]any)
		if len(pair) != 2 {
			continue
		}
		name, _ := pair[0].(string)
		nodes, _ := pair[1].([]any)
		for _, v := range nodes {
			if node, ok := v.(string); ok {
				out[name] = append(out[name], node)
			}
		}
	}
	return out
}
