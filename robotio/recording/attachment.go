package recording

import (
	"fmt"
	"hash/crc32"

	"github.com/foxglove/mcap/go/mcap"
)

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
		ok = a.data+4 <= a.at+length && a.size == a.at+length-4-a.data
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
