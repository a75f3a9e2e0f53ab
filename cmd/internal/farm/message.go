package farm

import (
	"encoding/binary"
	"errors"
	"time"
)

// hello is the subject on which workers ask for runs.
const hello = "omnipitch.render.hello"

// subjects is the prefix of the subjects of a run. Subjects of one worker end with its ID.
type subjects string

func newSubjects(run string) subjects { return subjects("omnipitch.render.run." + run + ".") }

func (s subjects) join() string  { return string(s) + "join" }
func (s subjects) world() string { return string(s) + "world" }

// host is the run's subject for heartbeats, which are empty, and for the reason why the run ends.
func (s subjects) host() string               { return string(s) + "host" }
func (s subjects) order(worker string) string { return string(s) + "order." + worker } // to the worker

// tell is the subject of messages to a worker: order numbers to forget, or a refusal.
func (s subjects) tell(worker string) string { return string(s) + "tell." + worker }

// here is a worker's subject for heartbeats, which are empty, and for the message that it leaves.
func (s subjects) here(worker string) string  { return string(s) + "here." + worker }
func (s subjects) frame(worker string) string { return string(s) + "frame." + worker } // from the worker

// Entry describes a run to workers that may join it.
type Entry struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"` // of the world
	Version  string        `json:"version"`
	Renderer string        `json:"renderer"`
	Samples  int           `json:"samples,omitempty"` // paths for each pixel, of backend.Reference
	Lease    time.Duration `json:"lease_ns"`
	World    int           `json:"world"` // bytes of its bundle
	Sum      string        `json:"sum"`   // their checksum
	Workers  int           `json:"workers"`
	Begins   bool          `json:"begins,omitempty"` // the run has not started yet; no other field is set
}

// Request is the request of a worker to join a run.
type Request struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Draws   string `json:"draws"` // its renderer, with its driver
}

// Answer is the answer to a Request.
type Answer struct {
	Refused string `json:"refused,omitempty"` // why
}

// told is a message from a run to one worker.
type told struct {
	Forget  uint64 `json:"forget,omitempty"` // other processes render the orders up to this one
	Refused string `json:"refused,omitempty"`
}

// Limits for messages from others.
const (
	mostWorld   = 64 << 20 // bytes of a world's bundle
	worldChunk  = 256 << 10
	mostText    = 1 << 10 // of names and reasons
	mostWorkers = 1024
)

// part is the header of a message with a part of the images of a frame. The rest of the message is bytes of the images,
// or the text of an error.
type part struct {
	order         uint64
	frame         uint32
	offset, total uint32 // bytes; failed: an error
}

// failed is the total of a frame that could not be rendered.
const failed = 1<<32 - 1

const partSize = 20

func (p *part) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, p.order)
	to = binary.LittleEndian.AppendUint32(to, p.frame)
	to = binary.LittleEndian.AppendUint32(to, p.offset)
	return binary.LittleEndian.AppendUint32(to, p.total)
}

// readPart splits a message into header and content.
func readPart(data []byte) (p part, rest []byte, err error) {
	if len(data) < partSize {
		return p, nil, errors.New("a frame's message is shorter than its header")
	}
	p.order = binary.LittleEndian.Uint64(data)
	p.frame = binary.LittleEndian.Uint32(data[8:])
	p.offset = binary.LittleEndian.Uint32(data[12:])
	p.total = binary.LittleEndian.Uint32(data[16:])
	return p, data[partSize:], nil
}
