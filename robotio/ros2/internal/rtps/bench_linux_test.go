package rtps

import (
	"flag"
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

// BenchmarkImages sends images of 640 × 480 pixels in three channels for some seconds to another implementation, from
// us and from the other implementations. It reports how many arrive in a second and of those sent, their latency, and
// the processor time of the process that sends.
func BenchmarkImages(b *testing.B) {
	for _, c := range []struct {
		topics, rate int // 0: as fast as the reader acknowledges
		reliable     bool
	}{{1, 30, false}, {20, 30, false}, {20, 30, true}, {1, 0, true}} {
		for _, reader := range []string{"cyclone", "fastdds"} {
			for _, writer := range []string{"ours", "cyclone", "fastdds"} {
				if writer != "ours" && c.rate == 0 {
					continue // without pauses, others take minutes, because readers lose most fragments
				}
				name := fmt.Sprintf("%s to %s/%d topics/%d Hz/reliable %v", writer, reader, c.topics, c.rate,
					c.reliable)
				b.Run(name, func(b *testing.B) {
					m := images{reader, c.topics, c.rate, QoS{Reliable: c.reliable}}
					if writer == "ours" {
						m.ours(b)
					} else {
						m.others(b, writer)
					}
				})
			}
		}
	}
}

// images are topics with images, which a program of another implementation receives.
type images struct {
	reader       string
	topics, rate int
	q            QoS
}

var imageSeconds = flag.Int("rtps.seconds", 5, "duration of each benchmark of images, in s")

// ours sends images from a participant of this process.
func (m images) ours(b *testing.B) {
	d := must.Domain(b)
	p := open(b, Config{Domain: d})
	var writers []*Writer
	for i := range m.topics {
		writers = append(writers, must.Get(p.NewWriter(WriterConfig{Topic: fmt.Sprint("rt/blob", i), Type: blobType,
			QoS: m.q}))(b))
	}
	other := ddspeer.Start(b, m.reader, "count", d, bit(m.q.Reliable), 0, m.topics)
	for _, w := range writers {
		must.Until(b, "a match", func() bool { return w.NumMatched() == 1 })
	}
	time.Sleep(500 * time.Millisecond) // until the peer knows the writers, too
	head, body := blobHead("image", imageBytes), blobBytes(imageBytes)
	var held atomic.Int32
	room := make(chan struct{}, 5) // images that may be under way if the rate is free
	release := func() {
		if held.Add(-1); m.rate == 0 {
			<-room
		}
	}
	sent, before, start := 0, processorTime(b), time.Now()
	for time.Since(start) < time.Duration(*imageSeconds)*time.Second {
		for _, w := range writers {
			if m.rate == 0 {
				room <- struct{}{}
			}
			held.Add(1)
			must.Get(w.Write(Outgoing{Head: head, Body: body, Release: release}))(b)
			sent++
		}
		if m.rate != 0 {
			time.Sleep(time.Until(start.Add(time.Duration(sent/m.topics) * time.Second / time.Duration(m.rate))))
		}
	}
	must.Until(b, "the release of all images", func() bool { return held.Load() == 0 })
	m.report(b, other, sent, processorTime(b)-before)
	b.Logf("%+v", p.Stats())
}

// others sends images from a program of an implementation.
func (m images) others(b *testing.B, kind string) {
	d, count := must.Domain(b), *imageSeconds*m.rate
	reader := ddspeer.Start(b, m.reader, "count", d, bit(m.q.Reliable), 0, m.topics)
	must.Until(b, "the reader", func() bool { return len(reader.Starting("ready")) > 0 })
	s := ddspeer.Setup{Env: []string{fmt.Sprint("DDSPEER_RATE=", m.rate)}}
	writer := s.Start(b, kind, "pub", d, bit(m.q.Reliable), 0, m.topics, imageBytes, count)
	must.Until(b, "the end", func() bool { return len(writer.Starting("published")) > 0 })
	time.Sleep(time.Second) // for images that are sent again
	m.report(b, reader, count*m.topics, writer.End())
}

// report reports what the reader prints after all images have come.
func (m images) report(b *testing.B, reader *ddspeer.Peer, sent int, spent time.Duration) {
	b.Helper()
	must.Until(b, "the peer's summary", func() bool { return len(reader.Starting("received")) > 0 })
	found := regexp.MustCompile(`received (\d+) in ([\d.]+) s, latency ([\d.]+) ([\d.]+)`).
		FindStringSubmatch(reader.Starting("received")[0])
	var v [4]float64
	for i := range v {
		v[i] = must.Get(strconv.ParseFloat(found[i+1], 64))(b)
	}
	b.ReportMetric(v[0]/v[1], "images/s")
	b.ReportMetric(100*v[0]/float64(sent), "%arrived")
	b.ReportMetric(v[2], "ms-median")
	b.ReportMetric(v[3], "ms-p99")
	b.ReportMetric(spent.Seconds()*1000/float64(sent), "cpu-ms/image")
	b.ReportMetric(0, "ns/op")
}
