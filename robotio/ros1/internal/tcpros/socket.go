package tcpros

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// Wall times for probing connections. Probes are needed because a peer whose machine or cable has failed sends nothing.
// The values are guesses: a crowded radio link may pause for some seconds, and a lost connection must be restored
// within five seconds.
const (
	LostTime  = 3 * time.Second // a connection counts as lost if probes stay unanswered for this time
	ProbeTime = time.Second     // between two probes
	DialTime  = 1500 * time.Millisecond
)

// KeepAlive makes the kernel probe idle peers, and close a connection after LostTime without an answer.
var KeepAlive = net.KeepAliveConfig{Enable: true, Idle: ProbeTime, Interval: ProbeTime,
	Count: int(LostTime / ProbeTime)}

// keepProbing makes the kernel probe idle subscribers for as long as it can; see SubscriberLink.Check.
var keepProbing = net.KeepAliveConfig{Enable: true, Idle: ProbeTime, Interval: ProbeTime, Count: 127}

// sendState is the kernel's state of a connection that we send on.
type sendState struct {
	unanswered bool          // whether sent data have been unanswered for LostTime
	quiet      time.Duration // time since the peer's machine last answered
	waiting    bool          // whether some sent bytes are not acknowledged
	acked      int64         // number of acknowledged bytes
}

// Reachable reports whether the machine at addr answers. A refused connection is an answer.
func Reachable(ctx context.Context, addr string) bool {
	d := net.Dialer{Timeout: DialTime}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err == nil {
		c.Close()
	}
	return err == nil || errors.Is(err, syscall.ECONNREFUSED)
}
