package recording

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/foxglove/mcap/go/mcap"
)

// scan finds the records of a file's data section, which lies between the header and the summary.
type scan struct {
	*Reader
	end   int64 // offset at which the data section ends, at the latest
	index *index
	found int       // number of chunks of the index that were found
	size  int64     // total size of the chunks so far after decompression, in bytes
	sized bool      // whether checkSizes has been called
	block chunkInfo // the newest messages outside of chunks; its length is 0 if there are none
	buf   []byte
}

// flatSize is the size in bytes at which a block of messages outside of chunks is complete. It is a guess, near the
// size of common chunks.
const flatSize = 1 << 20

// scan finds the intact records between two offsets. It reads no chunk that the index describes; the index may be nil.
// It returns an error that describes the first part that is not intact.
func (r *Reader) scan(at, end int64, x *index) error {
	s := scan{Reader: r, end: end, index: x}
	err := s.records(at)
	err = cmp.Or(err, s.closeBlock())
	if cut, ok := errors.AsType[*cutError](err); ok {
		err = fmt.Errorf("%s is incomplete: byte %d: %s is cut off after %d bytes", r.path, cut.at, cut.what, cut.left)
	}
	if err != nil || x == nil {
		return err
	}
	if s.found < len(x.chunks) {
		return r.errorf(end, "summary: has %d chunk indexes: must be those of chunks, of which there are %d",
			len(x.chunks), s.found)
	}
	for id, n := range x.counts {
		r.channels[id].Messages = n
	}
	return nil
}

// records handles all records from an offset on.
func (s *scan) records(at int64) error {
	for n := 0; at < s.end; n++ {
		if n == s.limits.records {
			return fmt.Errorf("%s: %w", s.path, ErrTooLong)
		}
		next, err := s.next(at)
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

// next handles the record at an offset, and returns the offset of the next record. At the end of the data section, it
// returns the offset unchanged. Records of other kinds, such as those of later versions of MCAP, are skipped.
func (s *scan) next(at int64) (int64, error) {
	op, length, err := s.head(at)
	if err != nil {
		return 0, err
	}
	next := at + headLen + length
	switch op {
	case mcap.OpDataEnd, mcap.OpFooter:
		return at, nil
	case mcap.OpSchema, mcap.OpChannel, mcap.OpMetadata:
		b, err := s.bytes(named(op), at+headLen, length, s.limits.listed, nil)
		if err != nil {
			return 0, err
		}
		return next, s.list(at, op, b)
	case mcap.OpAttachment:
		return next, s.attach(at)
	case mcap.OpChunk:
		if err := s.closeBlock(); err != nil {
			return 0, err
		}
		return s.chunk(at, next)
	case mcap.OpMessage:
		return next, s.message(at, next)
	}
	return next, nil
}

// message adds a message that is outside of chunks. Such messages are read in blocks, which are handled as chunks are.
func (s *scan) message(at, next int64) (err error) {
	if next-at > s.limits.chunk {
		return s.errorf(at, "a message: size = %d: must be at most %d", next-at, s.limits.chunk)
	}
	s.buf, err = s.bytes("a message", at+headLen, min(next-at-headLen, messageHead), messageHead, s.buf)
	if err != nil {
		return err
	}
	p, err := s.parse(at, s.buf)
	if err != nil {
		return err
	}
	s.channels[p.channel].Messages++
	b := &s.block
	if b.length > 0 && next-b.at > flatSize {
		if err := s.closeBlock(); err != nil {
			return err
		}
	}
	if b.length == 0 {
		*b = chunkInfo{at: at, start: p.logTime, end: p.logTime}
	}
	b.length, b.start, b.end = next-b.at, min(b.start, p.logTime), max(b.end, p.logTime)
	if i, found := slices.BinarySearch(b.channels, p.channel); !found {
		b.channels = slices.Insert(b.channels, i, p.channel)
	}
	return nil
}

// closeBlock adds the block of messages outside of chunks, if there is one.
func (s *scan) closeBlock() error {
	block := s.block
	if s.block = (chunkInfo{}); block.length == 0 {
		return nil
	}
	return s.addChunk(block)
}

// chunk handles a chunk. The argument next is the offset after it. chunk returns the offset after the message indexes
// that follow the chunk.
func (s *scan) chunk(at, next int64) (int64, error) {
	var info chunkInfo
	if s.index != nil {
		if x, ok := s.index.chunks[at]; ok {
			s.found++
			info, next = x.chunkInfo, x.next
		}
	}
	indexed := info.start > 0 || info.end > 0 || len(info.channels) > 0
	if !indexed {
		h, err := s.chunkHead(at)
		if err != nil {
			return 0, err
		}
		if info, err = s.infoOf(at, h.start, h.end, h.size); err != nil {
			return 0, err
		}
	}
	s.size += info.size
	if err := s.checkSize(at, s.size); err != nil {
		return 0, err
	}
	if indexed {
		return next, s.addChunk(info)
	}
	return s.unindexed(info, next)
}

// checkSize returns an error if the chunks up to the one at an offset have more bytes together, after decompression,
// than the file may have.
func (s *scan) checkSize(at, size int64) error {
	if size <= s.limits.unpacked+s.limits.ratio*s.Reader.size {
		return nil
	}
	return &refusal{s.errorf(at, "a chunk: chunks have %d bytes after decompression: must have at most %d plus %d times "+
		"the file's size", size, s.limits.unpacked, s.limits.ratio)}
}

// checkSizes does what checkSize does, for all chunks from an offset on. Thus no chunk of a file that is too large is
// decompressed.
func (s *scan) checkSizes(at int64) error {
	for size := s.size; at < s.end; {
		op, length, err := s.head(at)
		if err != nil || op == mcap.OpDataEnd || op == mcap.OpFooter {
			return nil // the scan will report what is wrong
		}
		if op == mcap.OpChunk {
			h, err := s.chunkHead(at)
			if err != nil {
				return nil
			}
			if size += min(max(h.size, 0), s.limits.chunk); s.checkSize(at, size) != nil {
				return s.checkSize(at, size)
			}
		}
		at += headLen + length
	}
	return nil
}

// unindexed handles a chunk that the summary does not describe, and the message indexes that follow it. The indexes
// list the channels of the chunk, so most chunks need not be decompressed.
func (s *scan) unindexed(info chunkInfo, next int64) (int64, error) {
	counts := map[uint16]uint64{}
	complete := false // whether all indexes exist, and their channels and schemas are known
	for next < s.end {
		op, length, err := s.head(next)
		if err != nil {
			break // the chunk itself is intact; scan will report the damage after it
		}
		if op != mcap.OpMessageIndex {
			complete = len(counts) > 0
			break
		}
		if s.buf, err = s.bytes(named(op), next+headLen, min(length, 6), 6, s.buf); err != nil {
			return 0, err
		}
		if len(s.buf) < 6 || int64(le.Uint32(s.buf[2:])) > length-6 {
			return 0, s.errorf(next, "a message index: its entries must fit its %d bytes", length)
		}
		counts[le.Uint16(s.buf)] += uint64(le.Uint32(s.buf[2:])) / 16
		next += headLen + length
	}
	for id := range counts {
		_, described := s.schema(id)
		complete = complete && described && s.channels[id] != nil
	}
	if !complete {
		if !s.sized {
			s.sized = true
			if err := s.checkSizes(next); err != nil {
				return 0, err
			}
		}
		var err error
		if counts, err = s.inspect(&info); errors.Is(err, ErrTooLong) {
			return next, s.addChunk(info)
		}
		if err != nil {
			return 0, err
		}
	}
	for id, n := range counts {
		if s.channels[id].Messages += n; n > 0 {
			info.channels = append(info.channels, id)
		}
	}
	if len(info.channels) == 0 {
		return next, nil
	}
	return next, s.addChunk(info)
}

// inspect decompresses a chunk to find its channels. It returns the number of messages of each channel, by the
// channel's id.
func (r *Reader) inspect(info *chunkInfo) (counts map[uint16]uint64, err error) {
	var c chunk
	if err := r.load(info, &c); err != nil {
		return nil, err
	}
	counts = map[uint16]uint64{}
	for rest := c.data; len(rest) > 0; {
		op, b, next, err := split(rest)
		if err != nil {
			return nil, r.errorf(info.at, "a chunk: %w", err)
		}
		rest = next
		switch op {
		case mcap.OpSchema, mcap.OpChannel:
			if err := r.list(info.at, op, b); err != nil {
				return nil, err
			}
		case mcap.OpMessage:
			m, err := r.parse(info.at, b)
			if err != nil {
				return nil, err
			}
			counts[m.channel]++
		}
	}
	return counts, nil
}
