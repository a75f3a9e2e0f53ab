package recording

import (
	"encoding/binary"
	"math"
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

// BenchmarkWrite measures Write for messages of 1 kB, with a file that keeps up.
func BenchmarkWrite(b *testing.B) {
	w := begin(b, filepath.Join(b.TempDir(), "a.mcap"), Header{}, Options{Patience: time.Minute})
	topic := channel(b, w, "/a", number)
	data := trajectories()[1]
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if i%10_000 == 0 {
			b.StopTimer()
			w.queue.signal()
			for w.queue.size() > 0 {
				time.Sleep(time.Millisecond)
			}
			b.StartTimer()
		}
		topic.Write(0, 0, data)
	}
}
