package must

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Domain returns a domain of ROS 2 that no other test uses, also of other processes: the test listens at the domain's
// first port, but over TCP, which ROS 2 does not use.
func Domain(t testing.TB) int {
	t.Helper()
	for range 1000 {
		d := 1 + rand.IntN(90)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(7400+250*d)))
		if err == nil {
			t.Cleanup(func() { l.Close() })
			return d
		}
	}
	t.Fatal("no free domain")
	return 0
}
