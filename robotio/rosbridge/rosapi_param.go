package rosbridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// getParam returns the value as JSON in a string. If the parameter is not set, it returns the default of the request,
// or null.
func (s *Server) getParam(_ context.Context, a args) (result, error) {
	v, err := s.node.GetParam(a.Name)
	if errors.Is(err, ros1.ErrNoParam) {
		value := a.Default + a.DefaultV2
		if value == "" {
			value = "null"
		}
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
	if err := s.node.SetParam(a.Name, v); err != nil {
		return nil, err
	}
	return result{"successful": true, "reason": ""}, nil
}

func (s *Server) hasParam(_ context.Context, a args) (result, error) {
	has, err := s.node.HasParam(a.Name)
	return result{"exists": has}, err
}

func (s *Server) deleteParam(_ context.Context, a args) (result, error) {
	if err := s.node.DeleteParam(a.Name); err != nil {
		return nil, err
	}
	return result{"successful": true, "reason": ""}, nil
}

func (s *Server) searchParam(ctx context.Context, a args) (result, error) {
	v, err := s.node.CallMaster(ctx, "searchParam", a.Name)
	if err != nil {
		return nil, err
	}
	return result{"global_name": v}, nil
}

func (s *Server) paramNames(ctx context.Context, _ args) (result, error) {
	names, err := web.ParamNames(ctx, s.node)
	return result{"names": names}, err
}

func (s *Server) getTime(context.Context, args) (result, error) {
	t := s.clock.Now()
	return result{"time": map[string]uint32{"secs": t.Sec, "nsecs": t.Nsec}}, nil
}
