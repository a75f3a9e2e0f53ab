package rospeer

import (
	"sync"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// CPUTime returns the processor time of the whole process, ns.
func CPUTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // invalid arguments
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func stampNow() msg.Time {
	now := time.Now()
	return msg.Time{Sec: uint32(now.Unix()), Nsec: uint32(now.Nanosecond())}
}

// inbox collects the messages of a topic.
type inbox struct {
	mu          sync.Mutex
	answer      Answer
	first, last time.Time
	used        int64
	subscribers int
}

// subscribe subscribes to messages of a type that has a header.
func subscribe[T any](in *inbox, node *ros1.Node, topic, typ string, header func(*T) *msg.Header) (*ros1.Subscriber,
	error) {
	seq := uint32(0) // sequence number of this subscriber's last message
	return ros1.SubscribeLent(node, topic, typ, func(m *T) {
		in.receive(header(m), &seq)
	})
}

// receive records a message. The argument seq points to the sequence number of the previous message.
func (in *inbox) receive(h *msg.Header, seq *uint32) {
	now := time.Now()
	in.mu.Lock()
	defer in.mu.Unlock()
	if *seq != 0 && h.Seq > *seq+1 {
		in.answer.Lost += int64(h.Seq - *seq - 1)
	}
	*seq = h.Seq
	if len(in.answer.NS) == 0 {
		in.first = now
	}
	in.last = now
	in.answer.NS = append(in.answer.NS, int64(now.Sub(time.Unix(int64(h.Stamp.Sec), int64(h.Stamp.Nsec)))))
}

// take returns what the inbox has recorded since the previous call of take.
func (in *inbox) take() Answer {
	in.mu.Lock()
	defer in.mu.Unlock()
	a := in.answer
	a.Span, a.CPU = int64(in.last.Sub(in.first)), CPUTime()-in.used
	in.answer = Answer{NS: make([]int64, 0, 2*len(a.NS))} // allocated here, so that growing it is not measured
	in.used = CPUTime()
	return a
}
