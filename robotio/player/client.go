package player

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/admission"
)

// Limits of a client; guesses.
const (
	maxPayload = 64 << 10         // size of the payload of a command or a request, bytes
	maxPending = 16               // number of requests without an answer; further messages then wait
	writeTime  = 30 * time.Second // wall time for a client to accept one message
	silentTime = 5 * time.Second  // wall time after which a client that has sent nothing makes room for others
)

// capabilities is the subtype of the request for capabilities, which all devices answer.
const capabilities = 255

var (
	errUnsupported = errors.New("is not supported")
	errNotOpen     = errors.New("the client has not opened the device")
	errNoDevice    = errors.New("there is no such device")
	errCut         = errors.New("the robot's wires are cut (action cut_wires)")
)

// client is a connection of a robot's program.
type client struct {
	port    *port
	conn    net.Conn
	place   admission.Conn
	start   time.Time
	heard   atomic.Bool // whether the client has sent a message
	queue   queue
	ctx     context.Context
	cancel  context.CancelFunc
	pending chan struct{} // contains one value for each request without an answer
	open    []*device     // devices that the client has opened; belongs to the goroutine that reads
}

func newClient(p *port, conn net.Conn) *client {
	c := &client{port: p, conn: conn, start: time.Now(), queue: queue{wake: make(chan struct{}, 1)},
		pending: make(chan struct{}, maxPending)}
	c.ctx, c.cancel = context.WithCancel(p.ctx)
	addr, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
	c.place = admission.Conn{Addr: addr, Rank: c.rank, Close: conn.Close}
	return c
}

// rank returns the client's rank for package admission.
func (c *client) rank() admission.Rank {
	switch {
	case c.heard.Load():
		return admission.Unknown
	case time.Since(c.start) > silentTime:
		return admission.Stalled
	}
	return admission.Silent
}

// run serves the client until it disconnects.
func (c *client) run() {
	stop := context.AfterFunc(c.ctx, func() { _ = c.conn.Close() })
	defer stop()
	var writing sync.WaitGroup
	writing.Go(c.write)
	err := c.read()
	c.cancel()
	writing.Wait()
	for _, d := range c.open {
		d.close(c)
	}
	c.queue.close()
	c.port.places.Leave(&c.place)
	if tooLong, ok := errors.AsType[tooLongError](err); ok {
		c.port.server.cfg.Say(fmt.Sprintf("robot %s: Player: the client at %s is disconnected: %v", c.port.robot.Name,
			c.conn.RemoteAddr(), tooLong))
	}
}

// tooLongError is the error of a message that is too long. It gives the size of the message's payload.
type tooLongError uint32

func (e tooLongError) Error() string {
	return fmt.Sprintf("it announces a payload of %d bytes: must be at most %d", uint32(e), maxPayload)
}

func (c *client) read() error {
	var head [headerSize]byte
	var payload []byte
	for {
		if _, err := io.ReadFull(c.conn, head[:]); err != nil {
			return err
		}
		h := parseHeader(head[:])
		if h.size > maxPayload {
			return tooLongError(h.size)
		}
		payload = slices.Grow(payload[:0], int(h.size))[:h.size]
		if _, err := io.ReadFull(c.conn, payload); err != nil {
			return err
		}
		c.heard.Store(true)
		h.host, h.address.port = c.port.host, c.port.number
		in := &reader{b: payload}
		switch h.typ {
		case typeCommand:
			if err := c.command(&h, in); err != nil && !errors.Is(err, omnipitch.ErrClosed) {
				c.refuse(&h, err)
			}
		default:
			select {
			case c.pending <- struct{}{}:
			case <-c.ctx.Done():
				return c.ctx.Err()
			}
			c.request(&h, in)
		}
	}
}

// refuse reports a command or a request that is not obeyed.
func (c *client) refuse(h *header, err error) {
	kind := "command"
	if h.typ != typeCommand {
		kind = "request"
	}
	c.port.server.cfg.Refused(fmt.Errorf("robot %s: Player %s: %s %d: %w", c.port.robot.Name, h.name(), kind, h.subtype,
		err))
}

// command carries out a command. Player has no answers to commands.
func (c *client) command(h *header, in *reader) error {
	d := c.port.find(h.address)
	if d == nil {
		return errNoDevice
	}
	f := d.commands[h.subtype]
	switch {
	case !slices.Contains(c.open, d):
		return errNotOpen
	case f == nil:
		return errUnsupported
	case !c.port.server.sim.Match().Wired(c.port.robot.Name):
		return errCut
	}
	actions, err := f(in)
	if err := errors.Join(in.err(), err); err != nil {
		return err
	}
	of := *h
	return c.port.server.sim.Post(func(err error) {
		if err != nil {
			c.refuse(&of, err)
		}
	}, actions...)
}

// request answers a request, or anything else that is neither data nor a command.
func (c *client) request(h *header, in *reader) {
	of := *h
	reply := func(payload []byte, err error) { c.reply(&of, payload, err) }
	d := c.port.find(h.address)
	switch {
	case h.typ != typeRequest:
		reply(nil, fmt.Errorf("type = %d: must be 2, a command, or 3, a request", h.typ))
	case h.interf == playerInterface && h.index == 0:
		c.serverRequest(h.subtype, in, reply)
	case d == nil:
		reply(nil, errNoDevice)
	case !slices.Contains(c.open, d):
		reply(nil, errNotOpen)
	case h.subtype == capabilities:
		reply(nil, d.capability(in))
	case d.requests[h.subtype] == nil:
		reply(nil, errUnsupported)
	case !c.port.server.sim.Match().Wired(c.port.robot.Name):
		reply(nil, errCut)
	default:
		d.requests[h.subtype](in, reply)
	}
}

// reply sends the reply to a request.
func (c *client) reply(to *header, payload []byte, err error) {
	h := *to
	h.typ, h.time = typeAck, c.port.server.sim.Clock().Time().Seconds()
	if err != nil {
		h.typ = typeNack
		if !errors.Is(err, omnipitch.ErrClosed) {
			c.refuse(to, err)
		}
	}
	m := newMessage(h)
	m.b = append(m.b, payload...)
	m.seal()
	<-c.pending
	if !c.queue.reply(m) {
		c.cancel()
	}
}

// write sends the queued messages.
func (c *client) write() {
	defer c.cancel()
	if _, err := c.conn.Write(identity); err != nil {
		return
	}
	var buffers net.Buffers
	for c.ctx.Err() == nil {
		m := c.queue.pop()
		if m == nil {
			select {
			case <-c.queue.wake:
			case <-c.ctx.Done():
			}
			continue
		}
		err := c.conn.SetWriteDeadline(time.Now().Add(writeTime))
		if err == nil {
			err = m.write(c.conn, &buffers)
		}
		m.release()
		if err != nil {
			return
		}
	}
}
