package rospeer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// An attack opens AttackConns connections at once and, from then on, one more every attackPause in the place of its
// oldest.
const (
	AttackConns = 1500
	attackPause = 10 * time.Millisecond
	AttackFiles = AttackConns + 500 // that each of two processes opens
)

// Attack is how connections are that take part in none of what they ask for.
type Attack struct {
	Name   string
	IDs    int  // caller ids that they use in turn
	Silent bool // but for the last byte of their header; else they are subscribers that never read
}

var Attacks = []Attack{
	{"one_id_before_header", 1, true}, {"ids_before_header", AttackConns, true},
	{"one_id_after_header", 1, false}, {"ids_after_header", AttackConns, false},
}

// begin begins to attack the topic at host:port/topic; the function that it returns ends that.
func (a Attack) begin(target string) (end func(), err error) {
	addr, topic, _ := strings.Cut(target, "/")
	var conns []net.Conn
	opened := 0
	open := func() error {
		c, err := net.DialTimeout("tcp", addr, 5*time.Second)
		if err != nil {
			return err
		}
		conns = append(conns, c)
		header := tcprosHeader("callerid=/evil"+fmt.Sprint(opened%a.IDs), "topic=/"+topic, "type=*", "md5sum=*")
		if opened++; a.Silent {
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
	for range AttackConns {
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

// join subscribes a new node to a topic of images, waits for the first, leaves, and returns how long that image took to
// come.
func (p *peer) join(topic string) (a Answer, err error) {
	p.joined++
	begun := time.Now()
	node, err := ros1.NewNode(ros1.NodeConfig{Name: fmt.Sprintf("%s_late%d", p.node.Name(), p.joined),
		MasterURI: p.uri})
	if err != nil {
		return a, err
	}
	defer node.Close()
	in := &inbox{came: make(chan struct{}, 1)}
	if _, err := in.images(node, topic, false); err != nil {
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
