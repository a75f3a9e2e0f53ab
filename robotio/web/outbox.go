package web

import "time"

// Outbox is a client's queue of messages of one topic. When full, it drops the oldest message.
type Outbox struct {
	client *Client
	write  func(*Message) error

	// Guarded by client.mu.
	every   time.Duration // shortest time between two messages
	depth   int
	queue   []*Message
	size    int  // bytes in queue
	queued  bool // whether the Outbox is in client.ready or its timer runs
	timer   *time.Timer
	nextDue time.Time
	closed  bool
}

// NewOutbox returns a queue of depth messages, at least 1. Messages are sent at least the time every apart. The
// client's writing goroutine calls write, which sends the message with Client.Write.
func (c *Client) NewOutbox(depth int, every time.Duration, write func(*Message) error) *Outbox {
	return &Outbox{client: c, write: write, depth: max(depth, 1), every: every}
}

// Push queues a message. It never blocks.
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

// Close drops the queue. A message that is being written may still arrive.
func (o *Outbox) Close() {
	o.client.mu.Lock()
	defer o.client.mu.Unlock()
	o.closed, o.queue = true, nil
	if o.timer != nil {
		o.timer.Stop()
	}
}

// pop removes and returns the oldest message, or nil; the caller holds client.mu.
func (o *Outbox) pop() *Message {
	if len(o.queue) == 0 {
		return nil
	}
	m := o.queue[0]
	copy(o.queue, o.queue[1:]) // a copy is cheap, because queues are short
	o.queue[len(o.queue)-1] = nil
	o.queue = o.queue[:len(o.queue)-1]
	o.size -= len(m.Data)
	return m
}

// schedule makes the client's writing goroutine send the next message, now or when the message is due; the caller holds
// client.mu.
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
