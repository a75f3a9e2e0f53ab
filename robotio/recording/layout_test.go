package recording

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// isIntact checks that a file has certain messages and no damage, in all ways of reading.
func isIntact(t *testing.T, name string, file []byte, want []sample) *Reader {
	t.Helper()
	r, err := opened(file, standard)
	if err != nil {
		t.Errorf("%s: got error %v, want none", name, err)
		return nil
	}
	if r.Damage() != nil {
		t.Errorf("%s: got damage %v, want none", name, r.Damage())
	}
	got, err := all(r.Messages(0, nil))
	if sorted := ordered(want, 0, nil); !slices.Equal(got, sorted) || err != io.EOF {
		t.Errorf("%s: got %d messages, %v; want %d and EOF:\n%v\n%v", name, len(got), err, len(sorted), got, sorted)
	}
	counts := map[string]uint64{}
	for _, s := range want {
		counts[s.Topic]++
	}
	for _, c := range r.Channels() {
		if c.Messages != counts[c.Topic] || c.Schema.Name != text.Name {
			t.Errorf("%s: topic %s: got %d messages of %q, want %d of %q", name, c.Topic, c.Messages, c.Schema.Name,
				counts[c.Topic], text.Name)
		}
		delete(counts, c.Topic)
	}
	if len(counts) > 0 {
		t.Errorf("%s: got no topics %v", name, counts)
	}
	if a, err := r.Attachment("world.toml"); err != nil || string(a.Data) != "seed!" || r.Metadata()["seed"] != "7" {
		t.Errorf("%s: got attachment %q, %v, metadata %v; want seed!, nil, seed 7", name, a.Data, err, r.Metadata())
	}
	return r
}

// Every part of a file that the specification calls optional may be missing: chunks, message indexes, and any part of
// the summary. MCAP's library writes the files.
func TestOptionalParts(t *testing.T) {
	want := samples(40, rand.New(rand.NewPCG(4, 0)))
	for parts := range 1 << 9 {
		without := func(bit int) bool { return parts>>bit&1 == 1 }
		o := mcap.WriterOptions{SkipMessageIndexing: without(0), SkipStatistics: without(1),
			SkipRepeatedSchemas: without(2), SkipRepeatedChannelInfos: without(3), SkipAttachmentIndex: without(4),
			SkipMetadataIndex: without(5), SkipChunkIndex: without(6), SkipSummaryOffsets: without(7),
			IncludeCRC: !without(8)}
		isIntact(t, fmt.Sprintf("flat, %b", parts), flat(t, want, o), want)
		for i, c := range []mcap.CompressionFormat{mcap.CompressionNone, mcap.CompressionLZ4, mcap.CompressionZSTD} {
			if o.Compression = c; parts%3 == i {
				isIntact(t, fmt.Sprintf("%s, %b", c, parts), built(t, want, o), want)
			}
		}
	}
}

// everything returns a file with all that the specification allows: messages before, in and after a chunk, records with
// unknown fields at their ends, unknown records, repeated and ignored ones, and checksums that are not available. With
// an index, the summary is complete, but its channels precede its schemas.
func everything(all []sample, indexed bool) []byte {
	extra := []byte("unknown")
	long := func(op mcap.OpCode, content ...any) []byte { return rec(op, append(content, extra)...) }
	text := bytes.Join([][]byte{long(mcap.OpSchema, uint16(1), text.Name, schemaEncoding, text.Text),
		rec(mcap.OpSchema, uint16(0), "ignored", "", "")}, nil)
	ids := map[string]uint16{"/a": 3, "/b": 4, "/c": 5}
	channels := []byte{}
	for topic, id := range ids {
		channels = append(channels, long(mcap.OpChannel, id, uint16(1), topic, ROSEncoding, uint32(0))...)
	}
	message := func(s sample) []byte {
		return rec(mcap.OpMessage, ids[s.Topic], uint32(0), uint64(s.Log), uint64(s.Log), []byte(s.Data))
	}
	file := bytes.Join([][]byte{mcap.Magic, long(mcap.OpHeader, "", "test"), rec(0x42, extra), text, channels,
		long(mcap.OpMetadata, "other", uint32(0)),
		long(mcap.OpMetadata, MetadataName, uint32(4+4+4+1), "seed", "7"),
		long(mcap.OpAttachment, uint64(0), uint64(0), "world.toml", "", uint64(5), []byte("seed!"), uint32(0)),
	}, nil)
	third := len(all) / 3
	for _, s := range all[:third] {
		file = append(append(file, message(s)...), rec(0x99, extra)...)
	}
	at, inside := len(file), bytes.Join([][]byte{text, channels, rec(0x42, extra)}, nil)
	counts, index := map[uint16]uint64{}, []byte{}
	first, last := uint64(math.MaxInt64), uint64(0)
	for _, s := range all[third : 2*third] {
		inside = append(inside, message(s)...)
		counts[ids[s.Topic]]++
		first, last = min(first, uint64(s.Log)), max(last, uint64(s.Log))
	}
	file = append(file, long(mcap.OpChunk, first, last, uint64(len(inside)), uint32(0), "", uint64(len(inside)),
		inside)...)
	indexes := len(file)
	for id, n := range counts {
		file = append(file, long(mcap.OpMessageIndex, id, uint32(16*n), make([]byte, 16*n))...)
		index = append(index, raw(id, uint64(1))...)
	}
	chunkIndex := long(mcap.OpChunkIndex, first, last, uint64(at), uint64(indexes-at), uint32(len(index)), index,
		uint64(len(file)-indexes), "", uint64(len(inside)), uint64(len(inside)))
	for _, s := range all[2*third:] {
		file = append(file, message(s)...)
	}
	file = append(file, long(mcap.OpDataEnd, uint32(0))...)
	if !indexed {
		return slices.Concat(file, rec(mcap.OpFooter, uint64(0), uint64(0), uint32(0)), mcap.Magic)
	}
	clear(counts)
	for _, s := range all {
		counts[ids[s.Topic]]++
	}
	perChannel := []byte{}
	for id, n := range counts {
		perChannel = append(perChannel, raw(id, n)...)
	}
	statistics := long(mcap.OpStatistics, uint64(len(all)), uint16(1), uint32(3), uint32(1), uint32(2), uint32(1),
		uint64(0), last, uint32(len(perChannel)), perChannel)
	return slices.Concat(file, rec(0x42), channels, chunkIndex, text, statistics,
		rec(mcap.OpFooter, uint64(len(file)), uint64(0), uint32(0)), mcap.Magic)
}

// Whatever the specification allows in a file is read. What the index describes is not read before it is needed.
func TestEverythingAllowed(t *testing.T) {
	want := samples(60, rand.New(rand.NewPCG(5, 0)))
	for _, indexed := range []bool{false, true} {
		file := everything(want, indexed)
		r := isIntact(t, fmt.Sprintf("indexed = %v", indexed), file, want)
		chunks := chunksOf(r)
		must.Equal(t, len(chunks), 3, "blocks of messages")
		if b := file[chunks[1].at:]; b[0] != byte(mcap.OpChunk) {
			t.Fatalf("got opcode %d, want a chunk", b[0])
		}
		file[chunks[1].at+headLen+fixedHead+4+8+2]++ // the opcode of the first record
		r = must.Get(opened(file, standard))(t)
		if damage := r.Damage(); damage != nil && indexed {
			t.Errorf("a wrong byte in an indexed chunk was found when the file was opened: %v", damage)
		}
	}
}

// A channel without a schema has messages.
func TestNoSchema(t *testing.T) {
	file := fileOf(rec(mcap.OpChannel, uint16(1), uint16(0), "/a", "json", uint32(0)), messageA)
	r := must.Get(opened(file, small))(t)
	got, err := all(r.Messages(0, nil))
	if len(got) != 1 || err != io.EOF || r.Channels()[0].Schema != (Schema{}) {
		t.Errorf("got %v, %v, want one message without a schema", got, err)
	}
	must.Refuse(r.Channels()[0].Definition())(t, "has no schema", "the definition of a channel without a schema")
}

// A chunk of a small file cannot be as large as one of a large file, so that the file's size bounds the memory.
func TestLargeChunkOfSmallFile(t *testing.T) {
	content := append(bytes.Clone(goodA), rec(0x80, make([]byte, 100<<20))...)
	file := fileOf(chunkOf(5, 5, uint64(len(content)), "zstd", zipped(t, content)))
	for extra, want := range map[int]int{0: 0, 1 << 20: 1} {
		r := must.Get(opened(append(fileOf(rec(0x80, make([]byte, extra))), file[len(fileOf()):]...), standard))(t)
		if got, err := all(r.Messages(0, nil)); len(got) != want || err != io.EOF {
			t.Errorf("with %d bytes more: got %d messages, %v; want %d", extra, len(got), err, want)
		}
	}
}

// Of a cut file without chunks, all complete messages are read.
func TestCutFlat(t *testing.T) {
	want := samples(30, rand.New(rand.NewPCG(6, 0)))
	file := flat(t, want, mcap.WriterOptions{SkipStatistics: true, SkipSummaryOffsets: true, SkipRepeatedSchemas: true,
		SkipRepeatedChannelInfos: true, SkipAttachmentIndex: true, SkipMetadataIndex: true})
	end := len(file) - len(mcap.Magic) - headLen - footerLen
	for cut := end; cut > bytes.Index(file, []byte{byte(mcap.OpMetadata)}); cut-- {
		r := must.Get(opened(file[:cut], standard))(t)
		got, err := all(r.Messages(0, nil))
		n := len(got)
		if n > len(want) || !slices.Equal(got, ordered(want[:n], 0, nil)) || err != io.EOF || r.Damage() == nil {
			t.Fatalf("cut at %d: got %d messages, %v, damage %v", cut, n, err, r.Damage())
		}
		if cut == end && n < len(want) {
			t.Errorf("without a footer: got %d messages, want %d", n, len(want))
		}
	}
}
