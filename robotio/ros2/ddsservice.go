package ros2

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// Services have two dialects. With CycloneDDS, requests and answers begin with 16 bytes: a number of the client and the
// number of the request. With Fast DDS and others, the related sample identity of an answer names the client's reader
// and the number of the request. A server answers each client in its dialect. Source: rmw_cyclonedds, issue 184.

// callID is the header of CycloneDDS's dialect.
type callID struct {
	client uint64
	seq    int64
}

const (
	encapsulation = 4
	callIDSize    = 16
)

var le = binary.LittleEndian

// cutCallID reads the header from a message, and returns the message without it.
func cutCallID(b []byte) (id callID, rest []byte, ok bool) {
	if len(b) < encapsulation+callIDSize || b[0] != 0 || b[1] > 1 {
		return id, b, false
	}
	var order binary.ByteOrder = le
	if b[1] == 0 {
		order = binary.BigEndian
	}
	id = callID{order.Uint64(b[4:]), int64(order.Uint64(b[12:]))}
	return id, append(b[:encapsulation], b[encapsulation+callIDSize:]...), true
}

// withCallID returns a message to write with the header.
func withCallID(b []byte, id callID) rtps.Outgoing {
	head := append(make([]byte, 0, encapsulation+callIDSize), b[:encapsulation]...)
	return rtps.Outgoing{Head: le.AppendUint64(le.AppendUint64(head, id.client), uint64(id.seq)),
		Body: b[encapsulation:]}
}

// randomID returns 16 random bytes as rmw_cyclonedds writes them.
func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ReplaceAll(fmt.Sprintf("% x", b), " ", ".")
}

// ddsService is a service over DDS: a reader of requests and a writer of answers.
type ddsService struct {
	*Service
	clients *peers // writers of requests
	replies *peers // readers of answers
}

// replyWait is how long an answer waits until the client's reader is found. rmw waits 0.1 s. It is longer here, because
// nobody else waits for it.
const replyWait = time.Second

func (*dds) serve(s *Service, def *msg.ServiceDefinition) error {
	x := &ddsService{Service: s, clients: newPeers(), replies: newPeers()}
	id := "serviceid=" + randomID() + ";"
	err := s.write("rr", "Reply", def.Response, serviceQoS, id, x.replies)
	if err == nil {
		err = s.read("rq", "Request", def.Request, serviceQoS, id, x.clients, x.received)
	}
	return err
}

// received handles a request.
func (s *ddsService) received(payload []byte, info rtps.Info) {
	client, ok := s.clients.find(info.GUID)
	if !ok {
		return
	}
	b, cyclone, id := append([]byte(nil), payload...), client.Vendor == rtps.CycloneDDS, callID{}
	if cyclone {
		if id, b, ok = cutCallID(b); !ok {
			s.node.c.warn("request dropped: it has no header", "service", s.name, "client", info.GUID)
			return
		}
	}
	s.handleRequest(&request{encoded: b, hash: func() string { return s.clientHash(info) }, answer: func(out []byte) {
		if out == nil {
			return
		}
		o := rtps.Outgoing{Head: out, Related: rtps.Identity{GUID: info.Related.GUID, Seq: info.Seq}}
		if o.Related.GUID == (rtps.GUID{}) {
			o.Related.GUID = info.GUID
		}
		if cyclone {
			o = withCallID(out, id)
		}
		s.answer(o, info)
	}})
}

// clientHash returns the hash of the type of responses that the client of a request reads, or "".
func (s *ddsService) clientHash(request rtps.Info) string {
	for _, id := range s.awaitReaders(request) {
		if e, ok := s.replies.find(id); ok {
			return typeHash(e.UserData)
		}
	}
	return ""
}

// answer sends an answer to the client that sent the request.
func (s *ddsService) answer(o rtps.Outgoing, request rtps.Info) {
	readers := s.awaitReaders(request)
	for _, to := range readers {
		o.To = to
		_, _ = s.writer.Write(o) // fails only if the service is closed or the memory is used up
	}
	if len(readers) == 0 && s.node.c.ctx.Err() == nil {
		s.node.c.warn("answer dropped: its client is gone", "service", s.name, "client", request.GUID)
	}
}

// awaitReaders waits until the readers of a request's client are found, and returns them. It returns none if that takes
// longer than replyWait.
func (s *ddsService) awaitReaders(request rtps.Info) []rtps.GUID {
	timeout := time.NewTimer(replyWait)
	defer timeout.Stop()
	for {
		changed := s.replies.wait()
		if readers := s.readersOf(request); len(readers) > 0 {
			return readers
		}
		select {
		case <-changed:
		case <-timeout.C:
			return nil
		case <-s.node.c.ctx.Done():
			return nil
		}
	}
}

// readersOf returns the readers that may belong to the client of a request. They are one reader if the request names
// it, or else all those of the client's participant, which find out by the answer's number whether it is theirs.
func (s *ddsService) readersOf(request rtps.Info) (all []rtps.GUID) {
	named := request.Related.GUID
	isReader := named[15] == 0x04 || named[15] == 0x07 // RTPS 2.3, 9.3.1.2
	for _, e := range s.replies.list() {
		if isReader && e.GUID == named || !isReader && e.GUID.Prefix() == request.GUID.Prefix() {
			all = append(all, e.GUID)
		}
	}
	return all
}

// ddsClient is a client over DDS: a writer of requests and a reader of answers.
type ddsClient struct {
	*caller
	sources *peers // writers of answers
	number  uint64 // of the client, for CycloneDDS

	meeting sync.Mutex
	met     rtps.GUID // the server that knows the client

	mu      sync.Mutex
	last    int64
	pending map[callKey]chan<- []byte
}

// callKey names a request in one of the two dialects.
type callKey struct {
	cyclone bool
	seq     int64
}

func (*dds) client(of *caller, def *msg.ServiceDefinition) error {
	c := &ddsClient{caller: of, sources: newPeers(), pending: map[callKey]chan<- []byte{}}
	of.asker = c
	id := "clientid=" + randomID() + ";"
	c.mu.Lock() // answers may come before the reader is stored
	defer c.mu.Unlock()
	err := c.write("rq", "Request", def.Request, serviceQoS, id, c.servers)
	if err == nil {
		guid := c.writer.GUID()
		c.number = le.Uint64(guid[2:]) ^ uint64(le.Uint32(guid[12:]))
		err = c.read("rr", "Reply", def.Response, serviceQoS, id, c.sources, c.answer)
	}
	return err
}

// server returns the server that the client found first.
func (c *ddsClient) server() (rtps.Endpoint, bool) {
	sources := c.sources.list()
	for _, e := range c.servers.list() {
		for _, s := range sources {
			if s.GUID.Prefix() == e.GUID.Prefix() {
				return e.Endpoint, true
			}
		}
	}
	return rtps.Endpoint{}, false
}

// ask is that of asker.
func (c *ddsClient) ask(ctx context.Context, request []byte) ([]byte, error) {
	var server rtps.Endpoint
	err := c.await(ctx, c.sources, func() (found bool) {
		server, found = c.server()
		return found
	})
	if err != nil {
		return nil, err
	}
	c.meet(ctx, server.GUID)
	answers := make(chan []byte, 1)
	id, err := c.send(server, request, answers)
	if err != nil {
		return nil, err
	}
	defer func() {
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
	}()
	return c.receive(ctx, answers)
}

// meetWait is the longest time that a client waits until a server knows it.
const meetWait = time.Second

// meet waits until a server knows the client's writer and reader. Otherwise CycloneDDS would skip the first request,
// and Fast DDS would lose the first answer. For this, the client writes a sample that nobody gets, because even so the
// server acknowledges its number.
func (c *ddsClient) meet(ctx context.Context, server rtps.GUID) {
	c.meeting.Lock()
	defer c.meeting.Unlock()
	if c.met == server {
		return
	}
	c.met = server
	nobody := c.writer.GUID()
	_, _ = c.writer.Write(rtps.Outgoing{Head: []byte{0, 1, 0, 0}, To: nobody})
	ctx, stop := context.WithTimeout(ctx, meetWait)
	defer stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	known := func() bool { return c.writer.(*rtps.Writer).Acknowledged() && c.reader.Known(server.Prefix()) }
	for !known() && ctx.Err() == nil && c.node.c.ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// send sends a request in the server's dialect.
func (c *ddsClient) send(server rtps.Endpoint, request []byte, answer chan<- []byte) (callKey, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := callKey{cyclone: server.Vendor == rtps.CycloneDDS}
	o := rtps.Outgoing{Head: request, Related: rtps.Identity{GUID: c.reader.GUID(), Seq: rtps.UnknownSeq}}
	if id.cyclone {
		c.last++
		id.seq = c.last
		o = withCallID(request, callID{c.number, id.seq})
	}
	o.To = server.GUID
	seq, err := c.writer.Write(o)
	if err != nil {
		return id, err
	}
	if !id.cyclone {
		id.seq = seq
	}
	c.pending[id] = answer
	return id, nil
}

// answer handles an answer, which may be that of another client.
func (c *ddsClient) answer(payload []byte, info rtps.Info) {
	server, ok := c.sources.find(info.GUID)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b, id := append([]byte(nil), payload...), callKey{server.Vendor == rtps.CycloneDDS, info.Related.Seq}
	if id.cyclone {
		var header callID
		if header, b, ok = cutCallID(b); !ok || header.client != c.number {
			return
		}
		id.seq = header.seq
	} else if to := info.Related.GUID; to != c.reader.GUID() && to != c.writer.GUID() {
		return
	}
	if waiting := c.pending[id]; waiting != nil {
		delete(c.pending, id)
		waiting <- b
	}
}
