package rosbridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// serveTime is the wall time within which a client must answer a call; a guess.
const serveTime = time.Minute

// advertiseService registers a service that the client serves.
func (x *session) advertiseService(r *request) error {
	if most := x.client.Limits().Subscriptions; len(x.services) >= most {
		return fmt.Errorf("service %s: %d services are advertised: must be at most %d", r.Service, len(x.services),
			most)
	}
	if x.services[r.Service] != nil {
		return fmt.Errorf("service %s: is advertised already", r.Service)
	}
	def, err := x.server.Node.ServiceType(r.Type)
	if err != nil {
		return fmt.Errorf("service %s: type = %.80q: must be in the library: %w", r.Service, r.Type, err)
	}
	req, resp, err := dynamic.CompileService(def)
	if err != nil {
		return err
	}
	name := r.Service
	s, err := ros1.ServeRaw(x.server.Node, name, def, func(ctx context.Context, b, out []byte) ([]byte, error) {
		args, err := req.AppendJSON(nil, b)
		if err != nil {
			return out, err
		}
		values, err := x.callClient(ctx, name, args)
		if err != nil {
			return out, err
		}
		return resp.AppendROS(out, values, x.server.Clock.Now())
	})
	if err != nil {
		return err
	}
	x.services[name] = s
	return nil
}

func (x *session) unadvertiseService(r *request) error {
	s := x.services[r.Service]
	if s == nil {
		return fmt.Errorf("service %s: is not advertised", r.Service)
	}
	delete(x.services, r.Service)
	return s.Close()
}

// callClient sends a call to the client and waits for its answer.
func (x *session) callClient(ctx context.Context, name string, args []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, serveTime)
	defer cancel()
	answer := make(chan *request, 1)
	x.mu.Lock()
	if len(x.waiting) >= x.client.Limits().Calls {
		x.mu.Unlock()
		return nil, fmt.Errorf("%d calls are waiting for the client: must be at most %[1]d", x.client.Limits().Calls)
	}
	x.nextID++
	id := "service_request:" + name + ":" + strconv.Itoa(x.nextID)
	key := string(dynamic.AppendString(nil, id))
	x.waiting[key] = answer
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		delete(x.waiting, key)
		x.mu.Unlock()
	}()
	b := append([]byte(`{"op":"call_service","id":`), key...)
	b = dynamic.AppendString(append(b, `,"service":`...), name)
	x.client.Send(false, append(append(append(b, `,"args":`...), args...), '}'))
	select {
	case r := <-answer:
		if r.Result != nil && !*r.Result {
			return nil, fmt.Errorf("the client reports: %s", text(r.Values))
		}
		if values := bytes.TrimSpace(r.Values); len(values) > 0 && string(values) != "null" {
			return values, nil
		}
		return []byte("{}"), nil
	case <-x.client.Context().Done():
		return nil, errors.New("the client has disconnected")
	case <-ctx.Done():
		return nil, fmt.Errorf("the client does not answer: %w", ctx.Err())
	}
}

// text returns the text of a JSON string, or the JSON itself.
func text(b []byte) string {
	var s string
	if json.Unmarshal(b, &s) == nil {
		return s
	}
	return string(b)
}

// serviceResponse handles the client's answer to a call.
func (x *session) serviceResponse(r *request) error {
	x.mu.Lock()
	answer := x.waiting[r.id()]
	delete(x.waiting, r.id())
	x.mu.Unlock()
	if answer == nil {
		return fmt.Errorf("service %s: id = %.80s: no such call", r.Service, r.id())
	}
	answer <- r
	return nil
}
