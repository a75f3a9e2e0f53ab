package rosbridge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// callTime is the maximum wall time of a call for which the client gives no timeout; a guess.
const callTime = time.Minute

// callService calls a service.
func (x *session) callService(r *request) error {
	err := x.client.Call(cmp.Or(seconds(r.Timeout), callTime), func(ctx context.Context) {
		values, err := x.server.call(ctx, r.Service, r.Args)
		x.answer(r, values, err)
	})
	if err != nil {
		x.answer(r, nil, fmt.Errorf("service %s: %w", r.Service, err))
	}
	return nil
}

// answer sends the result of a call.
func (x *session) answer(r *request, values []byte, err error) {
	b := []byte(`{"op":"service_response"`)
	if len(r.ID) > 0 {
		b = append(append(b, `,"id":`...), r.ID...)
	}
	b = append(dynamic.AppendString(append(b, `,"service":`...), r.Service), `,"values":`...)
	if err != nil {
		b = dynamic.AppendString(b, err.Error())
	} else {
		b = append(b, values...)
	}
	b = append(strconv.AppendBool(append(b, `,"result":`...), err == nil), '}')
	if size := boundedCount(r.FragmentSize); size > 0 && len(b) > size {
		x.mu.Lock()
		x.nextID++
		id := "service_response:" + strconv.Itoa(x.nextID)
		x.mu.Unlock()
		_ = split(b, size, id, func(part []byte) error { x.client.Send(false, part); return nil })
		return
	}
	x.client.Send(false, b)
	if err != nil {
		x.sendError(r, "call_service: "+err.Error())
	}
}

// call calls a service with arguments in JSON. It answers calls of the services of rosapi itself.
func (s *Server) call(ctx context.Context, name string, args []byte) ([]byte, error) {
	if do, ok := s.api[rosapiName(name)]; ok {
		return s.callRosapi(ctx, do, args)
	}
	def, err := web.ServiceType(ctx, s.Node, name)
	if err != nil {
		return nil, err
	}
	if args, err = argumentObject(args, def.Request); err != nil {
		return nil, fmt.Errorf("service %s: %w", name, err)
	}
	return s.CallService(ctx, name, def, args, false)
}

// argumentObject converts a list of arguments, in the order of the fields, to an object. Missing arguments are an empty
// object.
func argumentObject(args []byte, def *msg.Definition) ([]byte, error) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		return []byte("{}"), nil
	}
	if args[0] != '[' {
		return args, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(args, &list); err != nil {
		return nil, err
	}
	if len(list) > len(def.Fields) {
		return nil, fmt.Errorf("%d arguments: must be at most %d", len(list), len(def.Fields))
	}
	b := []byte{'{'}
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(dynamic.AppendString(b, def.Fields[i].Name), ':'), v...)
	}
	return append(b, '}'), nil
}
