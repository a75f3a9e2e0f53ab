package tcpros

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// A peer whose machine or cable failed sends nothing: its connection must be probed. Wall times; guesses that leave a
// crowded radio link some seconds and still bring everything back within five.
const (
	LostTime  = 3 * time.Second // of unanswered probes, after which a connection is lost
	ProbeTime = time.Second     // between two probes
	DialTime  = 1500 * time.Millisecond
)

// KeepAlive has the kernel probe idle peers, and close the connection after LostTime without an answer.
var KeepAlive = net.KeepAliveConfig{Enable: true, Idle: ProbeTime, Interval: ProbeTime,
	Count: int(LostTime / ProbeTime)}

// keepProbing has the kernel probe idle subscribers for as long as it can; see SubscriberLink.Check.
var keepProbing = net.KeepAliveConfig{Enable: true, Idle: ProbeTime, Interval: ProbeTime, Count: 127}

// sendState is what the kernel knows of a connection that we send on.
type sendState struct {
	unanswered bool          // what was sent has been without an answer for LostTime
	quiet      time.Duration // since the peer's machine answered last
	waiting    bool          // some bytes are not acknowledged
	acked      int64         // bytes that the peer has acknowledged
}

// Reachable says whether the machine at addr answers: a refusal is an answer.
func Reachable(ctx context.Context, addr string) bool {
	d := net.Dialer{Timeout: DialTime}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err == nil {
		c.Close()
	}
	return err == nil || errors.Is(err, syscall.ECONNREFUSED)
}
