package recording

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/foxglove/mcap/go/mcap"
)

// footerLen is the length of the content of a file's last record, in bytes: two offsets and a checksum.
const footerLen = 8 + 8 + 4

// index is what the summary of a file says about the data section, if it says all that a Reader needs.
type index struct {
	chunks map[int64]indexedChunk // all chunks, by offset
	counts map[uint16]uint64      // number of messages of each channel that has some
}

// indexedChunk is a chunk that the summary describes.
type indexedChunk struct {
	chunkInfo
	next int64 // offset after its message indexes
}

// summary reads the footer and the summary of a complete file. It returns the offset at which the data section ends.
// The index is nil if the file has none, or if the index lacks something; both are allowed.
func (r *Reader) summary() (end int64, x *index, err error) {
	magic := r.size - int64(len(mcap.Magic))
	if b, err := r.bytes("the file's end", magic, int64(len(mcap.Magic)), int64(len(mcap.Magic)), nil); err != nil ||
		!bytes.Equal(b, mcap.Magic) {
		return 0, nil, fmt.Errorf("%s is incomplete: it has neither index nor summary", r.path)
	}
	at := magic - footerLen - headLen
	b, err := r.record(at, mcap.OpFooter, footerLen)
	if err != nil {
		return 0, nil, r.withPath(err)
	}
	footer, err := mcap.ParseFooter(b)
	if err != nil {
		return 0, nil, r.errorf(at, "footer: %w", err)
	}
	start := int64(footer.SummaryStart)
	if start == 0 {
		return at, nil, nil
	}
	if start < 0 || start > at {
		return 0, nil, r.errorf(at, "footer: summary = %d: must be its place, at most %d", footer.SummaryStart, at)
	}
	all, err := r.bytes("the summary", start, at+headLen+footerLen-4-start, r.limits.summary, nil)
	if err != nil {
		return 0, nil, r.withPath(err)
	}
	if footer.SummaryCRC != 0 && crc32.ChecksumIEEE(all) != footer.SummaryCRC {
		return 0, nil, r.errorf(start, "summary: its checksum must be that of the footer")
	}
	x, err = r.summarize(start, all[:at-start])
	return start, x, r.withPath(err)
}

// summarize handles the records of the summary, which begins at the offset start.
func (r *Reader) summarize(start int64, all []byte) (*index, error) {
	var statistics *mcap.Statistics
	x := &index{chunks: map[int64]indexedChunk{}}
	for rest := all; len(rest) > 0; {
		at := start + int64(len(all)-len(rest))
		op, b, next, err := split(rest)
		if err != nil {
			return nil, r.errorf(at, "summary: %w", err)
		}
		rest = next
		switch op {
		case mcap.OpSchema, mcap.OpChannel:
			err = r.list(at, op, b)
		case mcap.OpChunkIndex:
			err = x.add(r, at, b)
		case mcap.OpStatistics:
			statistics, err = parsed(r, at, op, b, mcap.ParseStatistics)
		}
		if err != nil {
			return nil, err
		}
	}
	if statistics == nil || int(statistics.ChunkCount) != len(x.chunks) {
		return nil, nil
	}
	x.counts = statistics.ChannelMessageCounts
	total := uint64(0)
	for id, n := range x.counts {
		if _, ok := r.schema(id); !ok || r.channels[id] == nil {
			return nil, nil
		}
		total += n
	}
	if total != statistics.MessageCount {
		return nil, nil // without counts, the map is empty
	}
	return x, nil
}

// add adds the chunk that a chunk index describes.
func (x *index) add(r *Reader, at int64, b []byte) error {
	c, err := parsed(r, at, mcap.OpChunkIndex, b, mcap.ParseChunkIndex)
	if err != nil {
		return err
	}
	if err := r.checkCompression(at, c.Compression); err != nil {
		return err
	}
	info, err := r.infoOf(int64(c.ChunkStartOffset), c.MessageStartTime, c.MessageEndTime, int64(c.UncompressedSize))
	if err != nil {
		return err
	}
	length := c.ChunkLength + c.MessageIndexLength
	if info.at < 0 || info.at > r.size || max(c.ChunkLength, c.MessageIndexLength, length) > uint64(r.size-info.at) ||
		c.ChunkLength < headLen {
		return r.errorf(at, "a chunk index: chunk = %d to %d: must be the place of a chunk", c.ChunkStartOffset,
			c.ChunkStartOffset+length)
	}
	info.channels = slices.Sorted(maps.Keys(c.MessageIndexOffsets))
	x.chunks[info.at] = indexedChunk{info, info.at + int64(length)}
	return nil
}

// parsed parses the content of a record. It adds the kind and the offset of the record to an error.
func parsed[T any](r *Reader, at int64, op mcap.OpCode, b []byte, parse func([]byte) (*T, error)) (*T, error) {
	x, err := parse(b)
	if err != nil {
		return nil, r.errorf(at, "%s: %w", named(op), err)
	}
	return x, nil
}

// split returns the first record of a sequence of records, and the rest after this record.
func split(b []byte) (op mcap.OpCode, content, rest []byte, err error) {
	if len(b) < headLen {
		return 0, nil, nil, errors.New("ends inside the head of a record: must have complete records")
	}
	op = mcap.OpCode(b[0])
	length := le.Uint64(b[1:])
	if b = b[headLen:]; length > uint64(len(b)) {
		return 0, nil, nil, errors.New(named(op) + " exceeds its end: must have complete records")
	}
	return op, b[:length], b[length:], nil
}

// attachment says where in the file an attachment is.
type attachment struct {
	name, mediaType string
	at              int64 // offset of the content of the record
	data, size      int64 // offset and size of the data
}

// maxName is the maximum total length of an attachment's name and media type, in bytes. It is a guess: paths are
// shorter.
const maxName = 8 << 10

// attach adds the attachment whose record is at an offset.
func (r *Reader) attach(at int64) error {
	op, length, err := r.head(at)
	if err != nil {
		return err
	}
	if op != mcap.OpAttachment {
		return r.errorf(at, "%s: must be an attachment", named(op))
	}
	if len(r.attachments) == r.limits.attached {
		return r.errorf(at, "an attachment: must be one of at most %d", len(r.attachments))
	}
	b, err := r.bytes("an attachment", at+headLen, min(length, maxName), maxName, nil)
	if err != nil {
		return err
	}
	a := attachment{at: at + headLen}
	rest, ok := b, len(b) >= 16
	if ok {
		rest = rest[16:] // skip log time and creation time
	}
	for _, s := range []*string{&a.name, &a.mediaType} {
		if ok = ok && len(rest) >= 4 && uint64(le.Uint32(rest)) <= uint64(len(rest)-4); ok {
			n := le.Uint32(rest)
			*s, rest = string(rest[4:4+n]), rest[4+n:]
		}
	}
	if ok = ok && len(rest) >= 8; ok {
		a.size, a.data = int64(le.Uint64(rest)), a.at+int64(len(b)-len(rest))+8
		ok = a.data+4 <= a.at+length && a.size >= 0 && a.size <= a.at+length-4-a.data
	}
	if !ok {
		return r.errorf(at, "an attachment: its names and its size must fit its %d bytes", length)
	}
	r.attachments = append(r.attachments, a)
	return nil
}

// Attachments returns the names of the attached files.
func (r *Reader) Attachments() (names []string) {
	for _, a := range r.attachments {
		names = append(names, a.name)
	}
	return names
}

// Attachment reads an attached file. It returns an error if there is no file of that name, or if the file is damaged or
// too large.
func (r *Reader) Attachment(name string) (Attachment, error) {
	for _, a := range r.attachments {
		if a.name != name {
			continue
		}
		b, err := r.bytes("an attachment", a.at, a.data+a.size+4-a.at, r.limits.attachment, nil)
		if err != nil {
			return Attachment{}, r.withPath(err)
		}
		data, sum := b[:len(b)-4], le.Uint32(b[len(b)-4:])
		if sum != 0 && crc32.ChecksumIEEE(data) != sum {
			return Attachment{}, r.errorf(a.at, "an attachment, %.200q: its checksum must be %08x", name, sum)
		}
		return Attachment{a.name, a.mediaType, data[a.data-a.at:]}, nil
	}
	return Attachment{}, fmt.Errorf("%s: attachment %.200q: does not exist", r.path, name)
}
