package replay

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// taken is a message of a recording.
type taken struct {
	topic   string
	schema  recording.Schema
	log, at time.Duration
	data    []byte
}

// takeApart returns the contents of a recording.
func takeApart(t testing.TB, path string) (messages []taken, files []recording.Attachment) {
	t.Helper()
	r := must.Get(recording.Open(path))(t)
	defer r.Close()
	for _, name := range r.Attachments() {
		file := must.Get(r.Attachment(name))(t)
		files = append(files, recording.Attachment{Name: name, Data: slices.Clone(file.Data)})
	}
	for all := r.Messages(0, nil); ; {
		m, err := all.Next()
		if err == io.EOF {
			return messages, files
		}
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, taken{m.Channel.Topic, m.Channel.Schema, m.LogTime, m.PublishTime,
			slices.Clone(m.Data)})
	}
}

// putTogether writes a recording with given contents.
func putTogether(t testing.TB, path string, messages []taken, files []recording.Attachment) {
	t.Helper()
	w := must.Get(recording.Create(path, recording.Header{Library: "test", Attachments: files}, recording.Options{}))(t)
	channels := map[string]*recording.Channel{}
	for _, m := range messages {
		if channels[m.topic] == nil {
			channels[m.topic] = must.Get(w.Channel(m.topic, m.schema, nil))(t)
		}
		channels[m.topic].Write(m.log, m.at, m.data)
	}
	must.Do(t, w.Close())
}

// edit changes messages and files as the bytes of how say, six for each change. It corrects the checksums of blocks of
// states, so that their contents are checked.
func edit(messages []taken, files []recording.Attachment, how []byte) ([]taken, []recording.Attachment) {
	messages, files = slices.Clone(messages), slices.Clone(files)
	for ; len(how) >= 6; how = how[6:] {
		which, place, value := binary.LittleEndian.Uint16(how), int(binary.LittleEndian.Uint16(how[2:])), how[4]
		if which&0x8000 != 0 {
			f := &files[int(which&0x7fff)%len(files)]
			if f.Data = slices.Clone(f.Data); len(f.Data) > 0 {
				f.Data[place%len(f.Data)] = value
			}
			continue
		}
		i := int(which) % len(messages)
		m := &messages[i]
		m.data = slices.Clone(m.data)
		switch how[5] % 8 {
		case 0:
			messages = slices.Delete(messages, i, i+1)
			if len(messages) == 0 {
				return messages, files
			}
			continue
		case 1:
			messages = slices.Insert(messages, place%len(messages), *m)
			continue
		case 2:
			m.data = m.data[:place%(len(m.data)+1)]
		case 3:
			other := &messages[place%len(messages)] // states of another step or episode
			m.data = slices.Clone(other.data)
		default:
			if len(m.data) > 0 {
				m.data[place%len(m.data)] = value
			}
		}
		if m.topic == recorder.States && len(m.data) > 28 {
			block := m.data[24:] // after episode, first, last and the length
			sum := crc32.Checksum(block[:len(block)-4], crc32.MakeTable(crc32.Castagnoli))
			binary.LittleEndian.PutUint32(block[len(block)-4:], sum)
		}
	}
	return messages, files
}

// place matches the place in an error: a message, a step, a line of a file, or the whole recording.
var place = regexp.MustCompile(`: has no episode: |topic /\S+ at \d\S*s: |\bsteps? \d.*: |\w:\d+:\d+: `)

// judge checks that an error is one sentence of at most 500 bytes that names a place, and the recording at most once.
// Errors of a world may have several such lines.
func judge(t *testing.T, err error, path string) {
	t.Helper()
	lines := strings.Split(err.Error(), "\n")
	if n := len(lines); n > 20 || strings.Count(err.Error(), path) > 1 {
		t.Errorf("%d lines, or the file is named twice: %q", n, err)
	}
	for _, line := range lines {
		garbage := strings.ContainsFunc(line, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) })
		if short := strings.ReplaceAll(line, path, "FILE"); len(short) > 500 || garbage || !place.MatchString(line) {
			t.Errorf("is no clear sentence with a place: %q", line)
		}
	}
}

// FuzzReplay checks that a recording with damaged or foreign parts is refused in a clear sentence, when it is played at
// the latest.
func FuzzReplay(f *testing.F) {
	const n = 60
	type base struct {
		messages []taken
		files    []recording.Attachment
	}
	var bases []base
	for _, exact := range []bool{true, false} {
		path := filepath.Join(f.TempDir(), "a.mcap")
		record(f, path, busy(f, "planar"), exact, n)
		messages, files := takeApart(f, path)
		bases = append(bases, base{messages, files})
	}
	f.Add(true, []byte{})
	f.Add(false, []byte{})
	for i := range 10 {
		f.Add(i%2 == 0, []byte{byte(i * 7), 0, byte(i * 13), 0, byte(i * 31), byte(i), byte(i * 3), 0, byte(i), 0, 255,
			byte(i + 4)})
	}
	f.Fuzz(func(t *testing.T, exact bool, how []byte) {
		b := bases[1]
		if exact {
			b = bases[0]
		}
		messages, files := edit(b.messages, b.files, how[:min(len(how), 60)])
		if len(messages) == 0 {
			return
		}
		path := filepath.Join(t.TempDir(), "a.mcap")
		putTogether(t, path, messages, files)
		for _, cfg := range []Config{{}, {Check: true}} {
			if err := play(t, path, cfg); err != nil {
				judge(t, err, path)
			}
		}
	})
}

// A file with one damaged byte is refused in one sentence that names the file once, unless the byte is not needed.
func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	record(t, path, busy(t, "planar"), true, 60)
	whole := must.Get(os.ReadFile(path))(t)
	refused := 0
	for i := range 40 {
		b := slices.Clone(whole)
		b[len(b)*i/40] ^= 0xff
		must.Do(t, os.WriteFile(path, b, 0o600))
		r, err := Open(path)
		if err == nil {
			r.Close()
			continue
		}
		if refused++; strings.Count(err.Error(), path) != 1 || strings.Contains(err.Error(), "\n") {
			t.Errorf("byte %d: %q: must be a sentence that names the file once", len(b)*i/40, err)
		}
	}
	if refused == 0 {
		t.Error("no damage was found")
	}
}

// play opens a recording, and seeks in it.
func play(t *testing.T, path string, cfg Config) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	sim, err := r.NewSim(ctx, omnipitch.Options{NoWorker: true}, cfg)
	if err != nil {
		return err
	}
	defer sim.Close()
	places := []time.Duration{0, 200 * time.Millisecond, 50 * time.Millisecond}
	for i := range 60 {
		if i%20 == 10 && !cfg.Check && places[i/20] <= r.Length() {
			sim.seeks.add(places[i/20])
		}
		if err := sim.Step(); errors.Is(err, omnipitch.ErrEnd) {
			break
		} else if err != nil {
			return err
		}
	}
	sim.Verdict()
	return nil
}
