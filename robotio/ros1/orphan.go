package ros1

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// Limits on subscribers that are out of reach. Guesses.
const (
	orphanTime = 10 * time.Minute // after which one is forgotten
	maxOrphans = 256
)

// watchLinks takes subscribers off their topics whose machine does not answer any more. Without it they would count as
// subscribers, and hold messages, for the kernel's quarter of an hour.
func (n *Node) watchLinks() {
	tick := time.NewTicker(askTime)
	defer tick.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-tick.C:
		}
		topics, _ := n.snapshot()
		for _, t := range topics {
			t.mu.Lock()
			var lost []*link
			for _, l := range t.peers {
				if unanswered(l.conn) {
					lost = append(lost, l)
				}
			}
			t.mu.Unlock()
			for _, l := range lost {
				n.log.Warn("ros node: subscriber does not answer", "node", n.name, "topic", t.name, "peer", l.peer, "for", lostTime)
				n.orphan(l.conn)
			}
		}
	}
}

// orphan closes a connection on our side only, and ends it on the peer's when the peer can be reached again. A
// subscriber never sends, so it would not notice before its own keepalive, after minutes in roscpp and rospy; ended, it
// connects anew at once.
func (n *Node) orphan(conn *net.TCPConn) {
	peer := conn.RemoteAddr().String()
	var f *os.File
	if n.orphans.Add(1) <= maxOrphans {
		f, _ = conn.File() // keeps the socket open in the kernel
	}
	conn.Close()
	if f == nil {
		n.orphans.Add(-1)
		return
	}
	n.spawn(func() {
		defer n.orphans.Add(-1)
		defer f.Close()
		ctx, cancel := context.WithTimeout(n.ctx, orphanTime)
		defer cancel()
		for !reachable(ctx, peer) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(askTime):
			}
		}
		resetOnClose(f)
	})
}

// reachable says whether the machine at addr answers: a refusal is an answer.
func reachable(ctx context.Context, addr string) bool {
	d := net.Dialer{Timeout: dialTime}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err == nil {
		c.Close()
	}
	return err == nil || errors.Is(err, syscall.ECONNREFUSED)
}
