// Package rostest provides free ports for tests that start ROS programs.
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

// Ports are reserved in blocks. Linux does not choose ports below 32768 for outgoing connections, so a port that a
// program has released stays free.
const (
	firstPort = 12000
	blockSize = 200
	blocks    = 100
)

// block is the block of ports that this process has reserved. Tests of other packages run at the same time in other
// processes. To reserve the block, the process listens at the first port of the block.
var block struct {
	sync.Mutex
	next, end int
	claims    []net.Listener
}

// FreePort returns a port at which nothing listens on the loopback interface. A program can listen there later, and can
// do so repeatedly.
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
		// The test dials instead of listening, because a program that is started at the same time might inherit a
		// listening socket for a moment.
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return port
		}
		c.Close()
	}
	t.Fatal("no free port")
	return ""
}

// claim reserves a block of ports. The caller holds the block's lock.
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
