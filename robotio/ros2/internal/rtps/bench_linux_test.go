package rtps

import (
	"fmt"
	"regexp"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const imageBytes = 640 * 480 * 3

// processorTime returns the processor time that this process has taken.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkImages sends images of 640 × 480 pixels in three channels to another implementation for some seconds. It
// reports how many arrive in a second and of those sent, their latency, and this process's processor time.
func BenchmarkImages(b *testing.B) {
	for _, c := range []struct {
		topics, rate int // 0: as fast as the reader acknowledges
		reliable     bool
	}{{1, 30, false}, {20, 30, false}, {1, 0, true}} {
		for _, kind := range []string{"cyclone", "fastdds"} {
			name := fmt.Sprintf("%s/%d topics/%d Hz/reliable %v", kind, c.topics, c.rate, c.reliable)
			b.Run(name, func(b *testing.B) {
				benchmarkImages(b, kind, c.topics, c.rate, QoS{Reliable: c.reliable})
			})
		}
	}
}

func benchmarkImages(b *testing.B, kind string, topics, rate int, q QoS) {
	const seconds = 5
	d := freeDomain(b)
	p := open(b, Config{Domain: d})
	var writers []*Writer
	for i := range topics {
		writers = append(writers, must.Get(p.NewWriter(WriterConfig{Topic: fmt.Sprint("rt/blob", i), Type: blobType,
			QoS: q}))(b))
	}
	other := ddspeer.Start(b, kind, "count", d, bit(q.Reliable), 0, topics)
	for _, w := range writers {
		must.Until(b, "a match", func() bool { return w.NumMatched() == 1 })
	}
	time.Sleep(500 * time.Millisecond) // until the peer knows the writers, too
	head, body := blobHead("image", imageBytes), blobBytes(imageBytes)
	var held atomic.Int32
	room := make(chan struct{}, 5) // images that may be under way if the rate is free
	release := func() {
		if held.Add(-1); rate == 0 {
			<-room
		}
	}
	sent, before, start := 0, processorTime(b), time.Now()
	for time.Since(start) < seconds*time.Second {
		for _, w := range writers {
			if rate == 0 {
				room <- struct{}{}
			}
			held.Add(1)
			must.Get(w.Write(Outgoing{Head: head, Body: body, Release: release}))(b)
			sent++
		}
		if rate != 0 {
			time.Sleep(time.Until(start.Add(time.Duration(sent/topics) * time.Second / time.Duration(rate))))
		}
	}
	must.Until(b, "the release of all images", func() bool { return held.Load() == 0 })
	spent := processorTime(b) - before
	must.Until(b, "the peer's summary", func() bool { return len(other.Starting("received")) > 0 })
	m := regexp.MustCompile(`received (\d+) in ([\d.]+) s, latency ([\d.]+) ([\d.]+)`).
		FindStringSubmatch(other.Starting("received")[0])
	var v [4]float64
	for i := range v {
		v[i] = must.Get(strconv.ParseFloat(m[i+1], 64))(b)
	}
	b.ReportMetric(v[0]/v[1], "images/s")
	b.ReportMetric(100*v[0]/float64(sent), "%arrived")
	b.ReportMetric(v[2], "ms-median")
	b.ReportMetric(v[3], "ms-p99")
	b.ReportMetric(spent.Seconds()*1000/float64(sent), "cpu-ms/image")
	b.ReportMetric(0, "ns/op")
	b.Logf("%+v", p.Stats())
}
