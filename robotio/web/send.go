package web

import (
	"context"
	"time"

	"github.com/coder/websocket"
)

// Send queues an answer; b must not be modified afterwards. It never blocks. A client with too many unread answers is
// closed.
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
		c.cancel() // the reader closes the connection, because the caller may hold locks
		return
	}
	c.wakeWriter()
}

// TrySend queues an answer, or drops it if many are queued already.
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

// write sends the queued answers first, then one message of each topic in turn.
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

// next returns the next answer, or else the next message with its Outbox. It removes it from its queue.
func (c *Client) next() (answer, *Outbox, *Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.answers) > 0 {
		a := c.answers[0]
		c.answers[0] = answer{}
		if c.answers = c.answers[1:]; len(c.answers) == 0 {
			c.answers = nil // release the array
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

// Write sends one message that consists of several parts. Only an Outbox's function may call it. It fails if the client
// has disconnected or is too slow.
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
