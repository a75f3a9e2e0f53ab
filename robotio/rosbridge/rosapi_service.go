package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// services lists the services of the graph and of rosapi.
func (s *Server) services(ctx context.Context, _ args) (result, error) {
	g, err := s.node.Graph(ctx)
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
	h, err := ros1.ProbeService(ctx, s.node, a.Service)
	if errors.Is(err, ros1.ErrNoService) {
		return result{"type": ""}, nil
	}
	return result{"type": h.Type}, err
}

// servicesForType queries the type of each service from its server.
func (s *Server) servicesForType(ctx context.Context, a args) (result, error) {
	g, err := s.node.Graph(ctx)
	if err != nil {
		return nil, err
	}
	return result{"services": keys(g.Services, func(name string, _ []string) bool {
		h, err := ros1.ProbeService(ctx, s.node, name)
		return err == nil && h.Type == a.Type
	})}, nil
}

func (s *Server) serviceHost(ctx context.Context, a args) (result, error) {
	v, err := s.node.CallMaster(ctx, "lookupService", graph.Resolve("/", a.Service))
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
