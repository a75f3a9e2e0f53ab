package ros1

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
)

// Limits of subscribers that cannot be reached, or that do not read. The values are guesses.
const (
	unreachableTime = 10 * time.Minute // time after which an unreachable subscriber is forgotten
	maxUnreachable  = 256
	// maximum number of subscribers that do not read; each of them holds messages, and some MB of kernel memory
	maxStalled = 64
)

// watchSubscribers removes subscribers whose machine no longer answers. Otherwise the kernel would keep their
// connections for 15 minutes. During this time they would count as subscribers and hold messages. If more than
// maxStalled subscribers do not read, watchSubscribers also closes connections to such subscribers.
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
		// The subscribers that stalled last are closed first.
		slices.SortFunc(stalled,
			func(a, b *tcpros.SubscriberLink) int { return a.StalledSince().Compare(b.StalledSince()) })
		for _, l := range stalled[min(maxStalled, len(stalled)):] {
			n.warnPeer("subscriber closed: it does not read, and neither do many others", "peer", l.Node, "from",
				l.Conn.RemoteAddr())
			l.Conn.Close()
		}
	}
}

// unreachable closes the connection to a subscriber on our side. It also resets the connection on the subscriber's side
// as soon as the subscriber can be reached again. The reset is needed because a subscriber never sends anything.
// Without a reset, it would notice the end of the connection only by its own keepalive, which takes minutes in roscpp
// and rospy. After a reset, subscribers of roscpp and of this package connect again by themselves. rospy connects again
// when the master sends the list of publishers again.
func (n *Node) unreachable(t *publication, l *tcpros.SubscriberLink) {
	addr := l.Conn.RemoteAddr().String()
	var f *os.File
	if n.unreachables.Add(1) <= maxUnreachable {
		f, _ = l.Conn.File() // f keeps the socket open in the kernel
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
		// The subscriber needs a moment to notice the reset, and longer if its machine is busy.
		for pause := 50 * time.Millisecond; pause < 2*time.Second && wait(ctx, pause) &&
			!t.connectedTo(l.Node); pause *= 3 {
			if _, err := n.callMaster(ctx, "registerPublisher", t.name, t.def.Name, n.uri); err != nil {
				n.log.Debug("ros node: publisher not named again", "node", n.name, "topic", t.name, "error", err)
			}
		}
	})
}

// connectedTo reports whether a node with the given name is connected as a subscriber. It also returns true if the
// topic is closed, because then no node can connect.
func (t *publication) connectedTo(node string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed || slices.ContainsFunc(t.links, func(l *tcpros.SubscriberLink) bool { return l.Node == node })
}

// wait waits for the wall time pause. It returns false if ctx ends before.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
