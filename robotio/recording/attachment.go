package recording

import (
	"fmt"
	"hash/crc32"

	"github.com/foxglove/mcap/go/mcap"
)

// attachment is an attachment's place.
type attachment struct {
	name, mediaType string
	at              int64 // of the record's content
	data, size      int64 // offset and size of the data
}

// maxName bounds the names of an attachment and of its media type together, bytes: a path, and more.
const maxName = 8 << 10

// attach notes the attachment at an offset.
func (r *Reader) attach(at int64) error {
	op, length, err := r.head(at)
	if err != nil {
		return err
	}
	if op != mcap.OpAttachment {
		return r.errorf(at, "%s: must be an attachment", named(op))
	}
	if len(r.attachments) == r.limits.attached {
		return r.errorf(at, "an attachment: there are %d before it: must be at most so many", len(r.attachments))
	}
	b, err := r.bytes("an attachment", at+headLen, min(length, maxName), maxName, nil)
	if err != nil {
		return err
	}
	a := attachment{at: at + headLen}
	rest, ok := b, len(b) >= 16
	if ok {
		rest = rest[16:] // log time and time of creation
	}
	for _, s := range []*string{&a.name, &a.mediaType} {
		if ok = ok && len(rest) >= 4 && uint64(le.Uint32(rest)) <= uint64(len(rest)-4); ok {
			n := le.Uint32(rest)
			*s, rest = string(rest[4:4+n]), rest[4+n:]
		}
	}
	if ok = ok && len(rest) >= 8; ok {
		a.size, a.data = int64(le.Uint64(rest)), a.at+int64(len(b)-len(rest))+8
		ok = a.data+4 <= a.at+length && a.size == a.at+length-4-a.data
	}
	if !ok {
		return r.errorf(at, "an attachment: its names and its size must fit its %d bytes", length)
	}
	r.attachments = append(r.attachments, a)
	return nil
}

// Attachments lists the names of the files in the recording.
func (r *Reader) Attachments() (names []string) {
	for _, a := range r.attachments {
		names = append(names, a.name)
	}
	return names
}

// Attachment reads a file in the recording. It fails where there is none of that name, and where it is damaged or too
// large.
func (r *Reader) Attachment(name string) (Attachment, error) {
	for _, a := range r.attachments {
		if a.name != name {
			continue
		}
		b, err := r.bytes("an attachment", a.at, a.data+a.size+4-a.at, r.limits.attachment, nil)
		if err != nil {
			return Attachment{}, r.told(err)
		}
		data, sum := b[:len(b)-4], le.Uint32(b[len(b)-4:])
		if sum != 0 && crc32.ChecksumIEEE(data) != sum {
			return Attachment{}, r.errorf(a.at, "an attachment, %.200q: its check sum must be %08x", name, sum)
		}
		return Attachment{a.name, a.mediaType, data[a.data-a.at:]}, nil
	}
	return Attachment{}, fmt.Errorf("%s: attachment %.200q: there is none", r.path, name)
}
