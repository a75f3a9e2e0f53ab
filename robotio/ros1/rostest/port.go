// Package rostest is for the tests of packages that start ROS programs.
//
//	uri := "http://127.0.0.1:" + rostest.FreePort(t) + "/"
package rostest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
)

// nextPort is where FreePort looks next. Ports below 32768 are no connection's own end on Linux, so one that is given up
// for a moment stays free; the start keeps tests of other packages apart.
var nextPort = 20000 + rand.Int32N(10000)

// FreePort returns a port of loopback that nothing listens at, for a program that is to listen there, or to listen at
// more than once.
func FreePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port := strconv.Itoa(int(atomic.AddInt32(&nextPort, 1)))
		// Listening there would tell more, but a program that is being started meanwhile may hold the socket for a moment longer.
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return port
		}
		c.Close()
	}
	t.Fatal("no free port")
	return ""
}
