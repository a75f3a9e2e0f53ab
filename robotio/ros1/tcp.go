package ros1

import (
	"net"
	"time"
)

// A peer whose machine or cable went away says nothing: its connection must be asked. Wall times; guesses that leave
// a crowded radio link some seconds and still bring everything back within five.
const (
	lostTime = 3 * time.Second // of unanswered questions, after which a connection is lost
	askTime  = time.Second     // between two questions
	dialTime = 1500 * time.Millisecond
)

// keepAlive has the kernel ask idle peers, and close the connection after lostTime without an answer.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: askTime, Interval: askTime, Count: int(lostTime / askTime)}

// keepAsking has the kernel ask idle subscribers for as long as it can: watchLinks gives them up, see there.
var keepAsking = net.KeepAliveConfig{Enable: true, Idle: askTime, Interval: askTime, Count: 127}
