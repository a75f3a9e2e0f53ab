package ros1

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
)

// Limits of subscribers that cannot be reached or do not read. Guesses.
const (
	unreachableTime = 10 * time.Minute // an unreachable subscriber is forgotten after this time
	maxUnreachable  = 256
	maxStalled      = 64 // each holds messages, and some MB of kernel memory
)

// watchSubscribers removes subscribers whose machine no longer answers. Otherwise they would count as subscribers, and
// hold messages, for the kernel's 15 minutes. It also closes subscribers that do not read, if there are more than
// maxStalled.
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
		// Close those that stalled last.
		slices.SortFunc(stalled,
			func(a, b *tcpros.SubscriberLink) int { return a.StalledSince().Compare(b.StalledSince()) })
		for _, l := range stalled[min(maxStalled, len(stalled)):] {
			n.warnPeer("subscriber closed: it does not read, and neither do many others", "peer", l.Node, "from",
				l.Conn.RemoteAddr())
			l.Conn.Close()
		}
	}
}

// unreachable closes a subscriber's connection on our side, and resets it on the subscriber's side when that can be
// reached again. A subscriber never sends, so it would otherwise notice only by its own keepalive, after minutes in
// roscpp and rospy. After a reset, roscpp and our subscribers reconnect by themselves, and rospy does when the master
// sends the list of publishers again.
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
		// The subscriber needs a moment to notice, more if its machine is busy.
		for pause := 50 * time.Millisecond; pause < 2*time.Second && wait(ctx, pause) &&
			!t.connectedTo(l.Node); pause *= 3 {
			if _, err := n.callMaster(ctx, "registerPublisher", t.name, t.def.Name, n.uri); err != nil {
				n.log.Debug("ros node: publisher not named again", "node", n.name, "topic", t.name, "error", err)
			}
		}
	})
}

// connectedTo reports whether a node of that name is connected, or none can be because the topic is closed.
func (t *publication) connectedTo(node string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed || slices.ContainsFunc(t.links, func(l *tcpros.SubscriberLink) bool { return l.Node == node })
}

// wait waits for a pause. It returns false if ctx ends first.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
