package recording

import (
	"errors"
	"fmt"

	"github.com/foxglove/mcap/go/mcap"
)

// scan finds the intact records of a file, beginning at an offset. It returns an error that describes the damaged part
// of the file.
func (r *Reader) scan(at int64) error {
	for at < r.size {
		next, err := r.scanRecord(at)
		if cut, ok := errors.AsType[*cutError](err); ok {
			return fmt.Errorf("%s is incomplete: byte %d: %s is cut off after %d bytes", r.path, cut.at,
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

// scanRecord handles the record at an offset, and returns the offset of the next record. At the end of the messages, it
// returns the offset unchanged.
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

// scanChunk handles a chunk and the message indexes that follow it. The indexes list the channels of the chunk, so most
// chunks need not be decompressed.
func (r *Reader) scanChunk(at, next int64) (int64, error) {
	h, err := r.chunkHead(at)
	if err != nil {
		return 0, err
	}
	counts := map[uint16]uint64{}
	complete := false // whether all indexes exist and their channels are known
	for next < r.size {
		op, length, err := r.head(next)
		if err != nil {
			break // the chunk itself is intact; scan will report the damage after it
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
		if counts, err = r.inspect(at); err != nil {
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

// inspect decompresses a chunk to find its channels. It returns the number of messages of each channel, by the
// channel's id.
func (r *Reader) inspect(at int64) (counts map[uint16]uint64, err error) {
	var c chunk
	if _, err := r.load(at, &c); err != nil {
		return nil, err
	}
	if r.inspected += int64(len(c.data)); r.inspected > r.limits.inspected {
		return nil, r.errorf(at, "a chunk: chunks without a message index: must have at most %d bytes together",
			r.limits.inspected)
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
