package rosbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// args holds the fields of all requests to rosapi; GetParam's default is text of JSON.
type args struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Default   string `json:"default"`
	Topic     string `json:"topic"`
	Type      string `json:"type"`
	Service   string `json:"service"`
	Node      string `json:"node"`
	DefaultV2 string `json:"default_value"`
}

// result is a response: field → value.
type result map[string]any

// api is one service of rosapi.
type api struct {
	typ string
	do  func(s *Server, ctx context.Context, a args) (result, error)
}

// rosapi is what roslib.js asks of the node /rosapi. Source: rosapi 0.11, srv/*.srv and rosapi_node.
func rosapi() map[string]api {
	return map[string]api{
		"topics":                   {"rosapi/Topics", ofGraph(topics)},
		"topics_for_type":          {"rosapi/TopicsForType", ofGraph(topicsForType)},
		"topics_and_raw_types":     {"rosapi/TopicsAndRawTypes", (*Server).topicsAndRawTypes},
		"topic_type":               {"rosapi/TopicType", ofGraph(topicType)},
		"services":                 {"rosapi/Services", (*Server).services},
		"services_for_type":        {"rosapi/ServicesForType", (*Server).servicesForType},
		"service_type":             {"rosapi/ServiceType", (*Server).typeOfService},
		"service_providers":        {"rosapi/ServiceProviders", ofGraph(serviceProviders)},
		"service_node":             {"rosapi/ServiceNode", ofGraph(serviceNode)},
		"service_host":             {"rosapi/ServiceHost", (*Server).serviceHost},
		"nodes":                    {"rosapi/Nodes", ofGraph(nodes)},
		"node_details":             {"rosapi/NodeDetails", ofGraph(nodeDetails)},
		"publishers":               {"rosapi/Publishers", ofGraph(publishers)},
		"subscribers":              {"rosapi/Subscribers", ofGraph(subscribers)},
		"action_servers":           {"rosapi/GetActionServers", ofGraph(actionServers)},
		"message_details":          {"rosapi/MessageDetails", (*Server).messageDetails},
		"service_request_details":  {"rosapi/ServiceRequestDetails", (*Server).requestDetails},
		"service_response_details": {"rosapi/ServiceResponseDetails", (*Server).responseDetails},
		"get_param":                {"rosapi/GetParam", (*Server).getParam},
		"set_param":                {"rosapi/SetParam", (*Server).setParam},
		"has_param":                {"rosapi/HasParam", (*Server).hasParam},
		"delete_param":             {"rosapi/DeleteParam", (*Server).deleteParam},
		"search_param":             {"rosapi/SearchParam", (*Server).searchParam},
		"get_param_names":          {"rosapi/GetParamNames", (*Server).paramNames},
		"get_time":                 {"rosapi/GetTime", (*Server).getTime},
	}
}

// rosapiName returns what follows /rosapi/ in a service's name.
func rosapiName(service string) string {
	name, ok := strings.CutPrefix(strings.TrimPrefix(service, "/"), "rosapi/")
	if !ok {
		return ""
	}
	return name
}

func (s *Server) callRosapi(ctx context.Context, do api, raw []byte) ([]byte, error) {
	var a args
	if len(raw) > 0 && string(raw) != "[]" {
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, fmt.Errorf("%s: arguments %.60q: must be an object of strings", do.typ, raw)
		}
	}
	r, err := do.do(s, ctx, a)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

// ofGraph makes a service of a function of the state of the graph.
func ofGraph(f func(g *graph.State, a args) result) func(*Server, context.Context, args) (result, error) {
	return func(s *Server, ctx context.Context, a args) (result, error) {
		g, err := s.node.Graph(ctx)
		if err != nil {
			return nil, err
		}
		return f(g, a), nil
	}
}

// keys returns the sorted names of a table that satisfy ok, never nil: JSON has [] for none.
func keys[V any](m map[string]V, ok func(name string, v V) bool) []string {
	out := []string{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if ok(k, m[k]) {
			out = append(out, k)
		}
	}
	return out
}

func has(node string) func(string, []string) bool {
	return func(_ string, nodes []string) bool { return slices.Contains(nodes, node) }
}

// list returns l, or an empty list for nil: JSON has [] for none.
func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// topicList returns the topics that have a publisher or a subscriber, and their types.
func topicList(g *graph.State) (topics, types []string) {
	all := maps.Clone(g.Publishers)
	maps.Copy(all, g.Subscribers)
	topics, types = slices.Sorted(maps.Keys(all)), []string{}
	for _, t := range topics {
		types = append(types, g.Types[t])
	}
	return list(topics), types
}

func topics(g *graph.State, _ args) result {
	topics, types := topicList(g)
	return result{"topics": topics, "types": types}
}

func topicsForType(g *graph.State, a args) result {
	topics, types := topicList(g)
	out := []string{}
	for i, t := range topics {
		if types[i] == a.Type {
			out = append(out, t)
		}
	}
	return result{"topics": out}
}

func topicType(g *graph.State, a args) result {
	return result{"type": g.Types[graph.Resolve("/", a.Topic)]}
}

func publishers(g *graph.State, a args) result {
	return result{"publishers": list(g.Publishers[graph.Resolve("/", a.Topic)])}
}

func subscribers(g *graph.State, a args) result {
	return result{"subscribers": list(g.Subscribers[graph.Resolve("/", a.Topic)])}
}

func nodes(g *graph.State, _ args) result { return result{"nodes": list(g.Nodes())} }

func nodeDetails(g *graph.State, a args) result {
	return result{"publishing": keys(g.Publishers, has(a.Node)), "subscribing": keys(g.Subscribers, has(a.Node)),
		"services": keys(g.Services, has(a.Node))}
}

// actionServers lists the names below which the five topics of an action are.
func actionServers(g *graph.State, _ args) result {
	topics, _ := topicList(g)
	out := []string{}
	for _, t := range topics {
		name, ok := strings.CutSuffix(t, "/goal")
		for _, part := range []string{"/cancel", "/feedback", "/result", "/status"} {
			ok = ok && slices.Contains(topics, name+part)
		}
		if ok {
			out = append(out, name)
		}
	}
	return result{"action_servers": out}
}

func serviceProviders(g *graph.State, a args) result {
	return result{"providers": list(g.Services[graph.Resolve("/", a.Service)])}
}

func serviceNode(g *graph.State, a args) result {
	nodes := append(g.Services[graph.Resolve("/", a.Service)], "")
	return result{"node": nodes[0]}
}
