package web

import (
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/dynamic"
)

// Message is one message of a topic. All clients share it; it must not be changed.
type Message struct {
	Topic string // as it was subscribed to
	From  *ros1.Source
	Codec *dynamic.Codec // nil where the definition is one that cannot be converted
	Data  []byte         // as ROS encodes it
	At    time.Time      // wall time of its arrival

	forms [maxForms]form
}

// maxForms is how many forms of a message a protocol may have.
const maxForms = 4

type form struct {
	once sync.Once
	b    []byte
	err  error
}

// Form returns the message in the protocol's form i, which make encodes at the first call.
func (m *Message) Form(i int, make func() ([]byte, error)) ([]byte, error) {
	f := &m.forms[i]
	f.once.Do(func() { f.b, f.err = make() })
	return f.b, f.err
}
