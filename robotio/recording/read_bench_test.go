package recording

import (
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

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
	open := func(b *testing.B, r *Reader, err error) *Reader {
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { r.Close() })
		return r
	}
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := Open(path)
			open(b, r, err).Close()
		}
	})
	b.Run("open cut", func(b *testing.B) {
		r, err := Open(path)
		s := open(b, r, err).source
		s.size -= 5000
		b.ReportAllocs()
		for b.Loop() {
			r, err := read(s)
			if err != nil || r.Damage() == nil {
				b.Fatal(err, r.Damage())
			}
		}
	})
	b.Run("last", func(b *testing.B) {
		r, err := Open(path)
		open(b, r, err)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, found, err := r.Last(time.Duration(i*7919%600)*time.Second, topic("/poses")); err != nil || !found {
				b.Fatal(err)
			}
		}
	})
	b.Run("a second", func(b *testing.B) {
		r, err := Open(path)
		open(b, r, err)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			from := time.Duration(i*7919%599) * time.Second
			m := r.Messages(from, nil)
			for x := (Message{}); x.LogTime < from+time.Second-5*time.Millisecond; {
				if x, err = m.Next(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		r, err := Open(path)
		open(b, r, err)
		b.SetBytes(r.size)
		b.ReportAllocs()
		for b.Loop() {
			m, n := r.Messages(0, nil), 0
			for ; err == nil; n++ {
				_, err = m.Next()
			}
			if err != io.EOF || n != steps+steps/4+1 {
				b.Fatal(n, err)
			}
			err = nil
		}
	})
}
