package ros1

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/tcpros"
)

// Limits on subscribers that are out of reach, or take nothing. Guesses.
const (
	unreachableTime = 10 * time.Minute // after which an unreachable one is forgotten
	maxUnreachable  = 256
	maxStalled      = 64 // each holds messages, and some MB of the kernel's memory
)

// watchSubscribers takes subscribers off their topics whose machine does not answer any more: without it they would
// count as subscribers, and hold messages, for the kernel's quarter of an hour. Of subscribers that take nothing it
// closes those beyond maxStalled.
func (n *Node) watchSubscribers() {
	tick := time.NewTicker(tcpros.ProbeTime)
	defer tick.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-tick.C:
		}
		var stalled []*tcpros.SubscriberLink
		topics, _ := n.snapshot()
		for _, t := range topics {
			t.mu.Lock()
			var lost []*tcpros.SubscriberLink
			for _, l := range t.links {
				if l.Check(time.Now()) {
					lost = append(lost, l)
				} else if l.Stalled() {
					stalled = append(stalled, l)
				}
			}
			t.mu.Unlock()
			for _, l := range lost {
				n.log.Warn("ros node: subscriber does not answer", "node", n.name, "topic", t.name, "peer", l.Node,
					"for", tcpros.LostTime)
				n.unreachable(t, l)
			}
		}
		// The last that stalled are closed.
		slices.SortFunc(stalled,
			func(a, b *tcpros.SubscriberLink) int { return a.StalledSince().Compare(b.StalledSince()) })
		for _, l := range stalled[min(maxStalled, len(stalled)):] {
			n.warnPeer("subscriber closed: it takes nothing, and many others do neither", "peer", l.Node, "from",
				l.Conn.RemoteAddr())
			l.Conn.Close()
		}
	}
}

// unreachable closes a subscriber's connection on our side only, and resets it on the subscriber's when that can be
// reached again. A subscriber never sends, so it would not notice before its own keepalive, after minutes in roscpp and
// rospy; after a reset it connects anew: roscpp and ours by themselves, rospy when the master names the publishers
// again.
func (n *Node) unreachable(t *publication, l *tcpros.SubscriberLink) {
	addr := l.Conn.RemoteAddr().String()
	var f *os.File
	if n.unreachables.Add(1) <= maxUnreachable {
		f, _ = l.Conn.File() // keeps the socket open in the kernel
	}
	l.Conn.Close()
	if f == nil {
		n.unreachables.Add(-1)
		return
	}
	n.spawn(func() {
		defer n.unreachables.Add(-1)
		ctx, cancel := context.WithTimeout(n.ctx, unreachableTime)
		defer cancel()
		for !tcpros.Reachable(ctx, addr) && wait(ctx, tcpros.ProbeTime) {
			continue
		}
		tcpros.ResetOnClose(f)
		f.Close()
		// It needs a moment to notice, more if its machine is busy.
		for pause := 50 * time.Millisecond; pause < 2*time.Second && wait(ctx, pause) &&
			!t.connectedTo(l.Node); pause *= 3 {
			if _, err := n.callMaster(ctx, "registerPublisher", t.name, t.def.Name, n.uri); err != nil {
				n.log.Debug("ros node: publisher not named again", "node", n.name, "topic", t.name, "error", err)
			}
		}
	})
}

// connectedTo says whether a node of that name is connected, or none will be because the topic is closed.
func (t *publication) connectedTo(node string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed || slices.ContainsFunc(t.links, func(l *tcpros.SubscriberLink) bool { return l.Node == node })
}

// wait waits for the pause, and returns false if ctx ends before.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
