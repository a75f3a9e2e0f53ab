package web

import (
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/dynamic"
)

// Message is one message of a topic. All clients share it, so it must not be modified.
type Message struct {
	Topic string // the name in the subscription
	From  *ros1.Source
	Codec *dynamic.Codec // nil if the definition cannot be converted
	Data  []byte         // in the encoding of ROS
	At    time.Time      // wall time of arrival

	forms [maxForms]form
}

// maxForms is the largest number of encodings of a message in a protocol.
const maxForms = 4

type form struct {
	once sync.Once
	b    []byte
	err  error
}

// Form returns the message in encoding number i of the protocol. The first call calls make to encode it.
func (m *Message) Form(i int, make func() ([]byte, error)) ([]byte, error) {
	f := &m.forms[i]
	f.once.Do(func() { f.b, f.err = make() })
	return f.b, f.err
}
