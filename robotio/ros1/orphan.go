package ros1

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"syscall"
	"time"
)

// Limits on subscribers that are out of reach, or take nothing. Guesses.
const (
	orphanTime = 10 * time.Minute // after which one is forgotten
	maxOrphans = 256
	maxStalled = 64 // each holds messages, and some MB of the kernel's memory
)

// sendState is what the kernel knows of a connection that we send on.
type sendState struct {
	unanswered bool          // what we sent or asked is without an answer for lostTime
	quiet      time.Duration // since the peer's machine answered last
	waiting    bool          // there is something that it has not taken
	acked      int64         // bytes that it has
}

// watchLinks takes subscribers off their topics whose machine does not answer any more: without it they would count as
// subscribers, and hold messages, for the kernel's quarter of an hour. It also notes which subscribers take nothing, and
// keeps few of them.
func (n *Node) watchLinks() {
	tick := time.NewTicker(askTime)
	defer tick.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-tick.C:
		}
		var stalled []*link
		topics, _ := n.snapshot()
		for _, t := range topics {
			t.mu.Lock()
			var lost []*link
			for _, l := range t.peers {
				s := sending(l.conn)
				if l.note(s, time.Now()); s.unanswered {
					lost = append(lost, l)
				} else if l.stalled.Load() {
					stalled = append(stalled, l)
				}
			}
			t.mu.Unlock()
			for _, l := range lost {
				n.log.Warn("ros node: subscriber does not answer", "node", n.name, "topic", t.name, "peer", l.peer, "for", lostTime)
				n.orphan(t, l)
			}
		}
		for _, l := range beyond(stalled, maxStalled) {
			n.warnPeer("subscriber closed: it takes nothing, and many others do neither", "peer", l.peer, "from", l.conn.RemoteAddr())
			l.conn.Close()
		}
	}
}

// beyond returns those of stalled links that are more than most: the last that stalled.
func beyond(stalled []*link, most int) []*link {
	if len(stalled) <= most {
		return nil
	}
	slices.SortFunc(stalled, func(a, b *link) int { return a.moved.Compare(b.moved) })
	return stalled[most:]
}

// orphan closes a subscriber's connection on our side only, and ends it on the peer's when the peer can be reached
// again. A subscriber never sends, so it would not notice before its own keepalive, after minutes in roscpp and rospy;
// ended, it connects anew: roscpp and ours by themselves, rospy when the master names the publishers again.
func (n *Node) orphan(t *publication, l *link) {
	peer := l.conn.RemoteAddr().String()
	var f *os.File
	if n.orphans.Add(1) <= maxOrphans {
		f, _ = l.conn.File() // keeps the socket open in the kernel
	}
	l.conn.Close()
	if f == nil {
		n.orphans.Add(-1)
		return
	}
	n.spawn(func() {
		defer n.orphans.Add(-1)
		ctx, cancel := context.WithTimeout(n.ctx, orphanTime)
		defer cancel()
		for !reachable(ctx, peer) && wait(ctx, askTime) {
			continue
		}
		resetOnClose(f)
		f.Close()
		// Once it has noticed; a moment does unless its machine is busy.
		for pause := 50 * time.Millisecond; pause < 2*time.Second && wait(ctx, pause) && !t.reaches(l.peer); pause *= 3 {
			if _, err := n.callMaster(ctx, "registerPublisher", t.name, t.def.Name, n.uri); err != nil {
				n.log.Debug("ros node: publisher not named again", "node", n.name, "topic", t.name, "error", err)
			}
		}
	})
}

// reaches says whether a node of that name is connected, or the topic is closed and nobody will be.
func (t *publication) reaches(peer string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed || slices.ContainsFunc(t.peers, func(l *link) bool { return l.peer == peer })
}

// wait waits, and says whether it could to the end.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
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
