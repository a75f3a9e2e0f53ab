package ros2

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/zenoh"
)

// serviceToken returns what services and clients have in common.
func serviceToken(e *entity, kind tokenKind, def *msg.ServiceDefinition) (*token, error) {
	if err := checkROS2(def.Request); err != nil {
		return nil, err
	}
	typ := strings.TrimSuffix(ddsType(def.Request.TypeName), "Request_")
	return &token{kind: kind, name: e.name, typ: typ, hash: def.Hash, qos: serviceQoS}, nil
}

func (z *zenohTransport) serve(s *Service, def *msg.ServiceDefinition) error {
	t, err := serviceToken(&s.entity, tokenService, def)
	if err != nil {
		return err
	}
	x := z.newEnd(s.node, t, func(rtps.Endpoint, bool) {})
	d, err := z.session.Queryable(x.key, true, func(q *zenoh.Query) {
		info, ok := parseAttachment(q.Attachment)
		if !ok {
			z.c.warn("request dropped: it has no attachment of ROS 2", "service", s.name)
			q.Done()
			return
		}
		hash := func() string { return def.Response.Hash } // clients have the same key, and the hash is in it
		s.handleRequest(&request{encoded: q.Payload, hash: hash, answer: func(out []byte) {
			if out != nil {
				a := attach(info.Identity, time.Now())
				_ = q.Reply(x.key, out, zenoh.Options{Attachment: a[:]}) // fails only if the router is gone
			}
			q.Done()
		}})
	})
	if err == nil {
		x.data = d.Close
	}
	if err = x.begin(t, err); err == nil {
		s.add(x, t.endpoint(x.guid))
	}
	return err
}

// longestCall is the longest time that a call waits if its context has no deadline. Nobody waits that long.
const longestCall = time.Hour

// zenohClient is a client over Zenoh: it asks the complete queryables with the service's key.
type zenohClient struct {
	*caller
	*zenohEnd
	last atomic.Int64
}

func (z *zenohTransport) client(of *caller, def *msg.ServiceDefinition) error {
	t, err := serviceToken(&of.entity, tokenClient, def)
	if err != nil {
		return err
	}
	c := &zenohClient{caller: of, zenohEnd: z.newEnd(of.node, t, of.servers.match)}
	of.asker = c
	if err = c.begin(t, nil); err == nil {
		of.add(c.zenohEnd, t.endpoint(c.guid))
	}
	return err
}

// ask is that of asker.
func (c *zenohClient) ask(ctx context.Context, request []byte) ([]byte, error) {
	if err := c.await(ctx, c.servers, func() bool { return c.NumMatched() > 0 }); err != nil {
		return nil, err
	}
	wait := longestCall
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, max(time.Until(deadline), time.Millisecond))
	}
	a := attach(rtps.Identity{GUID: c.guid, Seq: c.last.Add(1)}, time.Now())
	answers := make(chan []byte, 1)
	err := c.z.session.Get(zenoh.Question{Key: c.key, Payload: request, Attachment: a[:], Target: zenoh.AllComplete,
		Timeout: wait}, func(m zenoh.Sample) {
		select {
		case answers <- bytes.Clone(m.Payload):
		default: // another server was faster
		}
	}, func(error) { close(answers) })
	if err != nil {
		return nil, err
	}
	return c.receive(ctx, answers)
}
