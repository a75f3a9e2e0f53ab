package web

import "time"

// Outbox is the queue of one client's messages of one topic. A full one drops its oldest message.
type Outbox struct {
	client *Client
	write  func(*Message) error

	// Guarded by client.mu.
	every   time.Duration // least time between two messages
	depth   int
	queue   []*Message
	size    int  // bytes of their data
	queued  bool // among client.ready, or waiting for its timer
	timer   *time.Timer
	nextDue time.Time
	closed  bool
}

// NewOutbox makes a queue of depth messages, at least 1, of which one is sent at most every so often. write turns a
// message into one or several of the protocol's, with Write, on the client's own writing goroutine.
func (c *Client) NewOutbox(depth int, every time.Duration, write func(*Message) error) *Outbox {
	return &Outbox{client: c, write: write, depth: max(depth, 1), every: every}
}

// Push queues a message, and never waits.
func (o *Outbox) Push(m *Message) {
	c := o.client
	c.mu.Lock()
	if o.closed {
		c.mu.Unlock()
		return
	}
	o.queue = append(o.queue, m)
	o.size += len(m.Data)
	for len(o.queue) > o.depth || len(o.queue) > 1 && o.size > c.Limits().Queue {
		o.pop()
	}
	o.schedule()
	c.mu.Unlock()
	c.wakeWriter()
}

// Configure changes depth and rate.
func (o *Outbox) Configure(depth int, every time.Duration) {
	o.client.mu.Lock()
	defer o.client.mu.Unlock()
	o.depth, o.every = max(depth, 1), every
}

// Close drops what is queued; a message on its way may still arrive.
func (o *Outbox) Close() {
	o.client.mu.Lock()
	defer o.client.mu.Unlock()
	o.closed, o.queue = true, nil
	if o.timer != nil {
		o.timer.Stop()
	}
}

// pop takes the oldest message, or nil; the caller holds client.mu.
func (o *Outbox) pop() *Message {
	if len(o.queue) == 0 {
		return nil
	}
	m := o.queue[0]
	copy(o.queue, o.queue[1:]) // queues are short, and what they hold is large
	o.queue[len(o.queue)-1] = nil
	o.queue = o.queue[:len(o.queue)-1]
	o.size -= len(m.Data)
	return m
}

// schedule wakes the client's writer, now or when the next message is due; the caller holds client.mu.
func (o *Outbox) schedule() {
	if o.queued || o.closed || len(o.queue) == 0 {
		return
	}
	o.queued = true
	wait := time.Duration(0)
	if o.every > 0 {
		wait = time.Until(o.nextDue)
	}
	if wait <= 0 {
		o.client.ready = append(o.client.ready, o)
		return
	}
	o.timer = time.AfterFunc(wait, func() {
		c := o.client
		c.mu.Lock()
		if !o.closed {
			c.ready = append(c.ready, o)
		}
		c.mu.Unlock()
		c.wakeWriter()
	})
}
