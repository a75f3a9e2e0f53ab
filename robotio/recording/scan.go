package recording

import (
	"errors"
	"fmt"

	"github.com/foxglove/mcap/go/mcap"
)

// scan finds what is whole in a file, record by record from an offset on, and says what is not.
func (r *Reader) scan(at int64) error {
	for at < r.size {
		next, err := r.scanRecord(at)
		if cut, ok := errors.AsType[*cutError](err); ok {
			return fmt.Errorf("%s did not end: byte %d: %s is cut, only %d bytes of it are there", r.path, cut.at,
				cut.what, cut.left)
		}
		if err != nil {
			return err
		}
		if next == at {
			return nil
		}
		at = next
	}
	return nil
}

// scanRecord takes one record and returns the offset of the next, or its own where messages end.
func (r *Reader) scanRecord(at int64) (int64, error) {
	op, length, err := r.head(at)
	if err != nil {
		return 0, err
	}
	next := at + headLen + length
	switch op {
	case mcap.OpDataEnd, mcap.OpFooter:
		return at, nil
	case mcap.OpSchema, mcap.OpChannel, mcap.OpMetadata:
		b, err := r.bytes(named(op), at+headLen, length, r.limits.listed, nil)
		if err != nil {
			return 0, err
		}
		return next, r.list(at, op, b)
	case mcap.OpAttachment:
		return next, r.attach(at)
	case mcap.OpChunk:
		return r.scanChunk(at, next)
	case mcap.OpMessage:
		return 0, r.errorf(at, "a message: must be in a chunk")
	}
	return next, nil
}

// scanChunk takes a chunk and the message indexes behind it, which say what is in it, so that most chunks need not be
// decompressed.
func (r *Reader) scanChunk(at, next int64) (int64, error) {
	h, err := r.chunkHead(at)
	if err != nil {
		return 0, err
	}
	counts := map[uint16]uint64{}
	complete := false // all indexes are there, and what they name is listed
	for next < r.size {
		op, length, err := r.head(next)
		if err != nil {
			break // the chunk itself is whole; who scans comes here again
		}
		if op != mcap.OpMessageIndex {
			complete = len(counts) > 0
			break
		}
		b, err := r.bytes(named(op), next+headLen, min(length, 6), 6, nil)
		if err != nil {
			return 0, err
		}
		if len(b) < 6 || int64(le.Uint32(b[2:])) != length-6 {
			return 0, r.errorf(next, "a message index: its length must be that of its entries")
		}
		counts[le.Uint16(b)] += uint64(length-6) / 16
		next += headLen + length
	}
	for id := range counts {
		complete = complete && r.channels[id] != nil
	}
	if !complete {
		if counts, err = r.look(at); err != nil {
			return 0, err
		}
	}
	var channels []uint16
	for id, n := range counts {
		channels = append(channels, id)
		r.channels[id].Messages += n
	}
	if len(channels) == 0 {
		return next, nil
	}
	return next, r.addChunk(at, h.start, h.end, channels)
}

// look decompresses a chunk for the channels that it lists, and counts its messages.
func (r *Reader) look(at int64) (counts map[uint16]uint64, err error) {
	var c chunk
	if _, err := r.load(at, &c); err != nil {
		return nil, err
	}
	if r.looked += int64(len(c.data)); r.looked > r.limits.looked {
		return nil, r.errorf(at, "a chunk: those without a message index take more than %d bytes: must not",
			r.limits.looked)
	}
	counts = map[uint16]uint64{}
	for rest := c.data; len(rest) > 0; {
		op, b, next, err := split(rest)
		if err != nil {
			return nil, r.errorf(at, "a chunk: %w", err)
		}
		rest = next
		switch op {
		case mcap.OpSchema, mcap.OpChannel:
			if err := r.list(at, op, b); err != nil {
				return nil, err
			}
		case mcap.OpMessage:
			m, err := r.parse(at, b)
			if err != nil {
				return nil, err
			}
			counts[m.channel]++
		}
	}
	return counts, nil
}
