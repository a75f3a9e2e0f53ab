package tcpros

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// A peer whose machine or cable failed sends nothing, so connections must be probed. Wall times. Guesses: a crowded
// radio link may pause for some seconds, and everything recovers within five.
const (
	LostTime  = 3 * time.Second // a connection is lost if probes stay unanswered for so long
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
	unanswered bool          // sent data are unanswered for LostTime
	quiet      time.Duration // time since the peer's machine last answered
	waiting    bool          // some bytes are unacknowledged
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
