package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// An attack opens attackConns connections at once and, from then on, one more every attackPause in the place of its oldest.
const (
	attackConns = 1500
	attackPause = 10 * time.Millisecond
	attackFiles = attackConns + 500 // that each of two processes opens
)

// rosAttack is how connections are that take part in none of what they ask for.
type rosAttack struct {
	name   string
	ids    int  // caller ids that they use in turn
	silent bool // but for the last byte of their header; else they are subscribers that never read
}

var rosAttacks = []rosAttack{
	{"one_id_before_header", 1, true}, {"ids_before_header", attackConns, true},
	{"one_id_after_header", 1, false}, {"ids_after_header", attackConns, false},
}

// attackFits fails with lacking where the machine lets a process open too few files for an attack. Go's runtime has raised the soft
// limit to the hard one.
func attackFits() error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil || l.Cur >= attackFiles {
		return err
	}
	return lacking{fmt.Errorf("bench ros1 opens %d connections, and the machine lets it open %d files: raise the hard limit (ulimit -Hn) to %d, or leave this part out with --soak 0", attackConns, l.Cur, attackFiles)}
}

// begin begins to attack the topic at host:port/topic; the function that it returns ends that.
func (a rosAttack) begin(target string) (end func(), err error) {
	addr, topic, _ := strings.Cut(target, "/")
	var conns []net.Conn
	opened := 0
	open := func() error {
		c, err := net.DialTimeout("tcp", addr, 5*time.Second)
		if err != nil {
			return err
		}
		conns = append(conns, c)
		header := tcprosHeader("callerid=/evil"+fmt.Sprint(opened%a.ids), "topic=/"+topic, "type=*", "md5sum=*")
		if opened++; a.silent {
			header = header[:len(header)-1]
		}
		c.Write(header) // may be closed already, which is what attacks lead to
		return nil
	}
	stop := make(chan struct{})
	over := make(chan struct{})
	end = func() {
		close(stop)
		<-over
		for _, c := range conns {
			c.Close()
		}
	}
	for range attackConns {
		if err = open(); err != nil {
			close(over)
			end()
			return nil, err
		}
	}
	go func() {
		defer close(over)
		tick := time.NewTicker(attackPause)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			conns[0].Close()
			if conns = conns[1:]; open() != nil {
				return
			}
		}
	}()
	return end, nil
}

// tcprosHeader returns a connection header with fields key=value.
func tcprosHeader(fields ...string) []byte {
	var b bytes.Buffer
	for _, f := range fields {
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(f))))
		b.WriteString(f)
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(b.Len())), b.Bytes()...)
}

// join subscribes a new node to a topic of images, waits for the first, leaves, and returns how long that image took to come.
func (p *rosPeer) join(topic string) (a rosAnswer, err error) {
	p.joined++
	begun := time.Now()
	node, err := ros1.NewNode(ros1.NodeConfig{Name: fmt.Sprintf("%s_late%d", p.node.Name(), p.joined), MasterURI: p.uri})
	if err != nil {
		return a, err
	}
	defer node.Close()
	in := &rosInbox{came: make(chan struct{}, 1)}
	if _, err := in.subscribe(node, topic, false); err != nil {
		return a, err
	}
	select {
	case <-in.came:
		a.NS = []int64{int64(time.Since(begun))}
		return a, nil
	case <-time.After(joinTime):
		return a, fmt.Errorf("topic %s: no image for a new subscriber within %v", topic, joinTime)
	}
}

// joinTime is after which a new subscriber gives up, and the bench with it.
const joinTime = 30 * time.Second
