package recording

import (
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// cpu returns the processor time of the process.
func cpu(b *testing.B) time.Duration {
	var u unix.Rusage
	must.Do(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// trajectories returns 4,000 messages of 1 kB, 20 s at 200 Hz, whose numbers change smoothly, like poses and twists.
func trajectories() (all [][]byte) {
	for step := range 4000 {
		var b []byte
		for j := range 125 {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(5*math.Sin(float64(step)/200*(1+float64(j)/10))))
		}
		all = append(all, b)
	}
	return all
}

// BenchmarkRecording measures the processor time of all goroutines and the file size per message: of poses, and of
// large incompressible messages.
func BenchmarkRecording(b *testing.B) {
	for name, messages := range map[string][][]byte{"poses of 1 kB": trajectories(),
		"noise of 1 MB": {newNoise().bytes(1 << 20)}} {
		b.Run(name, func(b *testing.B) {
			w := begin(b, filepath.Join(b.TempDir(), "a.mcap"), Header{}, Options{Patience: time.Minute})
			topic := channel(b, w, "/a", number)
			n := 0
			b.SetBytes(int64(len(messages[0])))
			b.ReportAllocs()
			began := cpu(b)
			for b.Loop() {
				topic.Write(time.Duration(n)*5*time.Millisecond, 0, messages[n%len(messages)])
				n++
			}
			must.Do(b, w.Close())
			b.ReportMetric(float64(cpu(b)-began)/float64(n), "cpu-ns/op")
			b.ReportMetric(float64(w.file.mcap.Offset())/float64(n), "file-B/op")
		})
	}
}

// BenchmarkRead reads ten minutes of poses of 1 kB at 50 Hz with incompressible messages of 1 kB at 200 Hz. It measures
// opening a complete and a truncated file, finding the last message before a time, reading a second from there, and
// reading everything.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.mcap")
	w := begin(b, path, Header{}, Options{Patience: time.Minute})
	poses, states := channel(b, w, "/poses", number), channel(b, w, "/states", text)
	all, noise := trajectories(), newNoise()
	const steps = 600 * 200
	for i := range steps {
		now := time.Duration(i) * 5 * time.Millisecond
		if i%4 == 0 {
			poses.Write(now, now, all[i%len(all)])
		}
		states.Write(now, now, noise.bytes(1000))
	}
	must.Do(b, w.Close())
	r := must.Get(Open(path))(b)
	b.Cleanup(func() { r.Close() })
	cut := r.source
	cut.size -= 5000
	i := 0
	for name, f := range map[string]func(b *testing.B){
		"open": func(b *testing.B) { must.Get(Open(path))(b).Close() },
		"open cut": func(b *testing.B) {
			if r, err := read(cut); err != nil || r.Damage() == nil {
				b.Fatal(err, r.Damage())
			}
		},
		"last": func(b *testing.B) {
			if _, found, err := r.Last(time.Duration(i*7919%600)*time.Second, topic("/poses")); err != nil || !found {
				b.Fatal(err)
			}
		},
		"a second": func(b *testing.B) {
			from := time.Duration(i*7919%599) * time.Second
			m := r.Messages(from, nil)
			for x := (Message{}); x.LogTime < from+time.Second-5*time.Millisecond; {
				x = must.Get(m.Next())(b)
			}
		},
		"all": func(b *testing.B) {
			b.SetBytes(r.size)
			m, n := r.Messages(0, nil), 0
			var err error
			for ; err == nil; n++ {
				_, err = m.Next()
			}
			if err != io.EOF || n != steps+steps/4+1 {
				b.Fatal(n, err)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i = 0; b.Loop(); i++ {
				f(b)
			}
		})
	}
}

// noise returns incompressible bytes, the same in each run.
type noise struct{ *rand.ChaCha8 }

func newNoise() noise { return noise{rand.NewChaCha8([32]byte{})} }

func (n noise) bytes(size int) []byte {
	b := make([]byte, size)
	n.Read(b)
	return b
}
