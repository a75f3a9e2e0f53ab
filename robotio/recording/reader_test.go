package recording

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// sample is a message of a test.
type sample struct {
	Topic string
	Log   time.Duration
	Data  string
}

// samples returns messages of three topics. Their log times jump a little, and many are equal.
func samples(n int, r *rand.Rand) (all []sample) {
	for i := range n {
		log := time.Duration(max(0, i/4+r.IntN(20)-10)) * time.Millisecond
		all = append(all, sample{fmt.Sprintf("/%c", 'a'+r.IntN(3)), log,
			fmt.Sprintf("%d %s", i, strings.Repeat("x", r.IntN(30)))})
	}
	return all
}

// built returns a file of messages, written by MCAP's library in small chunks.
func built(t testing.TB, all []sample, o mcap.WriterOptions) []byte {
	t.Helper()
	o.Chunked, o.ChunkSize = true, 300
	return flat(t, all, o)
}

// flat returns a file of messages, written by MCAP's library. The messages are not in chunks, unless o says so.
func flat(t testing.TB, all []sample, o mcap.WriterOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, &o)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	check(w.WriteHeader(&mcap.Header{Profile: profile, Library: "test"}))
	check(w.WriteMetadata(&mcap.Metadata{Name: MetadataName, Metadata: map[string]string{"seed": "7"}}))
	check(w.WriteAttachment(&mcap.Attachment{Name: "world.toml", MediaType: "application/toml", DataSize: 5,
		Data: strings.NewReader("seed!")}))
	ids := map[string]uint16{}
	for i, s := range all {
		if _, ok := ids[s.Topic]; !ok {
			ids[s.Topic] = uint16(len(ids) + 3)
			check(w.WriteSchema(&mcap.Schema{ID: 1, Name: text.Name, Encoding: schemaEncoding,
				Data: []byte(text.Text)}))
			check(w.WriteChannel(&mcap.Channel{ID: ids[s.Topic], SchemaID: 1, Topic: s.Topic,
				MessageEncoding: ROSEncoding, Metadata: map[string]string{"callerid": "/x"}}))
		}
		check(w.WriteMessage(&mcap.Message{ChannelID: ids[s.Topic], Sequence: uint32(i), LogTime: uint64(s.Log),
			PublishTime: uint64(s.Log), Data: []byte(s.Data)}))
	}
	check(w.Close())
	return b.Bytes()
}

// opened opens a file in memory.
func opened(b []byte, l limits) (*Reader, error) {
	return read(source{bytes.NewReader(b), "x.mcap", int64(len(b)), l})
}

// all reads messages until the end or an error.
func all(m *Messages) (got []sample, err error) {
	for {
		x, err := m.Next()
		if err != nil {
			return got, err
		}
		got = append(got, sample{x.Channel.Topic, x.LogTime, string(x.Data)})
	}
}

// ordered returns the expected messages: from a time on, of some topics, in order.
func ordered(all []sample, from time.Duration, want func(*ChannelInfo) bool) []sample {
	out := slices.DeleteFunc(slices.Clone(all), func(s sample) bool {
		return s.Log < from || want != nil && !want(&ChannelInfo{Topic: s.Topic})
	})
	slices.SortStableFunc(out, func(a, b sample) int { return cmp.Compare(a.Log, b.Log) })
	return out
}

func topic(names ...string) func(*ChannelInfo) bool {
	return func(c *ChannelInfo) bool { return slices.Contains(names, c.Topic) }
}

// A Reader returns everything that a Writer wrote, and messages by time and topic.
func TestReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	h := Header{Library: "omnipitch test", Metadata: map[string]string{"seed": "7"},
		Attachments: []Attachment{{"world.toml", "application/toml", []byte("x = 1")}, {"empty", "", []byte{}}}}
	w := begin(t, path, h, Options{})
	a, b := channel(t, w, "/a", text), channel(t, w, "/b", number)
	for i := range 300 {
		now := time.Duration(i) * 10 * time.Millisecond
		a.Write(now, now/2, bytes.Repeat([]byte{byte(i)}, 10_000))
		if i%100 == 50 {
			b.Write(now, now, binary.LittleEndian.AppendUint64(nil, uint64(i)))
		}
	}
	must.Do(t, w.Close())
	r := must.Get(Open(path))(t)
	defer r.Close()
	if r.Damage() != nil || r.Library() != h.Library || !gocmp.Equal(r.Metadata(), h.Metadata) {
		t.Errorf("damage %v, library %q, metadata %v", r.Damage(), r.Library(), r.Metadata())
	}
	must.Equal(t, r.Attachments(), []string{"world.toml", "empty"}, "attachments")
	for _, want := range h.Attachments {
		if got, err := r.Attachment(want.Name); err != nil || !gocmp.Equal(got, want) {
			t.Errorf("attachment %+v, %v, want %+v", got, err, want)
		}
	}
	must.Refuse(r.Attachment("none"))(t, `attachment "none": does not exist`, "an attachment that is not there")
	if first, last := r.Span(); first != 0 || last != 2990*time.Millisecond {
		t.Errorf("span %v to %v", first, last)
	}
	meta := map[string]string{"md5sum": "1b13af14f58a1f2f5c6a5d9a6b5d5d8f"}
	must.Equal(t, r.Channels(), []*ChannelInfo{{"/a", text, ROSEncoding, meta, 300}, {"/b", number, ROSEncoding, meta,
		3}}, "channels")
	m := r.Messages(1500*time.Millisecond, nil)
	for i := 150; i < 300; i++ {
		x, err := m.Next()
		now := time.Duration(i) * 10 * time.Millisecond
		if err != nil || x.Channel.Topic != "/a" || x.LogTime != now || x.PublishTime != now/2 ||
			!bytes.Equal(x.Data, bytes.Repeat([]byte{byte(i)}, 10_000)) {
			t.Fatalf("message %d: %s at %v of %v, %d bytes, %v", i, x.Channel.Topic, x.LogTime, x.PublishTime,
				len(x.Data), err)
		}
		if i%100 == 50 {
			if x, err := m.Next(); err != nil || x.Channel.Topic != "/b" || le.Uint64(x.Data) != uint64(i) {
				t.Fatalf("message %d: %+v, %v", i, x, err)
			}
		}
	}
	for range 2 {
		if _, err := m.Next(); err != io.EOF {
			t.Errorf("behind the last message: %v", err)
		}
	}
}

// Messages are returned in the order of their times, and those of the same time in the order of writing, however chunks
// overlap, from any time, and for any topics. This holds for a truncated file without an index, too.
func TestOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 5 {
		want := samples(rnd.IntN(400), rnd)
		finished := built(t, want, mcap.WriterOptions{Compression: mcap.CompressionZSTD, IncludeCRC: true})
		bare := built(t, want, mcap.WriterOptions{SkipMessageIndexing: true})
		for name, b := range map[string][]byte{"finished": finished,
			"cut":           finished[:bytes.LastIndexByte(finished, byte(mcap.OpDataEnd))],
			"without index": bare[:len(bare)-1]} {
			r := must.Get(opened(b, standard))(t)
			must.Equal(t, r.Damage() == nil, name == "finished", "%s: damage %v", name, r.Damage())
			for range 10 {
				from := time.Duration(rnd.IntN(110)) * time.Millisecond
				for _, f := range []func(*ChannelInfo) bool{nil, topic("/b"), topic("/a", "/c"), topic("/none")} {
					got, err := all(r.Messages(from, f))
					if d := gocmp.Diff(ordered(want, from, f), got,
						gocmp.Comparer(func(a, b []sample) bool { return slices.Equal(a, b) })); d != "" ||
						err != io.EOF {
						t.Fatalf("%s: from %v: %v, (-want +got):\n%s", name, from, err, d)
					}
					before := slices.DeleteFunc(ordered(want, 0, f), func(s sample) bool { return s.Log > from })
					last, found, err := r.Last(from, f)
					if err != nil || found != (len(before) > 0) {
						t.Fatalf("%s: last before %v: %v, %v", name, from, found, err)
					}
					if found {
						if got, want := (sample{last.Channel.Topic, last.LogTime, string(last.Data)}),
							before[len(before)-1]; got != want {
							t.Fatalf("%s: last before %v: %v, want %v", name, from, got, want)
						}
					}
				}
			}
		}
	}
}

// For a file truncated anywhere, everything in the complete chunks is read, and Damage describes the rest.
func TestCutAnywhere(t *testing.T) {
	want := samples(50, rand.New(rand.NewPCG(1, 0)))
	b := built(t, want, mcap.WriterOptions{Compression: mcap.CompressionZSTD, IncludeCRC: true})
	whole := must.Get(opened(b, standard))(t)
	var ends []int64 // ends of chunks
	counts := []int{0}
	for _, at := range chunksOf(whole) {
		h := must.Get(whole.chunkHead(at.at))(t)
		counted := must.Get(whole.inspect(&at))(t)
		n := counts[len(counts)-1]
		for _, c := range counted {
			n += int(c)
		}
		ends, counts = append(ends, h.at+h.length), append(counts, n)
	}
	if len(ends) < 5 {
		t.Fatalf("%d chunks are too few", len(ends))
	}
	first := int64(bytes.IndexByte(b, byte(mcap.OpMetadata)))
	for cut := int64(0); cut < int64(len(b)); cut++ {
		r, err := opened(b[:cut], standard)
		if err != nil {
			if cut > first {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		}
		chunks, _ := slices.BinarySearch(ends, cut+1)
		got, err := all(r.Messages(0, nil))
		if d := gocmp.Diff(ordered(want[:counts[chunks]], 0, nil), got,
			gocmp.Comparer(func(a, b []sample) bool { return slices.Equal(a, b) })); d != "" || err != io.EOF {
			t.Fatalf("cut at %d, after %d chunks: %v, (-want +got):\n%s", cut, chunks, err, d)
		}
		if d := r.Damage(); d == nil || !strings.HasPrefix(d.Error(), "x.mcap is incomplete: ") ||
			strings.Contains(d.Error(), "\n") {
			t.Fatalf("cut at %d: damage %v", cut, d)
		}
	}
}

// chunksOf returns a file's chunks in the order of the file.
func chunksOf(r *Reader) []chunkInfo {
	return slices.SortedFunc(slices.Values(r.chunks), func(a, b chunkInfo) int { return cmp.Compare(a.at, b.at) })
}

// A wrong bit is detected: all messages that are read are correct, and an error names the file.
func TestWrongBits(t *testing.T) {
	want := samples(40, rand.New(rand.NewPCG(2, 0)))
	b := built(t, want, mcap.WriterOptions{Compression: mcap.CompressionZSTD, IncludeCRC: true})
	written := map[sample]bool{}
	for _, s := range want {
		written[s] = true
	}
	unnoticed := 0
	for i := range b {
		for _, bit := range []byte{1, 0x10, 0x80} {
			b[i] ^= bit
			r, err := opened(b, standard)
			var got []sample
			if err == nil {
				got, err = all(r.Messages(0, nil))
				if err == io.EOF {
					err = r.Damage()
				}
			}
			if err == nil && len(got) < len(want) || err != nil && (!strings.Contains(err.Error(), "x.mcap") ||
				strings.Contains(err.Error(), "\n")) {
				t.Fatalf("bit %#x of byte %d: %d messages, %v", bit, i, len(got), err)
			}
			for _, s := range got {
				if !written[sample{"/" + s.Topic[len(s.Topic)-1:], s.Log, s.Data}] && err == nil {
					t.Fatalf("bit %#x of byte %d: message %+v was never written", bit, i, s)
				}
			}
			if err == nil {
				unnoticed++
			}
			b[i] ^= bit
		}
	}
	t.Logf("%d of %d wrong bits change nothing that is read", unnoticed, 3*len(b))
}

func TestNoRecording(t *testing.T) {
	dir := t.TempDir()
	for name, b := range map[string]string{"empty": "", "text": "hello, world", "magic": string(mcap.Magic),
		"reversed": string(mcap.Magic) + "\x02xxxxxxxx"} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(b), 0o644))
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(),
			"\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for path, want := range map[string]string{dir: "must be a file", filepath.Join(dir, "none"): "no such file"} {
		must.Refuse(Open(path))(t, want, path)
	}
}
