package recording

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// rec returns a record.
func rec(op mcap.OpCode, content ...any) []byte {
	c := raw(content...)
	return append(le.AppendUint64([]byte{byte(op)}, uint64(len(c))), c...)
}

// raw concatenates numbers, bytes and texts. The length of a text precedes it.
func raw(content ...any) (b []byte) {
	for _, x := range content {
		switch x := x.(type) {
		case string:
			b = append(le.AppendUint32(b, uint32(len(x))), x...)
		case []byte:
			b = append(b, x...)
		default:
			b, _ = binary.Append(b, le, x)
		}
	}
	return b
}

// chunkOf returns a chunk whose records claim to have size bytes.
func chunkOf(start, end, size uint64, compression string, records []byte) []byte {
	return rec(mcap.OpChunk, start, end, size, uint32(0), compression, uint64(len(records)), records)
}

// fileOf returns an incomplete file.
func fileOf(records ...[]byte) []byte {
	return append(append(bytes.Clone(mcap.Magic), rec(mcap.OpHeader, "ros1", "hostile")...),
		bytes.Join(records, nil)...)
}

// endOf returns a summary and footer for a file.
func endOf(file []byte, summary ...[]byte) []byte {
	s := bytes.Join(summary, nil)
	footer := rec(mcap.OpFooter, uint64(len(file)), uint64(0))
	le.PutUint64(footer[1:], footerLen)
	sum := crc32.ChecksumIEEE(append(bytes.Clone(s), footer...))
	return bytes.Join([][]byte{file, s, le.AppendUint32(footer, sum), mcap.Magic}, nil)
}

func zipped(t testing.TB, b []byte) []byte {
	w := must.Get(zstd.NewWriter(nil))(t)
	return w.EncodeAll(b, nil)
}

var (
	listA = append(rec(mcap.OpSchema, uint16(1), "std_msgs/String", "ros1msg", "string data"),
		rec(mcap.OpChannel, uint16(1), uint16(1), "/a", "ros1", uint32(0))...)
	messageA = rec(mcap.OpMessage, uint16(1), uint32(1), uint64(5), uint64(5), []byte("data"))
	goodA    = append(bytes.Clone(listA), messageA...)
)

// hostile is a hostile file: the expected error, and the number of messages read before it.
type hostile struct {
	name     string
	file     []byte
	sentence string
	messages int
}

func hostiles(t testing.TB) []hostile {
	good := chunkOf(5, 5, uint64(len(goodA)), "", goodA)
	index := func(at int, start, end uint64) []byte {
		return rec(mcap.OpChunkIndex, start, end, uint64(at), uint64(len(good)), uint32(10), uint16(1), uint64(0),
			uint64(0), "", uint64(len(goodA)), uint64(len(goodA)))
	}
	huge := chunkOf(5, 5, 1<<20, "zstd", zipped(t, rec(0x80, make([]byte, 1<<20-headLen))))
	statistics := rec(mcap.OpStatistics, uint64(1), uint16(1), uint32(1), uint32(0), uint32(0), uint32(1), uint64(5),
		uint64(5), uint32(10), uint16(1), uint64(1))
	prefix := len(fileOf())
	bomb := zipped(t, make([]byte, 50<<20))
	var many []byte
	for id := range uint16(math.MaxUint16) {
		many = append(many, rec(mcap.OpSchema, id+1, strings.Repeat("x", 20), "ros1msg", "string data")...)
	}
	whole := fileOf(good)
	return []hostile{
		{"giant length", append(fileOf(good), byte(mcap.OpChunk), 0, 0, 0, 0, 0, 0, 0, 0x70),
			"is incomplete: byte 207: a chunk is cut off after 9 bytes", 1},
		{"negative length", append(fileOf(good), byte(mcap.OpChunk), 255, 255, 255, 255, 255, 255, 255, 255),
			"a chunk is cut", 1},
		{"zeros behind", append(fileOf(good), make([]byte, 100)...), "byte 207: a record: opcode = 0: must not be 0",
			1},
		{"message before its channel", fileOf(messageA), "byte 36: a message: channel = 1: must be listed", 0},
		{"late message", fileOf(listA, rec(mcap.OpMessage, uint16(1), uint32(1), uint64(1<<63), uint64(5))),
			"a message: times = 9223372036854775808 and 5: must be less than 2^63", 0},
		{"half a message", fileOf(listA, messageA, messageA[:20]), "byte 158: a message is cut off after 20 bytes", 1},
		{"large message", fileOf(listA, rec(mcap.OpMessage, make([]byte, 1<<20))),
			"a message: size = 1048585: must be at most 1048576", 0},
		{"promised size", fileOf(chunkOf(5, 5, 1<<40, "zstd", bomb)), "a chunk: size = 1099511627776: must be at " +
			"most 1048576", 0},
		{"bomb", fileOf(good, chunkOf(5, 5, 1000, "zstd", bomb)), "a chunk: must decompress to 1000 bytes: it has " +
			"more bytes", 1},
		{"hollow", fileOf(good, chunkOf(5, 5, 1<<20, "zstd", zipped(t, goodA))),
			"a chunk: must decompress to 1048576 bytes: unexpected EOF", 1},
		{"garbage", fileOf(chunkOf(5, 5, 1<<20, "zstd", []byte("not compressed"))),
			"a chunk: must decompress to 1048576 bytes: ", 0},
		{"uncompressed size", fileOf(chunkOf(5, 5, 7, "", goodA)), "a chunk: must decompress to 7 bytes: its size " +
			"is different", 0},
		{"compression", fileOf(chunkOf(5, 5, 7, "br", goodA)),
			`"br": compression is not supported: must be zstd, lz4 or none`, 0},
		{"no lz4", fileOf(chunkOf(5, 5, 7, "lz4", goodA)), "a chunk: must decompress to 7 bytes: lz4: bad magic number", 0},
		{"too much", fileOf(bytes.Repeat(huge, 9)),
			"a chunk: chunks have 9437184 bytes after decompression: must have at most 8388608 plus 500 times", 0},
		{"compression's length", fileOf(rec(mcap.OpChunk, uint64(5), uint64(5), uint64(5), uint32(0),
			uint32(math.MaxUint32), make([]byte, 100))), "the name of its compression has 4294967295 bytes", 0},
		{"records' length", fileOf(rec(mcap.OpChunk, uint64(5), uint64(5), uint64(5), uint32(0), "", uint64(1<<63),
			make([]byte, 100))), "its records have 9223372036854775808 bytes: must have at most 100", 0},
		{"short chunk", fileOf(rec(mcap.OpChunk, uint64(5))), "a chunk: has 8 bytes: too few for its head", 0},
		{"times", fileOf(chunkOf(6, 5, uint64(len(goodA)), "", goodA)), "a chunk: log times = 6 to 5: must be in order",
			0},
		{"late chunk", fileOf(chunkOf(5, math.MaxUint64, uint64(len(goodA)), "", goodA)),
			"a chunk: log times = 5 to 18446744073709551615: must be in order", 0},
		{"outside its chunk", fileOf(chunkOf(6, 7, uint64(len(goodA)), "", goodA)),
			"log time = 5 of a message: must lie in those of the chunk, 6 to 7", 0},
		{"cut record", fileOf(chunkOf(5, 5, uint64(len(goodA)-1), "", goodA[:len(goodA)-1])),
			"a chunk: a message exceeds its end: must have complete records", 0},
		{"half a head", fileOf(chunkOf(5, 5, uint64(len(goodA)+3), "", append(bytes.Clone(goodA), 5, 0, 0))),
			"a chunk: ends inside the head of a record", 0},
		{"short message", fileOf(chunkOf(5, 5, 9, "", rec(mcap.OpMessage))),
			"a message: has 0 bytes: must have at least 22", 0},
		{"no channel", fileOf(chunkOf(5, 5, uint64(len(messageA)), "", messageA)),
			"a message: channel = 1: must be listed", 0},
		{"no schema", endOf(fileOf(rec(mcap.OpChannel, uint16(1), uint16(1), "/a", "ros1", uint32(0)))),
			"topic /a: schema = 1: must be in the file", 0},
		{"two channels", fileOf(listA, rec(mcap.OpChannel, uint16(1), uint16(1), "/b", "ros1", uint32(0))),
			`channel 1: "/b": must be the same in all its records`, 0},
		{"two schemas", fileOf(listA, rec(mcap.OpSchema, uint16(1), "x", "ros1msg", "")),
			`schema 1: "x": must be the same in all its records`, 0},
		{"cut schema", fileOf(rec(mcap.OpSchema, uint16(1), uint32(1000))), "a schema: failed to read schema name", 0},
		{"many schemas", fileOf(many), "schemas, channels and metadata: must have at most 1048576 bytes", 0},
		{"message index", fileOf(good, rec(mcap.OpMessageIndex, uint16(1), uint32(1<<30))),
			"a message index: its entries must fit its 6 bytes", 0},
		{"attachment's name", fileOf(rec(mcap.OpAttachment, uint64(0), uint64(0), uint32(math.MaxUint32))),
			"an attachment: its names and its size must fit its 20 bytes", 0},
		{"attachment's size", fileOf(rec(mcap.OpAttachment, uint64(0), uint64(0), "a", "b", uint64(1<<62), uint32(0))),
			"an attachment: its names and its size must fit its 38 bytes", 0},
		{"chunk elsewhere", endOf(whole, listA, index(1<<40, 5, 5), statistics),
			"a chunk index: chunk = 1099511627776 to 1099511627947: must be the place of a chunk", 1},
		{"no chunk there", endOf(whole, listA, index(len(mcap.Magic), 5, 5), statistics),
			"summary: has 1 chunk indexes: must be those of chunks, of which there are 0", 1},
		{"index of other times", endOf(whole, listA, index(prefix, 4, 5), statistics),
			"a chunk: log times = 5 to 5, size = 122: must be as in its index: 4 to 5, 122", 0},
		{"one chunk twice", endOf(whole, listA, index(prefix, 5, 5), index(prefix, 5, 5), statistics), "", 1},
	}
}

// small are limits that keep tests fast.
var small = limits{chunk: 1 << 20, open: 2 << 20, summary: 1 << 20, listed: 1 << 20, unpacked: 8 << 20, ratio: 500,
	loaded: math.MaxInt64, attachment: 1 << 20, chunks: 1000, attached: 1000, records: math.MaxInt}

// outcome reads all of a file, and returns the number of messages and the error.
func outcome(t testing.TB, b []byte, l limits) (messages int, sentence string) {
	r, err := opened(b, l)
	if err == nil {
		messages, err = readAll(t, r)
	}
	if err == nil {
		return messages, ""
	}
	if s := err.Error(); !strings.HasPrefix(s, "x.mcap") || strings.ContainsAny(s, "\n\x00") || len(s) > 400 {
		t.Errorf("not a clear sentence: %q", s)
	}
	return messages, err.Error()
}

func readAll(t testing.TB, r *Reader) (messages int, err error) {
	last, m := int64(-1), r.Messages(0, nil)
	for {
		x, err := m.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return messages, err
		}
		if int64(x.LogTime) < last || x.Channel == nil {
			t.Errorf("message of %v at %v behind one at %v", x.Channel, x.LogTime, last)
		}
		last = int64(x.LogTime)
		messages++
	}
	for _, name := range r.Attachments() {
		if _, err := r.Attachment(name); err != nil {
			return messages, err
		}
	}
	if _, _, err := r.Last(math.MaxInt64, nil); err != nil {
		return messages, err
	}
	return messages, r.Damage()
}

func TestHostileFiles(t *testing.T) {
	for _, h := range hostiles(t) {
		n, sentence := outcome(t, h.file, small)
		if n != h.messages || !strings.Contains(sentence, h.sentence) || (sentence == "") != (h.sentence == "") {
			t.Errorf("%s: %d messages, %q; want %d, %q", h.name, n, sentence, h.messages, h.sentence)
		}
	}
}

// Many chunks of the same time are not all decompressed at once. A file of small chunks that would fill the memory is
// refused, and Peek decompresses only a part of a file.
func TestManyLargeChunks(t *testing.T) {
	roomy, peek := small, small
	roomy.unpacked, peek.unpacked, peek.loaded = 32<<20, 32<<20, 5<<20
	for _, c := range []struct {
		name     string
		step     uint64 // time between chunks
		index    bool
		limits   limits
		messages int
		sentence string
	}{
		{"with index", 1, true, roomy, 20, "is incomplete: it has neither"},
		{"without index", 1, false, roomy, 20, "is incomplete: it has neither"},
		{"in brief", 1, false, peek, 0, ErrTooLong.Error()},
		{"too large for its size", 1, false, small, 0, "a chunk: chunks have 11701703 bytes after decompression: must " +
			"have at most 8388608 plus 500 times the file's size"},
		{"at one time", 0, true, roomy, 0,
			"a chunk: chunks of the same log times take 2700393 bytes: must be at most 2097152"},
	} {
		var records [][]byte
		for i := range uint64(20) {
			at := i * c.step
			content := bytes.Join([][]byte{listA, rec(mcap.OpMessage, uint16(1), uint32(1), at, at, []byte("data")),
				rec(0x80, make([]byte, 900_000))}, nil)
			records = append(records, chunkOf(at, at, uint64(len(content)), "zstd", zipped(t, content)))
			if c.index {
				records = append(records, rec(mcap.OpMessageIndex, uint16(1), uint32(16), at, uint64(0)))
			}
		}
		n, sentence := outcome(t, fileOf(append(records, rec(mcap.OpDataEnd, uint32(0)))...), c.limits)
		if n != c.messages || !strings.Contains(sentence, c.sentence) {
			t.Errorf("%s: %d messages, %q; want %d, %q", c.name, n, sentence, c.messages, c.sentence)
		}
	}
}

// Zeros that lz4 has compressed take 255 times as much after decompression. A file of 13 MB, which would take half a
// minute to export, is refused before anything is decompressed.
func TestZerosInLZ4(t *testing.T) {
	content := slices.Concat(listA, messageA, rec(0x80, make([]byte, 4<<20)))
	var packed bytes.Buffer
	w := lz4.NewWriter(&packed)
	must.Get(w.Write(content))(t)
	must.Do(t, w.Close())
	chunk := chunkOf(5, 5, uint64(len(content)), "lz4", packed.Bytes())
	for _, index := range [][]byte{nil, rec(mcap.OpMessageIndex, uint16(1), uint32(16), uint64(5), uint64(0))} {
		one := slices.Concat(chunk, index)
		file := fileOf(bytes.Repeat(one, 13_000_000/len(one)), rec(mcap.OpDataEnd, uint32(0)))
		_, err := opened(file, standard)
		if err == nil || !strings.Contains(err.Error(), "after decompression: must have at most 268435456 plus 64 times "+
			"the file's size") {
			t.Errorf("file of %d bytes: got error %v, want that it is refused", len(file), err)
		}
		if file := fileOf(bytes.Repeat(one, 40), rec(mcap.OpDataEnd, uint32(0))); len(index) > 0 {
			must.Get(opened(file, standard))(t) // 160 MB are no burden
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, h := range hostiles(f) {
		if len(h.file) < 10_000 {
			f.Add(h.file)
		}
	}
	few := samples(12, rand.New(rand.NewPCG(3, 0)))
	for _, o := range []mcap.WriterOptions{{Compression: mcap.CompressionZSTD, IncludeCRC: true}, {},
		{SkipMessageIndexing: true}, {Compression: mcap.CompressionLZ4}, {SkipStatistics: true}} {
		b := built(f, few, o)
		f.Add(b)
		f.Add(b[:len(b)*2/3])
	}
	f.Add(flat(f, few, mcap.WriterOptions{}))
	f.Add(everything(few, true))
	f.Fuzz(func(t *testing.T, b []byte) { outcome(t, b, small) })
}
