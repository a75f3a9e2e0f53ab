package ros1

import (
	"context"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// echoBallHandle is a service that answers what it is asked.
func echoBallHandle(_ context.Context, r *msg.BallHandleRequest) (*msg.BallHandleResponse, error) {
	return &msg.BallHandleResponse{BallIsHolding: r.Enable}, nil
}

// nextPort is where freePort looks next. Ports below 32768 are no connection's own end on Linux, so one that is given up
// for a moment stays free; the start keeps tests of other packages apart.
var nextPort = 20000 + rand.Int32N(10000)

// freePort returns a port that nothing listens at, to listen at more than once.
func freePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port := strconv.Itoa(int(atomic.AddInt32(&nextPort, 1)))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return ""
}
