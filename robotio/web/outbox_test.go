package web

import (
	"context"
	"testing"
	"time"
)

// unread returns a client to which no goroutine writes, so that tests can inspect its queues.
func unread(limits Limits) *Client {
	s := &Server{cfg: Config{Limits: limits.WithDefaults()}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return newClient(s, "test")
}

func message(i, size int) *Message {
	return &Message{Data: append([]byte{byte(i)}, make([]byte, size)...)}
}

// drain empties the client's queues and returns the first byte of each message in the order of sending.
func drain(c *Client) (got []byte) {
	for {
		_, _, m := c.next()
		if m == nil {
			return got
		}
		got = append(got, m.Data[0])
	}
}

func TestOutboxDropsOldest(t *testing.T) {
	c := unread(Limits{})
	o := c.NewOutbox(3, 0, nil)
	for i := range 5 {
		o.Push(message(i, 0))
	}
	if got := drain(c); string(got) != "\x02\x03\x04" {
		t.Errorf("got % x", got)
	}
}

func TestOutboxBoundsBytes(t *testing.T) {
	c := unread(Limits{Queue: 100})
	o := c.NewOutbox(50, 0, nil)
	for i := range 5 {
		o.Push(message(i, 39))
	}
	if got := drain(c); string(got) != "\x03\x04" {
		t.Errorf("got % x: 40 bytes each, must be 100 together", got)
	}
	o.Push(message(9, 1000))
	if got := drain(c); string(got) != "\x09" {
		t.Errorf("got % x: one message always fits", got)
	}
}

// TestOutboxesTakeTurns checks that a topic with many messages does not delay another topic.
func TestOutboxesTakeTurns(t *testing.T) {
	c := unread(Limits{})
	a, b := c.NewOutbox(10, 0, nil), c.NewOutbox(10, 0, nil)
	for range 4 {
		a.Push(message('a', 0))
	}
	b.Push(message('b', 0))
	if got := drain(c); string(got) != "abaaa" {
		t.Errorf("got %s", got)
	}
	b.Push(message('b', 0))
	b.Close()
	b.Push(message('b', 0))
	if got := drain(c); len(got) != 0 {
		t.Errorf("got %s from a closed outbox", got)
	}
}

// TestOutboxRate checks that the newest message waits until it is due.
func TestOutboxRate(t *testing.T) {
	const every = 50 * time.Millisecond
	c := unread(Limits{})
	o := c.NewOutbox(1, every, nil)
	o.Push(message(0, 0))
	begin := time.Now()
	if got := drain(c); string(got) != "\x00" {
		t.Fatalf("got % x: the first must not wait", got)
	}
	o.Push(message(1, 0))
	o.Push(message(2, 0))
	got := drain(c)
	for len(got) == 0 {
		select {
		case <-c.wake:
		case <-time.After(deadline):
			t.Fatal("it never came")
		}
		got = drain(c)
	}
	if took := time.Since(begin); string(got) != "\x02" || took < every {
		t.Errorf("got % x after %v", got, took)
	}
}
