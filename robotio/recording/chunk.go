package recording

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
)

// chunkHead is the part of a chunk that comes before its records.
type chunkHead struct {
	start, end  uint64 // log times of the first and the last message
	size        int64  // size of the records after decompression, in bytes
	crc         uint32
	compression mcap.CompressionFormat
	at, length  int64 // offset and length of the records in the file
}

// fixedHead is the length of the fields of a chunk before the name of its compression, in bytes.
const fixedHead = 8 + 8 + 8 + 4

// maxCompression is the maximum length of the name of a compression in bytes. It is a guess.
const maxCompression = 32

// chunkHead reads the head of the chunk at an offset.
func (r *Reader) chunkHead(at int64) (h chunkHead, err error) {
	op, length, err := r.head(at)
	if err != nil {
		return h, err
	}
	if op != mcap.OpChunk {
		return h, r.errorf(at, "%s: must be a chunk", named(op))
	}
	const most = fixedHead + 4 + maxCompression + 8
	b, err := r.bytes("a chunk", at+headLen, min(length, most), most, nil)
	if err != nil {
		return h, err
	}
	if len(b) < fixedHead+4 {
		return h, r.errorf(at, "a chunk: has %d bytes: too few for its head", len(b))
	}
	h = chunkHead{start: le.Uint64(b), end: le.Uint64(b[8:]), size: int64(le.Uint64(b[16:])), crc: le.Uint32(b[24:])}
	n := int64(le.Uint32(b[fixedHead:]))
	if b = b[fixedHead+4:]; n > maxCompression || int64(len(b)) < n+8 {
		return h, r.errorf(at, "a chunk: the name of its compression has %d bytes: must have at most %d", n,
			maxCompression)
	}
	h.compression, h.length = mcap.CompressionFormat(b[:n]), int64(le.Uint64(b[n:]))
	h.at = at + headLen + fixedHead + 4 + n + 8
	if h.length != at+headLen+length-h.at {
		return h, r.errorf(at, "a chunk: its records have %d bytes: must have %d, as the chunk does", uint64(h.length),
			at+headLen+length-h.at)
	}
	if h.size < 0 || h.size > r.limits.chunk {
		return h, r.errorf(at, "a chunk: size = %d: must be at most %d", uint64(h.size), r.limits.chunk)
	}
	if h.compression != mcap.CompressionZSTD && h.compression != mcap.CompressionNone {
		return h, r.errorf(at, "a chunk: compression = %.40q: must be zstd or none", h.compression)
	}
	return h, nil
}

// chunk is a decompressed chunk. Its memory is used again for the next chunk.
type chunk struct {
	raw, data []byte
	zstd      *zstd.Decoder
}

// maxWindow is the maximum window of a chunk's compression in bytes. It limits the memory of the decoder. The highest
// common level of zstd uses a window of this size.
const maxWindow = 8 << 20

// load reads and decompresses the chunk at an offset. It returns an error if the checksum of the chunk does not match.
func (r *Reader) load(at int64, c *chunk) (h chunkHead, err error) {
	if h, err = r.chunkHead(at); err != nil {
		return h, r.withPath(err)
	}
	if c.raw, err = r.bytes("a chunk's records", h.at, h.length, r.limits.chunk, c.raw); err != nil {
		return h, r.withPath(err)
	}
	if h.compression == mcap.CompressionZSTD {
		err = c.decompress(h.size)
	} else if c.raw, c.data = c.data, c.raw; int64(len(c.data)) != h.size {
		err = errors.New("its size is different")
	}
	if err != nil {
		return h, r.errorf(at, "a chunk: must decompress to %d bytes: %w", h.size, err)
	}
	if h.crc != 0 && crc32.ChecksumIEEE(c.data) != h.crc {
		return h, r.errorf(at, "a chunk: its checksum must be %08x", h.crc)
	}
	return h, nil
}

// decompress decompresses the chunk into data. It returns an error if the result does not have size bytes. size may be
// wrong, so the memory grows only with the bytes that are really decompressed.
func (c *chunk) decompress(size int64) (err error) {
	if c.zstd == nil {
		if c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(maxWindow)); err != nil {
			return err
		}
	}
	if err := c.zstd.Reset(bytes.NewReader(c.raw)); err != nil {
		return err
	}
	const step = 1 << 20
	for c.data = c.data[:0]; int64(len(c.data)) < size; {
		have := len(c.data)
		if cap(c.data) == have {
			c.data = slices.Grow(c.data, int(min(size-int64(have), max(step, int64(have)))))
		}
		c.data = c.data[:min(size, int64(cap(c.data)))]
		if _, err := io.ReadFull(c.zstd, c.data[have:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	switch n, err := c.zstd.Read(make([]byte, 1)); {
	case n > 0:
		return fmt.Errorf("it has more bytes")
	case err != io.EOF:
		return err
	}
	return nil
}
