package rosbridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// args holds the fields of all requests to rosapi. Default is JSON in a string.
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

// result is a response: the values of its fields.
type result map[string]any

// api is one service of rosapi.
type api struct {
	typ  string
	call func(s *Server, ctx context.Context, a args) (result, error)
}

// rosapi returns the services of the node /rosapi that roslib.js uses. Source: rosapi 0.11, srv/*.srv and rosapi_node.
func rosapi() map[string]api {
	absolute := func(name string) string { return graph.Resolve("/", name) }
	return map[string]api{
		"topics": {"rosapi/Topics", ofGraph(func(g *graph.State, _ args) result {
			topics, types := topicList(g)
			return result{"topics": topics, "types": types}
		})},
		"topics_for_type": {"rosapi/TopicsForType", ofGraph(func(g *graph.State, a args) result {
			topics, types := topicList(g)
			found := []string{}
			for i, t := range topics {
				if types[i] == a.Type {
					found = append(found, t)
				}
			}
			return result{"topics": found}
		})},
		"topics_and_raw_types": {"rosapi/TopicsAndRawTypes", (*Server).topicsAndRawTypes},
		"topic_type": {"rosapi/TopicType", ofGraph(func(g *graph.State, a args) result {
			return result{"type": g.Types[absolute(a.Topic)]}
		})},
		"services":          {"rosapi/Services", (*Server).services},
		"services_for_type": {"rosapi/ServicesForType", (*Server).servicesForType},
		"service_type":      {"rosapi/ServiceType", (*Server).typeOfService},
		"service_providers": {"rosapi/ServiceProviders", ofGraph(func(g *graph.State, a args) result {
			return result{"providers": list(g.Services[absolute(a.Service)])}
		})},
		"service_node": {"rosapi/ServiceNode", ofGraph(func(g *graph.State, a args) result {
			return result{"node": append(g.Services[absolute(a.Service)], "")[0]}
		})},
		"service_host": {"rosapi/ServiceHost", (*Server).serviceHost},
		"nodes": {"rosapi/Nodes", ofGraph(func(g *graph.State, _ args) result {
			return result{"nodes": list(g.Nodes())}
		})},
		"node_details": {"rosapi/NodeDetails", ofGraph(func(g *graph.State, a args) result {
			return result{"publishing": keys(g.Publishers, has(a.Node)),
				"subscribing": keys(g.Subscribers, has(a.Node)), "services": keys(g.Services, has(a.Node))}
		})},
		"publishers": {"rosapi/Publishers", ofGraph(func(g *graph.State, a args) result {
			return result{"publishers": list(g.Publishers[absolute(a.Topic)])}
		})},
		"subscribers": {"rosapi/Subscribers", ofGraph(func(g *graph.State, a args) result {
			return result{"subscribers": list(g.Subscribers[absolute(a.Topic)])}
		})},
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

// rosapiName returns the part after /rosapi/ of a service's name, or "".
func rosapiName(service string) string {
	name, ok := strings.CutPrefix(strings.TrimPrefix(service, "/"), "rosapi/")
	if !ok {
		return ""
	}
	return name
}

func (s *Server) callRosapi(ctx context.Context, service api, raw []byte) ([]byte, error) {
	var a args
	if len(raw) > 0 && string(raw) != "[]" {
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, fmt.Errorf("%s: arguments %.60q: must be an object of strings", service.typ, raw)
		}
	}
	r, err := service.call(s, ctx, a)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

// ofGraph returns a service that reads the state of the graph.
func ofGraph(f func(g *graph.State, a args) result) func(*Server, context.Context, args) (result, error) {
	return func(s *Server, ctx context.Context, a args) (result, error) {
		g, err := s.Node.Graph(ctx)
		if err != nil {
			return nil, err
		}
		return f(g, a), nil
	}
}

// keys returns the keys of the pairs for which ok returns true, sorted. It never returns nil, because JSON would encode
// nil as null.
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

// list returns l, or an empty list if l is nil, because JSON would encode nil as null.
func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// topicList returns the topics with a publisher or a subscriber, and their types.
func topicList(g *graph.State) (topics, types []string) {
	topics, types = g.Topics(), []string{}
	for _, t := range topics {
		types = append(types, g.Types[t])
	}
	return list(topics), types
}

// actionServers lists the names that have the five topics of an action below them.
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

// getParam returns the value as JSON in a string. If the parameter is not set, it returns the default of the request,
// or null.
func (s *Server) getParam(_ context.Context, a args) (result, error) {
	v, err := s.Node.GetParam(a.Name)
	if errors.Is(err, ros1.ErrNoParam) {
		value := cmp.Or(a.Default+a.DefaultV2, "null")
		return result{"value": value, "successful": true, "reason": ""}, nil
	}
	if err != nil {
		return nil, err
	}
	return result{"value": string(web.ParamJSON(v)), "successful": true, "reason": ""}, nil
}

func (s *Server) setParam(_ context.Context, a args) (result, error) {
	v, err := web.Param([]byte(a.Value))
	if err != nil {
		return nil, fmt.Errorf("parameter %s: %w", a.Name, err)
	}
	if err := s.Node.SetParam(a.Name, v); err != nil {
		return nil, err
	}
	return result{"successful": true, "reason": ""}, nil
}

func (s *Server) hasParam(_ context.Context, a args) (result, error) {
	has, err := s.Node.HasParam(a.Name)
	return result{"exists": has}, err
}

func (s *Server) deleteParam(_ context.Context, a args) (result, error) {
	if err := s.Node.DeleteParam(a.Name); err != nil {
		return nil, err
	}
	return result{"successful": true, "reason": ""}, nil
}

func (s *Server) searchParam(ctx context.Context, a args) (result, error) {
	v, err := s.Node.CallMaster(ctx, "searchParam", a.Name)
	if err != nil {
		return nil, err
	}
	return result{"global_name": v}, nil
}

func (s *Server) paramNames(ctx context.Context, _ args) (result, error) {
	names, err := web.ParamNames(ctx, s.Node)
	return result{"names": names}, err
}

func (s *Server) getTime(context.Context, args) (result, error) {
	t := s.Clock.Now()
	return result{"time": map[string]uint32{"secs": t.Sec, "nsecs": t.Nsec}}, nil
}

// services lists the services of the graph and of rosapi.
func (s *Server) services(ctx context.Context, _ args) (result, error) {
	g, err := s.Node.Graph(ctx)
	if err != nil {
		return nil, err
	}
	all := keys(g.Services, func(string, []string) bool { return true })
	for _, name := range keys(s.api, func(string, api) bool { return true }) {
		all = append(all, "/rosapi/"+name)
	}
	return result{"services": all}, nil
}

func (s *Server) typeOfService(ctx context.Context, a args) (result, error) {
	if do, ok := s.api[rosapiName(a.Service)]; ok {
		return result{"type": do.typ}, nil
	}
	h, err := ros1.ProbeService(ctx, s.Node, a.Service)
	if errors.Is(err, ros1.ErrNoService) {
		return result{"type": ""}, nil
	}
	return result{"type": h.Type}, err
}

// servicesForType queries the type of each service from its server.
func (s *Server) servicesForType(ctx context.Context, a args) (result, error) {
	g, err := s.Node.Graph(ctx)
	if err != nil {
		return nil, err
	}
	return result{"services": keys(g.Services, func(name string, _ []string) bool {
		h, err := ros1.ProbeService(ctx, s.Node, name)
		return err == nil && h.Type == a.Type
	})}, nil
}

func (s *Server) serviceHost(ctx context.Context, a args) (result, error) {
	v, err := s.Node.CallMaster(ctx, "lookupService", graph.Resolve("/", a.Service))
	if err != nil {
		return nil, err
	}
	uri, _ := v.(string)
	u, err := url.Parse(uri)
	if err != nil {
		return nil, fmt.Errorf("service %s: provider = %.80q: must be rosrpc://host:port", a.Service, uri)
	}
	return result{"host": u.Hostname()}, nil
}
