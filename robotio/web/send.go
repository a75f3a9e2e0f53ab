package web

import (
	"context"
	"time"

	"github.com/coder/websocket"
)

// Send queues an answer; b must stay unchanged. It never waits. A client that leaves too many unread is closed.
func (c *Client) Send(binary bool, b []byte) {
	c.mu.Lock()
	over := len(c.answers) >= maxAnswers || c.size > 4*c.Limits().Queue
	if !over {
		c.answers = append(c.answers, answer{binary, b})
		c.size += len(b)
	}
	c.mu.Unlock()
	if over {
		c.Log().Warn(c.server.cfg.Name+": client closed: it does not read its answers", "from", c.from)
		c.cancel() // the reader closes it: this may be called under locks
		return
	}
	c.wakeWriter()
}

// TrySend queues an answer, or drops it where many wait already.
func (c *Client) TrySend(binary bool, b []byte) {
	c.mu.Lock()
	full := len(c.answers) >= maxDroppable
	c.mu.Unlock()
	if !full {
		c.Send(binary, b)
	}
}

func (c *Client) wakeWriter() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// write sends what is queued: answers first, then one message of each topic in turn.
func (c *Client) write() {
	defer c.Close()
	for c.ctx.Err() == nil {
		a, o, m := c.next()
		var err error
		switch {
		case a.b != nil:
			err = c.Write(a.binary, a.b)
		case m != nil:
			err = o.write(m)
		default:
			select {
			case <-c.wake:
			case <-c.ctx.Done():
			}
		}
		if err != nil {
			return
		}
	}
}

// next takes the next thing to send.
func (c *Client) next() (answer, *Outbox, *Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.answers) > 0 {
		a := c.answers[0]
		c.answers[0] = answer{}
		if c.answers = c.answers[1:]; len(c.answers) == 0 {
			c.answers = nil // so that the array does not grow
		}
		c.size -= len(a.b)
		return a, nil, nil
	}
	for len(c.ready) > 0 {
		o := c.ready[0]
		c.ready = append(c.ready[:0], c.ready[1:]...)
		o.queued = false
		if m := o.pop(); m != nil {
			o.nextDue = time.Now().Add(o.every)
			o.schedule()
			return answer{}, o, m
		}
	}
	return answer{}, nil, nil
}

// Write sends one message of several parts, from an Outbox's function only. It fails when the client has left or takes
// too long.
func (c *Client) Write(binary bool, parts ...[]byte) error {
	kind := websocket.MessageText
	if binary {
		kind = websocket.MessageBinary
	}
	ctx, cancel := context.WithTimeout(c.ctx, writeTime)
	defer cancel()
	conn := c.conn.Load()
	if len(parts) == 1 {
		err := conn.Write(ctx, kind, parts[0])
		c.wrote.Store(int64(time.Since(c.start)))
		return err
	}
	w, err := conn.Writer(ctx, kind)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	err = w.Close()
	c.wrote.Store(int64(time.Since(c.start)))
	return err
}
