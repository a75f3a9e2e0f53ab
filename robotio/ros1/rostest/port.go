// Package rostest is for the tests of packages that start ROS programs.
//
//	uri := "http://127.0.0.1:" + rostest.FreePort(t) + "/"
package rostest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// Blocks of ports. Those below 32768 are no connection's own end on Linux, so one that is given up for a moment stays
// free.
const (
	firstPort = 12000
	blockSize = 200
	blocks    = 100
)

// block is the ports that this process alone hands out: tests of other packages run at the same time. It listens at the
// first of them as long as it lives, which keeps others away.
var block struct {
	sync.Mutex
	next, end int
	claims    []net.Listener
}

// FreePort returns a port of loopback that nothing listens at, for a program that is to listen there, or to listen at
// more than once.
func FreePort(t testing.TB) string {
	t.Helper()
	block.Lock()
	defer block.Unlock()
	for range 1000 {
		if block.next == block.end {
			claim(t)
		}
		port := strconv.Itoa(block.next)
		block.next++
		// Listening there would tell more, but a program that is being started meanwhile may hold the socket for a
		// moment longer.
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return port
		}
		c.Close()
	}
	t.Fatal("no free port")
	return ""
}

// claim takes a block that no other process has; the block is locked.
func claim(t testing.TB) {
	t.Helper()
	for range 1000 {
		first := firstPort + blockSize*rand.IntN(blocks)
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first))); err == nil {
			block.claims = append(block.claims, l)
			block.next, block.end = first+1, first+blockSize
			return
		}
	}
	t.Fatal("no free block of ports")
}
