package farm

import (
	"encoding/binary"
	"errors"
	"time"
)

// hello is the subject on which workers ask for runs.
const hello = "omnipitch.render.hello"

// subjects is the prefix of the NATS subjects of a run. The subjects for one worker end with the ID of the worker.
type subjects string

func newSubjects(run string) subjects { return subjects("omnipitch.render.run." + run + ".") }

func (s subjects) join() string  { return string(s) + "join" }
func (s subjects) world() string { return string(s) + "world" }

// host is the subject on which the run sends empty messages as heartbeats. When the run ends, it sends the reason
// there.
func (s subjects) host() string               { return string(s) + "host" }
func (s subjects) order(worker string) string { return string(s) + "order." + worker } // to the worker

// tell is the subject of messages from the run to one worker, of type told.
func (s subjects) tell(worker string) string { return string(s) + "tell." + worker }

// here is the subject on which a worker sends empty messages as heartbeats, and a message when it leaves.
func (s subjects) here(worker string) string  { return string(s) + "here." + worker }
func (s subjects) frame(worker string) string { return string(s) + "frame." + worker } // from the worker

// Entry describes a run to workers that may join the run.
type Entry struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"` // name of the world
	Version  string        `json:"version"`
	Renderer string        `json:"renderer"`
	Samples  int           `json:"samples,omitempty"` // paths for each pixel, of backend.Reference
	Lease    time.Duration `json:"lease_ns"`
	World    int           `json:"world"` // size of the world's bundle, in bytes
	Sum      string        `json:"sum"`   // checksum of the world's bundle
	Workers  int           `json:"workers"`
	Begins   bool          `json:"begins,omitempty"` // the run has not started yet; no other field is set
}

// Request is the request of a worker to join a run.
type Request struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Draws   string `json:"draws"` // renderer of the worker, with its driver
}

// Answer is the answer of a run to a Request.
type Answer struct {
	Refused string `json:"refused,omitempty"` // reason for which the run refuses the worker; empty if it does not
}

// told is a message from a run to one worker.
type told struct {
	Forget  uint64 `json:"forget,omitempty"` // number of an order; other processes render this and all earlier orders
	Refused string `json:"refused,omitempty"`
}

// Limits for messages from other processes.
const (
	mostWorld   = 64 << 20 // bytes of a world's bundle
	worldChunk  = 256 << 10
	mostText    = 1 << 10 // of names and reasons
	mostWorkers = 1024
)

// part is the header of a message that holds a part of the images of one frame. After the header come bytes of the
// images or, if the frame could not be rendered, the text of the error.
type part struct {
	order uint64
	frame uint32
	// offset is the position of the message's bytes in the images, in bytes. total is the number of bytes of all images
	// of the frame, or the constant failed.
	offset, total uint32
}

// failed is the value of the field total for a frame that could not be rendered.
const failed = 1<<32 - 1

const partSize = 20

func (p *part) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, p.order)
	to = binary.LittleEndian.AppendUint32(to, p.frame)
	to = binary.LittleEndian.AppendUint32(to, p.offset)
	return binary.LittleEndian.AppendUint32(to, p.total)
}

// readPart splits a message into its header and the bytes after the header.
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
