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
	"github.com/pierrec/lz4/v4"
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
	if left := at + headLen + length - h.at; h.length < 0 || h.length > left {
		return h, r.errorf(at, "a chunk: its records have %d bytes: must have at most %d, as the chunk does",
			uint64(h.length), left)
	}
	return h, r.checkCompression(at, h.compression)
}

// checkCompression returns an error if chunks with a compression cannot be read. The argument at is the offset of a
// record that names the compression.
func (r *Reader) checkCompression(at int64, c mcap.CompressionFormat) error {
	switch c {
	case mcap.CompressionZSTD, mcap.CompressionLZ4, mcap.CompressionNone:
		return nil
	}
	return &refusal{r.errorf(at, "%.40q: compression is not supported: must be zstd, lz4 or none", c)}
}

// chunk is a decompressed chunk. Its memory is used again for the next chunk.
type chunk struct {
	raw, data []byte
	zstd      *zstd.Decoder
	lz4       *lz4.Reader
}

// maxWindow is the maximum window of a chunk's compression in bytes. It limits the memory of the decoder. The highest
// common level of zstd uses a window of this size.
const maxWindow = 8 << 20

// load reads and decompresses a chunk. It returns an error if the head of the chunk is not as expected, or if the
// checksum of the chunk does not match.
func (r *Reader) load(info *chunkInfo, c *chunk) (err error) {
	if info.length > 0 {
		c.data, err = r.bytes("messages", info.at, info.length, r.limits.chunk, c.data)
		return r.withPath(err)
	}
	h, err := r.chunkHead(info.at)
	if err != nil {
		return r.withPath(err)
	}
	if found, err := r.infoOf(info.at, h.start, h.end, h.size); err != nil {
		return err
	} else if found.start != info.start || found.end != info.end || found.size != info.size {
		return r.errorf(info.at, "a chunk: log times = %d to %d, size = %d: must be as in its index: %d to %d, %d",
			h.start, h.end, h.size, info.start, info.end, info.size)
	}
	if r.loaded.Add(h.size) > r.limits.loaded {
		return fmt.Errorf("%s: %w", r.path, ErrTooLong)
	}
	if c.raw, err = r.bytes("a chunk's records", h.at, h.length, r.limits.chunk, c.raw); err != nil {
		return r.withPath(err)
	}
	if h.compression == mcap.CompressionNone {
		if c.raw, c.data = c.data, c.raw; h.length != h.size {
			err = errors.New("its size is different")
		}
	} else {
		err = c.decompress(h.compression, h.size)
	}
	if err != nil {
		return r.errorf(info.at, "a chunk: must decompress to %d bytes: %w", h.size, err)
	}
	if h.crc != 0 && crc32.ChecksumIEEE(c.data) != h.crc {
		return r.errorf(info.at, "a chunk: its checksum must be %08x", h.crc)
	}
	return nil
}

// decompressor returns a reader of the decompressed chunk.
func (c *chunk) decompressor(compression mcap.CompressionFormat) (_ io.Reader, err error) {
	raw := bytes.NewReader(c.raw)
	if compression == mcap.CompressionLZ4 {
		if c.lz4 == nil {
			c.lz4 = lz4.NewReader(nil)
		}
		c.lz4.Reset(raw)
		return c.lz4, nil
	}
	if c.zstd == nil {
		if c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(maxWindow)); err != nil {
			return nil, err
		}
	}
	return c.zstd, c.zstd.Reset(raw)
}

// decompress decompresses the chunk into data. It returns an error if the result does not have size bytes. size may be
// wrong, so the memory grows only with the bytes that are really decompressed.
func (c *chunk) decompress(compression mcap.CompressionFormat, size int64) error {
	from, err := c.decompressor(compression)
	if err != nil {
		return err
	}
	const step = 1 << 20
	for c.data = c.data[:0]; int64(len(c.data)) < size; {
		have := len(c.data)
		if cap(c.data) == have {
			c.data = slices.Grow(c.data, int(min(size-int64(have), max(step, int64(have)))))
		}
		c.data = c.data[:min(size, int64(cap(c.data)))]
		if _, err := io.ReadFull(from, c.data[have:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	switch n, err := from.Read(make([]byte, 1)); {
	case n > 0:
		return errors.New("it has more bytes")
	case err != io.EOF:
		return err
	}
	return nil
}
