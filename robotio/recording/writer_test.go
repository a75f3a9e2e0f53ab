package recording

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// bubbleWall is the clock of a synctest bubble, in which time passes when all goroutines wait.
type bubbleWall struct{}

func (bubbleWall) Now() time.Duration { return time.Duration(time.Now().UnixNano()) }

func (w bubbleWall) Wait(ctx context.Context, until time.Duration) {
	select {
	case <-time.After(until - w.Now()):
	case <-ctx.Done():
	}
}

var (
	number = Schema{"std_msgs/UInt64", "uint64 data\n"}
	text   = Schema{"std_msgs/String", "string data\n"}
)

// begin creates a recording that is closed at the end of the test.
func begin(t testing.TB, path string, h Header, o Options) *Writer {
	t.Helper()
	w := must.Get(Create(path, h, o))(t)
	t.Cleanup(func() { w.Close() })
	return w
}

func channel(t testing.TB, w *Writer, topic string, s Schema) *Channel {
	t.Helper()
	c := must.Get(w.Channel(topic, s, map[string]string{"md5sum": "1b13af14f58a1f2f5c6a5d9a6b5d5d8f"}))(t)
	return c
}

// row is a message as MCAP's library reads it.
type row struct {
	Topic, Schema    string
	Log, Publish, At uint64 // At is its number in the channel
	Data             string
}

// library reads a complete file with MCAP's library.
func library(t testing.TB, path string) (*mcap.Info, []row) {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	r := must.Get(mcap.NewReader(f))(t)
	defer r.Close()
	info := must.Get(r.Info())(t)
	it := must.Get(r.Messages(mcap.InOrder(mcap.LogTimeOrder)))(t)
	var rows []row
	for {
		s, c, m, err := it.NextInto(nil)
		if errors.Is(err, io.EOF) {
			return info, rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row{c.Topic, s.Name, m.LogTime, m.PublishTime, uint64(m.Sequence), string(m.Data)})
	}
}

// MCAP's library reads everything that is written: header, metadata, attachments, schemas, channels and messages.
func TestWrittenIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	h := Header{Library: "omnipitch test", Metadata: map[string]string{"seed": "7", "world": "derby"},
		Attachments: []Attachment{{"world.toml", "application/toml", []byte("name = \"derby\"\n")},
			{"empty", "text/plain", nil}}}
	w := begin(t, path, h, Options{})
	a, b := channel(t, w, "/a", number), channel(t, w, "/b", text)
	channel(t, w, "/never", text)
	var want []row
	for i := range uint64(5000) {
		log := time.Duration(i) * time.Millisecond
		data := binary.LittleEndian.AppendUint64(nil, i)
		a.Write(log, log/2, data)
		want = append(want, row{"/a", number.Name, uint64(log), uint64(log / 2), i + 1, string(data)})
		if i%10 == 0 {
			data := strings.Repeat(fmt.Sprint(i), int(i))
			b.Write(log, log, []byte(data))
			want = append(want, row{"/b", text.Name, uint64(log), uint64(log), i/10 + 1, data})
		}
	}
	must.Do(t, w.Close())
	info, got := library(t, path)
	must.Equal(t, got, want, "messages")
	if info.Header.Profile != "ros1" || info.Header.Library != h.Library {
		t.Errorf("header %+v", info.Header)
	}
	if n := len(info.ChunkIndexes); n < 3 {
		t.Errorf("%d chunks of %d bytes hold %d messages", n, chunkSize, len(want))
	}
	if s := info.Statistics; s.MessageCount != uint64(len(want)) || s.ChannelCount != 2 || s.SchemaCount != 2 ||
		s.AttachmentCount != 2 || s.MetadataCount != 1 {
		t.Errorf("statistics %+v", s)
	}
	for _, c := range info.Channels {
		if c.MessageEncoding != "ros1" || c.Metadata["md5sum"] == "" || info.Schemas[c.SchemaID].Encoding != "ros1msg" {
			t.Errorf("channel %+v with schema %+v", c, info.Schemas[c.SchemaID])
		}
	}
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	r := must.Get(mcap.NewReader(f))(t)
	meta, err := r.GetMetadata(info.MetadataIndexes[0].Offset)
	if err != nil || meta.Name != "omnipitch" || !cmp.Equal(meta.Metadata, h.Metadata) {
		t.Errorf("metadata %+v, %v", meta, err)
	}
	for i, want := range h.Attachments {
		ar := must.Get(r.GetAttachmentReader(info.AttachmentIndexes[i].Offset))(t)
		data, err := io.ReadAll(ar.Data())
		if err != nil || ar.Name != want.Name || ar.MediaType != want.MediaType || !bytes.Equal(data, want.Data) {
			t.Errorf("attachment %s %s %q, %v, want %+v", ar.Name, ar.MediaType, data, err, want)
		}
	}
}

// Messages of many goroutines are all written, and those of each goroutine in order.
func TestManyWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w := begin(t, path, Header{}, Options{Queue: 1 << 20, Patience: time.Minute}) // writers wait sometimes
	const goroutines, each = 8, 2000
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() {
			c := channel(t, w, fmt.Sprintf("/%d", g), number)
			var data [1000]byte
			for i := range uint64(each) {
				binary.LittleEndian.PutUint64(data[:], i)
				c.Write(time.Duration(i), time.Duration(i), data[:])
			}
		})
	}
	wait.Wait()
	must.Do(t, w.Close())
	_, rows := library(t, path)
	must.Equal(t, len(rows), goroutines*each, "rows")
	for _, r := range rows {
		if got := binary.LittleEndian.Uint64([]byte(r.Data)); got != r.Log || r.At != got+1 {
			t.Fatalf("message %d of %s has number %d and place %d", got, r.Topic, r.At, r.Log)
		}
	}
}

// A chunk is in the file within a second of its first message, even if no message follows, but not earlier than
// necessary.
func TestChunkIsClosedWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.mcap")
		w := begin(t, path, Header{}, Options{Wall: bubbleWall{}})
		c := channel(t, w, "/a", number)
		size := func() int64 {
			synctest.Wait()
			st := must.Get(os.Stat(path + aside.Suffix))(t)
			return st.Size()
		}
		for range 3 {
			before := size()
			c.Write(0, 0, make([]byte, 8))
			time.Sleep(chunkAge / 2)
			c.Write(0, 0, make([]byte, 8))
			must.Equal(t, size(), before, "a chunk is closed early")
			time.Sleep(time.Second - chunkAge/2)
			if size() == before {
				t.Error("a second after the message nothing is in the file")
			}
		}
	})
}

func TestNothingIsOverwritten(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte("precious"), 0o644))
		return path
	}
	finished := file("finished.mcap")
	cut := strings.TrimSuffix(file("cut.mcap"+aside.Suffix), aside.Suffix)
	for _, path := range []string{finished, cut} {
		must.Refuse(Create(path, Header{}, Options{}))(t, "exists", path)
		w := must.Get(Create(path, Header{}, Options{Overwrite: true}))(t)
		if path == finished {
			if b, err := os.ReadFile(path); string(b) != "precious" {
				t.Errorf("%s is %q, %v before the new recording has ended", path, b, err)
			}
		}
		must.Do(t, w.Close())
		library(t, path)
	}
	kept := file("kept.mcap")
	discarded := begin(t, kept, Header{}, Options{Overwrite: true, Ended: func(err error) {
		t.Errorf("Discard: Ended was called with %v", err)
	}})
	discarded.Discard()
	discarded.Discard()
	if b, err := os.ReadFile(kept); string(b) != "precious" {
		t.Errorf("%s is %q, %v after Discard of the recording that would replace it", kept, b, err)
	}
	if _, err := os.Stat(kept + aside.Suffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Discard leaves a file: %v", err)
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	for path, want := range map[string]string{filepath.Join(dir, "folder"): "must be a file", filepath.Join(dir, "none",
		"a.mcap"): "no such file"} {
		must.Refuse(Create(path, Header{}, Options{Overwrite: true}))(t, want, path)
	}
	late := filepath.Join(dir, "late.mcap")
	w := begin(t, late, Header{}, Options{})
	file("late.mcap")
	must.Fail(t, w.Close(), "exists", "Close with a file of the final name")
}

// bubble runs a subtest in a synctest bubble, in which time passes when all goroutines wait.
func bubble(t *testing.T, name string, f func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// ended collects the calls of Options.Ended.
type ended struct{ must.List[error] }

// check checks that the recording has ended with one error, which names the file and the cause, and that Write still
// returns.
func (e *ended) check(t *testing.T, w *Writer, c *Channel, want string) {
	t.Helper()
	for range 1000 {
		c.Write(0, 0, make([]byte, 1000))
	}
	err := w.Close()
	if len(e.All()) != 1 || !errors.Is(err, e.All()[0]) || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), w.file.out.Partial()) {
		t.Errorf("ended with %v, and Close: %v; want one error with %q", e.All(), err, want)
	}
}

// A recording ends if its folder or file is deleted, renamed or replaced.
func TestVanishedFile(t *testing.T) {
	for name, vanish := range map[string]func(dir, path string) error{
		"folder deleted": func(dir, _ string) error { return os.RemoveAll(dir) },
		"folder renamed": func(dir, _ string) error { return os.Rename(dir, dir+".old") },
		"file replaced": func(_, path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o644))
		},
	} {
		for _, atClose := range []bool{false, true} {
			bubble(t, fmt.Sprintf("%s, at close %v", name, atClose), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "out")
				must.Do(t, os.Mkdir(dir, 0o755))
				var e ended
				path := filepath.Join(dir, "a.mcap")
				w := begin(t, path, Header{}, Options{Wall: bubbleWall{}, Ended: e.Add})
				c := channel(t, w, "/a", number)
				c.Write(0, 0, make([]byte, 8))
				must.Do(t, vanish(dir, path+aside.Suffix))
				if atClose {
					if err := w.Close(); !errors.Is(err, aside.ErrGone) || len(e.All()) != 0 {
						t.Errorf("Close: %v, Ended before: %v", err, e.All())
					}
					return
				}
				time.Sleep(lookEvery + tick)
				synctest.Wait()
				e.check(t, w, c, aside.ErrGone.Error())
			})
		}
	}
}

// blocked is a disk that blocks until it is released.
type blocked chan struct{}

func (b blocked) Write(p []byte) (int, error) { <-b; return len(p), nil }

// With a blocked disk, Write waits once for Patience, and Close does not hang.
func TestHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e ended
		const patience = 3 * time.Second
		w := begin(t, filepath.Join(t.TempDir(), "a.mcap"), Header{}, Options{Wall: bubbleWall{}, Ended: e.Add,
			Queue: 100_000, Patience: patience})
		disk := make(blocked)
		defer close(disk)
		w.file.buf.Reset(disk)
		c := channel(t, w, "/a", number)
		began := time.Now()
		for len(e.All()) == 0 {
			c.Write(0, 0, make([]byte, 1000))
		}
		if took := time.Since(began); took < patience || took > patience+2*tick {
			t.Errorf("it ended after %v", took)
		}
		e.check(t, w, c, errSlow.Error())
	})
}

// A message that is too large to be read is an error.
func TestHugeMessage(t *testing.T) {
	var e ended
	w := begin(t, filepath.Join(t.TempDir(), "a.mcap"), Header{}, Options{Ended: e.Add})
	c := channel(t, w, "/a", number)
	c.Write(0, 0, make([]byte, MaxMessage+1))
	e.check(t, w, c, "topic /a: a message has 268435457 bytes: must be at most 268435456")
}

func TestInvalidOptions(t *testing.T) {
	_, err := Create(filepath.Join(t.TempDir(), "a.mcap"), Header{}, Options{Queue: -1, Patience: -time.Second})
	if err == nil || !strings.Contains(err.Error(), "queue = -1") || !strings.Contains(err.Error(), "patience = -1s") {
		t.Errorf("got %v", err)
	}
}

// Writing a message allocates nothing, and the file's goroutine allocates only for chunks.
func TestWriteAllocatesNothing(t *testing.T) {
	w := begin(t, filepath.Join(t.TempDir(), "a.mcap"), Header{}, Options{Patience: time.Minute})
	c := channel(t, w, "/a", number)
	data := make([]byte, 1000)
	for range 100_000 { // let the queue allocate its blocks
		c.Write(0, 0, data)
	}
	runtime.GC()
	if n := testing.AllocsPerRun(100_000, func() { c.Write(0, 0, data) }); n != 0 {
		t.Errorf("%v allocations a message", n)
	}
}
